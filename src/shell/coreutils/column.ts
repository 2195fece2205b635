/** column: lists in columns, and tables. */
import type { UtilityContext } from "../builtin.ts";
import { eachInput, LineReader } from "./shared/blocks.ts";
import { Failure, parseOptions } from "./shared/options.ts";
import { complain, reason } from "./shared/report.ts";

const TABLE = {
  options: [
    "t|table",
    "s|separator=",
    "o|output-separator=",
    "c|output-width=",
    "x|fillrows",
    "N|table-columns=",
    "R|table-right=",
    "L|keep-empty-lines",
    "n|table-name=",
    "l|table-columns-limit=",
  ],
  unsupported: [
    "J|json",
    "d|table-noheadings",
    "E|table-noextreme=",
    "e|table-header-repeat",
    "H|table-hide=",
    "O|table-order=",
    "T|table-truncate=",
    "W|table-wrap=",
    "r|tree=",
    "i|tree-id=",
    "p|tree-parent=",
  ],
};

const MAX_LINES = 10_000_000;

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const lines: string[] = [];
  let status = 0;
  await eachInput(context, options.operands, async (source) => {
    const reader = new LineReader(source);
    for (;;) {
      context.poll();
      const next = reader.next();
      const line = next instanceof Promise ? await next : next;
      if (line === undefined) return;
      if (line.trim() !== "" || options.has("L")) lines.push(line);
      if (lines.length > MAX_LINES) throw new Failure("too many lines");
    }
  }, async (name, error) => {
    await complain(context, `${name}: ${reason(error)}`);
    status = 1;
  });
  const width = Number(options.value("c") ?? context.env.get("COLUMNS") ?? 80) || 80;
  if (options.has("t")) {
    const names = options.value("N")?.split(",");
    const limit = Number(options.value("l") ?? Infinity);
    const separators = options.value("s");
    const rows: string[][] = names ? [names] : [];
    for (const line of lines) {
      const rest = context.rest();
      if (rest) await rest;
      rows.push(cells(line, separators, limit));
    }
    await table(context, rows, options.value("o") ?? "  ", options.value("R"), names);
  } else await grid(context, lines.map((line) => line.trim()), width, options.has("x"));
  return status;
}

function cells(line: string, separators: string | undefined, limit: number): string[] {
  let parts: string[];
  if (separators === undefined) parts = line.trim() === "" ? [""] : line.trim().split(/[ \t]+/);
  else {
    parts = [""];
    for (const c of line) {
      if (separators.includes(c)) parts.push("");
      else parts[parts.length - 1] += c;
    }
  }
  if (parts.length <= limit) return parts;
  const sep = separators?.[0] ?? " ";
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(sep)];
}

function size(text: string): number {
  // deno-lint-ignore no-control-regex -- ASCII is the common case: no character is looked at twice.
  return /^[\x00-\x7f]*$/.test(text) ? text.length : [...text].length;
}

async function table(
  context: UtilityContext,
  rows: string[][],
  between: string,
  right: string | undefined,
  names: string[] | undefined,
): Promise<void> {
  const widths: number[] = [];
  for (const row of rows) {
    const rest = context.rest();
    if (rest) await rest;
    row.forEach((cell, i) => widths[i] = Math.max(widths[i] ?? 0, size(cell)));
  }
  const toRight = new Set(
    (right ?? "").split(",").filter((each) => each !== "").map((each) => {
      const byName = names?.indexOf(each) ?? -1;
      return byName >= 0 ? byName : each === "-1" ? widths.length - 1 : Number(each) - 1;
    }),
  );
  const last = widths.length - 1;
  for (const row of rows) {
    const text = widths.map((width, i) => {
      const cell = row[i] ?? "";
      const missing = " ".repeat(Math.max(0, width - size(cell)));
      if (toRight.has(i)) return missing + cell + (i < last ? between : "");
      // Nothing is filled up behind the last column.
      return i === last ? cell : cell + missing + between;
    }).join("");
    context.poll();
    const done = context.stdout.print(text + "\n");
    if (done) await done;
  }
}

async function grid(context: UtilityContext, items: string[], width: number, across: boolean): Promise<void> {
  if (items.length === 0) return;
  const longest = items.reduce((most, item) => Math.max(most, size(item)), 0);
  // Columns are as wide as the longest item, up to the next tab stop.
  const cell = longest + 8 - longest % 8;
  const count = Math.max(1, Math.floor(width / cell));
  if (longest >= width) return await context.stdout.print(items.join("\n") + "\n");
  const rows = Math.ceil(items.length / count);
  for (let row = 0; row < rows; row++) {
    let line = "";
    let at = 0;
    for (let column = 0; column < count; column++) {
      const i = across ? row * count + column : column * rows + row;
      if (i >= items.length) break;
      while (at < column * cell) {
        line += "\t";
        at += 8 - at % 8;
      }
      line += items[i];
      at += size(items[i]);
    }
    context.poll();
    const done = context.stdout.print(line + "\n");
    if (done) await done;
  }
}
