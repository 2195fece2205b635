/** xxd: a hex dump, and back. */
import type { UtilityContext } from "../builtin.ts";
import type { ByteSink, ByteSource } from "../host.ts";
import { BLOCK_SIZE, LineReader } from "./shared/blocks.ts";
import { Failure, parseOptions } from "./shared/options.ts";
import { reason } from "./shared/report.ts";

const TABLE = {
  options: [
    "b|bits",
    "c|cols=",
    "e",
    "g|groupsize=",
    "i|include",
    "l|len=",
    "n|name=",
    "o=",
    "p|ps|postscript|plain",
    "r|revert",
    "s|seek=",
    "u",
    "d",
  ],
  unsupported: ["a|autoskip", "C|capitalize", "E|EBCDIC", "R="],
  usage: "[options] [infile [outfile]]",
};

export async function run(context: UtilityContext): Promise<number> {
  // Long names are written with one dash as well.
  const args = context.args.map((arg) =>
    /^-(ps|plain|postscript|cols|len|seek|bits|include|revert|groupsize)$/.test(arg) ? "-" + arg : arg
  );
  const options = parseOptions(context, TABLE, args);
  const number = (key: string): number | undefined => {
    const text = options.value(key);
    return text === undefined ? undefined : Math.trunc(Number(text)) || 0;
  };
  const [input = "-", output] = options.operands;
  let source: ByteSource;
  try {
    source = input === "-" ? context.stdin : await context.open(input);
  } catch (error) {
    throw new Failure(`${input}: ${reason(error)}`, 2);
  }
  const sink: ByteSink = output === undefined || output === "-"
    ? context.stdout
    : await context.create(output);
  const write = async (text: string) => {
    const done = sink.write(new TextEncoder().encode(text));
    if (done) await done;
  };
  try {
    if (options.has("r")) {
      await revert(context, source, sink, options.has("p"));
      return 0;
    }
    const skip = Math.max(0, number("s") ?? 0), limit = number("l") ?? Infinity;
    const upper = options.has("u");
    const digits = (byte: number) => {
      const text = byte.toString(16).padStart(2, "0");
      return upper ? text.toUpperCase() : text;
    };
    const bits = options.has("b");
    const cols = number("c") || (options.has("p") ? 30 : options.has("i") ? 12 : bits ? 6 : 16);
    const group = number("g") ?? (options.has("e") ? 4 : bits ? 1 : 2);
    const offset = number("o") ?? 0;
    if (options.has("i")) {
      const bytes = await collect(context, source, skip, limit);
      const name = (options.value("n") ?? (input === "-" ? undefined : input))?.replace(
        /[^A-Za-z0-9_]/g,
        "_",
      );
      const rows: string[] = [];
      for (let at = 0; at < bytes.length; at += cols) {
        rows.push("  " + Array.from(bytes.subarray(at, at + cols), (byte) => `0x${digits(byte)}`).join(", "));
      }
      const body = rows.join(",\n") + (rows.length > 0 ? "\n" : "");
      await write(
        name === undefined
          ? body
          : `unsigned char ${name}[] = {\n${body}};\nunsigned int ${name}_len = ${bytes.length};\n`,
      );
      return 0;
    }
    let address = skip + offset;
    for await (const row of rows(context, source, skip, limit, cols)) {
      if (options.has("p")) {
        await write(Array.from(row, digits).join("") + "\n");
        continue;
      }
      const cell = bits ? 8 : 2;
      let text = "";
      const groups = group <= 0 ? cols : group;
      for (let at = 0; at < cols; at += groups) {
        const part = row.subarray(at, Math.min(at + groups, row.length));
        const cells = Array.from(part, (byte) => bits ? byte.toString(2).padStart(8, "0") : digits(byte));
        if (options.has("e")) cells.reverse();
        const shown = cells.join("");
        const width = cell * Math.min(groups, cols - at);
        text += (options.has("e") ? shown.padStart(width) : shown.padEnd(width)) + (group > 0 ? " " : "");
      }
      if (group <= 0) text += " ";
      const visible = Array.from(row, (byte) => byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".")
        .join("");
      await write(
        `${
          options.has("d") ? String(address).padStart(8, "0") : address.toString(16).padStart(8, "0")
        }: ${text} ${visible}\n`,
      );
      address += row.length;
    }
  } finally {
    if (source !== context.stdin) source.close();
    if (sink !== context.stdout) sink.close();
  }
  return 0;
}

async function collect(
  context: UtilityContext,
  source: ByteSource,
  skip: number,
  limit: number,
): Promise<Uint8Array> {
  const parts: number[] = [];
  for await (const row of rows(context, source, skip, limit, 4096)) parts.push(...row);
  return Uint8Array.from(parts);
}

async function* rows(
  context: UtilityContext,
  source: ByteSource,
  skip: number,
  limit: number,
  cols: number,
): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(BLOCK_SIZE);
  let row = new Uint8Array(cols);
  let filled = 0;
  while (limit > 0) {
    context.poll();
    const read = source.read(buffer);
    const got = typeof read === "number" ? read : await read;
    if (got === 0) break;
    for (let i = 0; i < got && limit > 0; i++) {
      if (skip > 0) {
        skip--;
        continue;
      }
      row[filled++] = buffer[i];
      limit--;
      if (filled === cols) {
        yield row;
        row = new Uint8Array(cols);
        filled = 0;
      }
    }
  }
  if (filled > 0) yield row.subarray(0, filled);
}

async function revert(
  context: UtilityContext,
  source: ByteSource,
  sink: ByteSink,
  plain: boolean,
): Promise<void> {
  const reader = new LineReader(source);
  let position = 0;
  for (;;) {
    context.poll();
    const line = await reader.next();
    if (line === undefined) return;
    let hex = line;
    if (!plain) {
      const match = /^\s*([0-9a-fA-F]+):\s?(.*)$/.exec(line);
      if (!match) continue;
      const address = parseInt(match[1], 16);
      // Two blanks end the digits; what follows are the characters.
      hex = match[2].split("  ")[0];
      if (address > position && address - position < 1 << 28) {
        await sink.write(new Uint8Array(address - position));
      }
      position = Math.max(position, address);
    }
    const digits = hex.replace(/[^0-9a-fA-F]/g, "");
    const bytes = new Uint8Array(digits.length >> 1);
    for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(digits.slice(i * 2, i * 2 + 2), 16);
    position += bytes.length;
    await sink.write(bytes);
  }
}
