/** awk: the whole language, with GNU's additions in daily use. */
import type { UtilityContext } from "../../builtin.ts";
import { decodeBytes } from "../../../lib/text/bytes.ts";
import { readAll } from "../shared/blocks.ts";
import { Failure, parseOptions, UsageError } from "../shared/options.ts";
import { reason } from "../shared/report.ts";
import { type Compiled, compileProgram, SPECIAL } from "./compile.ts";
import { unescape } from "./lex.ts";
import { parseProgram } from "./parse.ts";
import { Exit, Next, Runtime } from "./runtime.ts";
import { Input, type Value } from "./values.ts";

const TABLE = {
  options: [
    "F|field-separator=",
    "v|assign=",
    "f|file=",
    "posix",
    "traditional",
    "re-interval",
    "r",
    "sandbox",
    "b|characters-as-bytes",
    "e|source=",
    "W=",
  ],
  unsupported: [
    "i|include=",
    "l|load=",
    "o|pretty-print=?",
    "p|profile=?",
    "d|dump-variables=?",
    "D|debug=?",
    "M|bignum",
    "n|non-decimal-data",
    "S",
    "L|lint=?",
    "E|exec=",
  ],
  stopAtOperand: true,
  usageStatus: 2,
  usage: "[-F fs] [-v var=value] ['prog' | -f progfile] [file ...]",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const operands = [...options.operands];
  const sources: string[] = [];
  for (const [key, value] of options.list) {
    if (key === "e") sources.push(value);
    if (key === "f") sources.push(await programFile(context, value));
  }
  if (sources.length === 0) {
    if (operands.length === 0) throw new UsageError(`usage: ${context.name} ${TABLE.usage}`, 2, false);
    sources.push(operands.shift()!);
  }
  const runtime = new Runtime(context);
  const program = compileProgram(parseProgram(sources.join("\n")), runtime);
  const assign = (name: string, value: Value): void => {
    if (SPECIAL.has(name)) (runtime as unknown as Record<string, Value>)[name] = value;
    else program.setVar(name, value);
  };
  runtime.io.assign = assign;
  const separator = options.value("F");
  if (separator !== undefined) runtime.FS = separator === "t" ? "\t" : unescape(separator);
  for (const text of options.values("v")) {
    const match = /^([A-Za-z_]\w*)=([^]*)$/.exec(text);
    if (!match) throw new Failure(`\`${text}' argument to \`-v' not in \`var=value' form`, 2);
    assign(match[1], new Input(unescape(match[2])));
  }
  runtime.ARGV.set("0", context.name);
  operands.forEach((operand, i) => runtime.ARGV.set(String(i + 1), new Input(operand)));
  runtime.ARGC = operands.length + 1;
  try {
    await execute(context, program, runtime);
  } catch (error) {
    if (error instanceof RangeError && /call stack/i.test(error.message)) {
      throw new Failure("function calls nested too deeply", 2);
    }
    throw error;
  } finally {
    await runtime.io.closeAll();
  }
  return runtime.status || (runtime.io.failed ? 2 : 0);
}

async function execute(context: UtilityContext, program: Compiled, runtime: Runtime): Promise<void> {
  try {
    const begun = program.begin();
    if (begun) await begun;
    if (program.hasRecord || program.hasEnd) await records(context, program, runtime);
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    // `exit` outside of END goes on with END, unless it came from BEGIN alone.
  }
  if (!program.hasEnd) return;
  try {
    const ended = program.end();
    if (ended) await ended;
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
  }
}

async function records(context: UtilityContext, program: Compiled, runtime: Runtime): Promise<void> {
  let turns = 0;
  for (;;) {
    if ((++turns & 255) === 0) context.poll();
    const next = runtime.io.nextRecord(runtime);
    const text = next instanceof Promise ? await next : next;
    if (text === undefined) return;
    runtime.setRecord(text);
    try {
      const done = program.record();
      if (done) await done;
      if (runtime.pending) {
        const { pending } = runtime;
        runtime.pending = undefined;
        await pending;
      }
    } catch (error) {
      if (!(error instanceof Next)) throw error;
    }
  }
}

async function programFile(context: UtilityContext, name: string): Promise<string> {
  try {
    const source = name === "-" ? context.stdin : await context.open(name);
    const text = decodeBytes(await readAll(source, () => context.poll(), 1 << 26));
    if (source !== context.stdin) source.close();
    return text;
  } catch (error) {
    throw new Failure(`cannot open source file \`${name}' for reading: ${reason(error)}`, 2);
  }
}
