/** jq: filters JSON; the common language. */
import type { UtilityContext } from "../../builtin.ts";
import { decodeBytes } from "../../../lib/text/bytes.ts";
import { readAll } from "../shared/blocks.ts";
import { Failure, type Options, parseOptions, UnsupportedOption, UsageError } from "../shared/options.ts";
import { reason } from "../shared/report.ts";
import { Interpreter } from "./eval.ts";
import { CompileError } from "./scope.ts";
import { type Json, JsonReader, parseJson, print, type PrintOptions } from "./json.ts";
import { Halt } from "./natives.ts";
import { parseJq } from "./parse.ts";
import { JqError, truth } from "./values.ts";

const TABLE = {
  options: [
    "r|raw-output",
    "j|join-output",
    "a|ascii-output",
    "c|compact-output",
    "S|sort-keys",
    "M|monochrome-output",
    "n|null-input",
    "e|exit-status",
    "s|slurp",
    "R|raw-input",
    "f|from-file=",
    "tab",
    "indent=",
    "unbuffered",
    "raw-output0",
    "seq",
  ],
  unsupported: ["C|color-output", "stream", "stream-errors", "L=", "b|binary"],
  usageStatus: 2,
  usage: "[OPTIONS] FILTER [FILES...]",
};

export async function run(context: UtilityContext): Promise<number> {
  const { args, named, positional } = await readNamed(context);
  const options = parseOptions(context, TABLE, args);
  const operands = [...options.operands];
  let source: string;
  const file = options.value("f");
  if (file !== undefined) source = await readText(context, file);
  else {
    const filter = operands.shift();
    if (filter === undefined) throw new UsageError(`Usage:\t${context.name} ${TABLE.usage}`, 2, false);
    source = filter;
  }
  const ast = parseJq(source);
  const inputs = new Inputs(context, operands, options);
  await inputs.load();
  const variables = new Map<string, Json>(named);
  variables.set("__prog_args", positional);
  variables.set("ARGS", new Map<string, Json>([["positional", positional], ["named", new Map(named)]]));
  const debug: string[] = [];
  const interpreter = new Interpreter({
    env: new Map<string, Json>(context.env),
    now: () => context.host.now(),
    next: () => inputs.next(),
    poll: () => context.poll(),
    debug: (text) => debug.push(text),
    get filename() {
      return inputs.filename;
    },
    arguments: positional,
    zone: context.env,
  });
  const form: PrintOptions = {
    indent: options.has("c") ? "" : options.has("tab") ? "\t" : " ".repeat(indentOf(options)),
    sortKeys: options.has("S"),
    ascii: options.has("a"),
  };
  const raw = options.has("r", "j", "raw-output0");
  const end = options.has("j") ? "" : options.has("raw-output0") ? "\0" : "\n";
  let status = 0;
  let last: Json | undefined;
  try {
    for (;;) {
      const input = options.has("n") ? null : inputs.next();
      if (input === undefined) break;
      try {
        for (const value of interpreter.run(ast, input, variables)) {
          last = value;
          for (const text of debug.splice(0)) await context.stderr.print(text + "\n");
          const text = raw && typeof value === "string" ? value : print(value, form);
          const done = context.stdout.print((options.has("seq") ? "\x1e" : "") + text + end);
          if (done) await done;
        }
        for (const text of debug.splice(0)) await context.stderr.print(text + "\n");
      } catch (error) {
        if (!(error instanceof JqError)) throw error;
        const { value } = error;
        const message = typeof value === "string"
          ? value
          : `(not a string): ${print(value, { ...form, indent: "" })}`;
        await context.stderr.print(
          `jq: error${inputs.place}${typeof value === "string" ? ":" : ""} ${message}\n`,
        );
        status = 5;
      }
      if (options.has("n")) break;
    }
  } catch (error) {
    if (error instanceof Halt) {
      if (error.value !== undefined) {
        await context.stderr.print(
          typeof error.value === "string" ? error.value : print(error.value, { ...form, indent: "" }) + "\n",
        );
      }
      return error.status;
    }
    if (error instanceof CompileError) {
      throw new Failure(`error: ${error.message} at <top-level>, line 1:\n${source}\njq: 1 compile error`, 3);
    }
    if (error instanceof RangeError && /call stack/i.test(error.message)) {
      throw new Failure("error: program recurses too deeply", 5);
    }
    throw error;
  }
  if (inputs.failed && status === 0) return 2;
  if (options.has("e") && status === 0) return last === undefined ? 4 : truth(last) ? 0 : 1;
  return status;
}

function indentOf(options: Options): number {
  const text = options.value("indent") ?? "2";
  if (!/^\d+$/.test(text) || Number(text) > 7) {
    throw new UsageError("Cannot indent more than 7 characters", 2);
  }
  return Number(text);
}

