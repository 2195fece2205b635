/** fold: breaks long lines. */
import type { UtilityContext } from "../builtin.ts";
import { eachLine } from "./shared/each_line.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { cite } from "./shared/report.ts";

const TABLE = { options: ["b|bytes", "s|spaces", "w|width="], numeric: "w" };

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const text = options.value("w") ?? "80";
  const width = Number(text);
  if (!/^\d+$/.test(text) || width === 0) {
    throw new UsageError(`invalid number of columns: ${cite(text)}`, 1, false);
  }
  return await eachLine(
    context,
    options.operands,
    (line) => fold(line, width, options.has("s"), options.has("b"), () => context.poll()),
  );
}

/** `poll` is called now and then: a line may be as long as a file. */
function fold(line: string, width: number, atSpaces: boolean, bytes: boolean, poll: () => void): string {
  let out = "";
  let current = "";
  let column = 0;
  const advance = (from: number, c: string) =>
    bytes
      ? from + 1
      : c === "\t"
      ? from + 8 - from % 8
      : c === "\b"
      ? Math.max(0, from - 1)
      : c === "\r"
      ? 0
      : from + 1;
  let turns = 0;
  for (const c of line) {
    if ((++turns & 0xffff) === 0) poll();
    while (advance(column, c) > width && current !== "") {
      const cut = atSpaces ? Math.max(current.lastIndexOf(" "), current.lastIndexOf("\t")) : -1;
      const head = cut >= 0 ? current.slice(0, cut + 1) : current;
      out += head + "\n";
      current = cut >= 0 ? current.slice(cut + 1) : "";
      column = 0;
      for (const each of current) column = advance(column, each);
    }
    column = advance(column, c);
    current += c;
  }
  return out + current;
}
