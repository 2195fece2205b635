/** bc: arithmetic of any precision, in the language of POSIX with the additions of GNU's that scripts use. */
import type { UtilityContext } from "../../builtin.ts";
import type { ByteSource } from "../../host.ts";
import { decodeBytes } from "../../../lib/text/bytes.ts";
import { readAll } from "../shared/blocks.ts";
import { Failure, parseOptions } from "../shared/options.ts";
import { reason } from "../shared/report.ts";
import { BcSyntaxError, Parser } from "./parse.ts";
import { BcRuntimeError, Machine, Quit } from "./run.ts";

const TABLE = {
  options: ["l|mathlib", "q|quiet", "s|standard", "w|warn", "i|interactive"],
  usage: "[options] [file ...]",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const machine = new Machine(context, options.has("l"));
  for (const name of [...options.operands, "-"]) {
    let source: ByteSource;
    try {
      source = name === "-" ? context.stdin : await context.open(name);
    } catch (error) {
      throw new Failure(`File ${name} is unavailable: ${reason(error)}`);
    }
    let text: string;
    try {
      text = decodeBytes(await readAll(source, () => context.poll()));
    } finally {
      if (source !== context.stdin) source.close();
    }
    const parser = new Parser(text);
    for (;;) {
      try {
        const statements = parser.next();
        if (!statements) break;
        machine.run(statements);
      } catch (error) {
        await machine.flush();
        if (error instanceof Quit) return 0;
        if (error instanceof BcSyntaxError) {
          await context.stderr.print(
            `${name === "-" ? "(standard_in)" : name} ${error.line}: ${error.message}\n`,
          );
        } else if (error instanceof BcRuntimeError) await context.stderr.print(`${error.message}\n`);
        else throw error;
      }
      await machine.flush();
    }
  }
  return 0;
}