async function readText(context: UtilityContext, name: string): Promise<string> {
  try {
    const source = name === "-" ? context.stdin : await context.open(name);
    const text = decodeBytes(await readAll(source, () => context.poll(), 1 << 29));
    if (source !== context.stdin) source.close();
    return text;
  } catch (error) {
    throw new Failure(`error: Could not open ${name}: ${reason(error)}`, 2);
  }
}

/** Takes `--arg` and its kin, which have two values, from the arguments. */
async function readNamed(
  context: UtilityContext,
): Promise<{ args: string[]; named: Map<string, Json>; positional: Json[] }> {
  const args: string[] = [];
  const named = new Map<string, Json>();
  const positional: Json[] = [];
  let mode: "files" | "args" | "jsonargs" = "files";
  let filter = context.args.some((arg) => /^(-[a-zA-Z]*f|--from-file)/.test(arg));
  const json = (text: string, what: string): Json => {
    try {
      return parseJson(text);
    } catch {
      throw new Failure(`Invalid JSON text passed to --${what}`, 2);
    }
  };
  for (let i = 0; i < context.args.length; i++) {
    const arg = context.args[i];
    if (["--arg", "--argjson", "--slurpfile", "--rawfile", "--argfile"].includes(arg)) {
      const [name, value] = [context.args[i + 1], context.args[i + 2]];
      if (value === undefined) {
        throw new UsageError(
          `${arg} takes two parameters (e.g. ${arg} ${
            arg.includes("file") ? "varname filename" : "varname value"
          })`,
          2,
        );
      }
      i += 2;
      if (arg === "--arg") named.set(name, value);
      else if (arg === "--argjson") named.set(name, json(value, "argjson"));
      else if (arg === "--rawfile") named.set(name, await readText(context, value));
      else {
        const reader = new JsonReader(await readText(context, value));
        const values: Json[] = [];
        for (let each = reader.next(); each !== undefined; each = reader.next()) values.push(each);
        named.set(name, arg === "--argfile" && values.length === 1 ? values[0] : values);
      }
    } else if (arg === "--args" || arg === "--jsonargs") mode = arg.slice(2) as "args";
    else if (arg === "--stream" || arg === "--seq") {
      if (arg === "--stream") throw new UnsupportedOption(arg);
      args.push(arg);
    } else if (mode !== "files" && !arg.startsWith("-")) {
      if (!filter) {
        args.push(arg);
        filter = true;
      } else positional.push(mode === "args" ? arg : json(arg, "jsonargs"));
    } else {
      if (!arg.startsWith("-")) filter = true;
      args.push(arg);
      // The value of these is no filter.
      if (/^(-[a-zA-Z]*f|--from-file|--indent)$/.test(arg) && i + 1 < context.args.length) {
        args.push(context.args[++i]);
      }
    }
  }
  return { args, named, positional };
}

/** The values of the input, one file after the other. */
class Inputs {
  failed = false;
  filename: Json = "<stdin>";
  #texts: { name: Json; text: string }[] = [];
  #reader: JsonReader | undefined;
  #lines: string[] | undefined;
  #slurped = false;

  constructor(
    readonly context: UtilityContext,
    readonly files: readonly string[],
    readonly options: Options,
  ) {}

  get place(): string {
    return this.#reader === undefined && this.#lines === undefined
      ? " (at <unknown>)"
      : ` (at ${this.filename}:${this.#reader?.lines ?? 0})`;
  }

  async load(): Promise<void> {
    // Input that nobody asks for is not read.
    if (this.files.length === 0) {
      this.#texts.push({
        name: "<stdin>",
        text: this.options.has("n") && !/\binputs?\b/.test(this.options.operands.join(" "))
          ? ""
          : decodeBytes(await readAll(this.context.stdin, () => this.context.poll(), 1 << 29)),
      });
      return;
    }
    for (const name of this.files) {
      try {
        const source = await this.context.open(name);
        this.#texts.push({
          name,
          text: decodeBytes(await readAll(source, () => this.context.poll(), 1 << 29)),
        });
        if (source !== this.context.stdin) source.close();
      } catch (error) {
        await this.context.stderr.print(`jq: error: Could not open ${name}: ${reason(error)}\n`);
        this.failed = true;
      }
    }
  }

  next(): Json | undefined {
    const raw = this.options.has("R"), slurp = this.options.has("s");
    if (slurp) {
      if (this.#slurped) return undefined;
      this.#slurped = true;
      if (raw) return this.#texts.map(({ text }) => text).join("");
      const all: Json[] = [];
      for (let value = this.#json(); value !== undefined; value = this.#json()) all.push(value);
      return all;
    }
    if (!raw) return this.#json();
    this.#lines ??= this.#texts.map(({ text }) => text).join("").replace(/\n$/, "").split("\n").reverse();
    if (this.#texts.every(({ text }) => text === "")) return undefined;
    return this.#lines.pop();
  }

  #json(): Json | undefined {
    for (;;) {
      const value = this.#reader?.next();
      if (value !== undefined) return value;
      const next = this.#texts.shift();
      if (!next) return undefined;
      this.filename = next.name;
      this.#reader = new JsonReader(next.text);
    }
  }
}
