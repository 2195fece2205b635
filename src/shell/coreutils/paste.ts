/** paste: joins lines of files side by side. */
import type { UtilityContext } from "../builtin.ts";
import type { ByteSource } from "../host.ts";
import { LineReader } from "./shared/blocks.ts";
import { Failure, parseOptions } from "./shared/options.ts";
import { quoteIfNeeded, reason } from "./shared/report.ts";

const TABLE = { options: ["d|delimiters=", "s|serial", "z|zero-terminated"] };

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const delimiters = readDelimiters(options.value("d") ?? "\t");
  const end = options.has("z") ? "\0" : "\n";
  const names = options.operands.length === 0 ? ["-"] : options.operands;
  const sources: ByteSource[] = [];
  const readers: LineReader[] = [];
  let stdin: LineReader | undefined;
  try {
    for (const name of names) {
      if (name === "-") {
        readers.push(stdin ??= new LineReader(context.stdin, end));
        continue;
      }
      try {
        const source = await context.open(name);
        sources.push(source);
        readers.push(new LineReader(source, end));
      } catch (error) {
        throw new Failure(`${quoteIfNeeded(name)}: ${reason(error)}`);
      }
    }
    if (options.has("s")) {
      for (const reader of readers) await serial(context, reader, delimiters, end);
    } else await parallel(context, readers, delimiters, end);
  } finally {
    for (const source of sources) source.close();
  }
  return 0;
}

async function serial(
  context: UtilityContext,
  reader: LineReader,
  delimiters: readonly string[],
  end: string,
): Promise<void> {
  let count = 0;
  for (;;) {
    context.poll();
    const next = reader.next();
    const line = next instanceof Promise ? await next : next;
    if (line === undefined) break;
    const done = context.stdout.print(
      count === 0 ? line : delimiters[(count - 1) % delimiters.length] + line,
    );
    if (done) await done;
    count++;
  }
  await context.stdout.print(end);
}

async function parallel(
  context: UtilityContext,
  readers: readonly LineReader[],
  delimiters: readonly string[],
  end: string,
): Promise<void> {
  for (;;) {
    context.poll();
    let any = false;
    let out = "";
    for (let i = 0; i < readers.length; i++) {
      const next = readers[i].next();
      const line = next instanceof Promise ? await next : next;
      if (line !== undefined) any = true;
      out += (line ?? "") + (i + 1 < readers.length ? delimiters[i % delimiters.length] : end);
    }
    if (!any) return;
    const done = context.stdout.print(out);
    if (done) await done;
  }
}

function readDelimiters(text: string): string[] {
  const out: string[] = [];
  const chars = [...text];
  for (let i = 0; i < chars.length; i++) {
    if (chars[i] !== "\\") out.push(chars[i]);
    else {
      if (i + 1 >= chars.length) {
        throw new Failure(`delimiter list ends with an unescaped backslash: ${text}`);
      }
      out.push({ n: "\n", t: "\t", "0": "", b: "\b", f: "\f", r: "\r", v: "\v" }[chars[++i]] ?? chars[i]);
    }
  }
  return out.length === 0 ? [""] : out;
}
