/** strings: runs of characters that can be read. */
import type { UtilityContext } from "../builtin.ts";
import { BLOCK_SIZE, eachInput } from "./shared/blocks.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { complain, quote, reason } from "./shared/report.ts";

const TABLE = {
  options: [
    "a|all",
    "f|print-file-name",
    "n|bytes=",
    "o",
    "t|radix=",
    "w|include-all-whitespace",
    "s|output-separator=",
    "d|data",
  ],
  unsupported: ["e|encoding=", "T|target=", "U|unicode="],
  numeric: "n",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const text = options.value("n") ?? "4";
  const least = Number(text);
  if (!/^\d+$/.test(text) || least < 1) {
    throw new UsageError(`invalid minimum string length ${text}`, 1, false);
  }
  const radix = options.has("o") ? "o" : options.value("t");
  const base = radix === "x" ? 16 : radix === "d" ? 10 : 8;
  const end = options.value("s") ?? "\n";
  let status = 0;
  await eachInput(context, options.operands, async (source, name) => {
    const buffer = new Uint8Array(BLOCK_SIZE);
    let run = "";
    let start = 0;
    let position = 0;
    const flush = (): string => {
      const found = run;
      run = "";
      if (found.length < least) return "";
      return (options.has("f") ? `${name}: ` : "") +
        (radix === undefined ? "" : start.toString(base).padStart(7) + " ") + found + end;
    };
    for (;;) {
      context.poll();
      const read = source.read(buffer);
      const got = typeof read === "number" ? read : await read;
      let out = "";
      for (let i = 0; i < got; i++) {
        const byte = buffer[i];
        const shown = (byte >= 32 && byte < 127) || byte === 9 ||
          (options.has("w") && byte >= 10 && byte <= 13);
        if (shown) {
          if (run === "") start = position + i;
          run += String.fromCharCode(byte);
        } else if (run !== "") out += flush();
      }
      if (got === 0) out += flush();
      position += got;
      if (out !== "") {
        const done = context.stdout.print(out);
        if (done) await done;
      }
      if (got === 0) return;
    }
  }, async (name, error) => {
    await complain(
      context,
      (error as { code?: string }).code === "ENOENT"
        ? `${quote(name)}: No such file`
        : `${name}: ${reason(error)}`,
    );
    status = 1;
  });
  return status;
}
