/** join: lines of two sorted files that share a field. */
import type { UtilityContext } from "../builtin.ts";
import type { ByteSource } from "../host.ts";
import { LineReader } from "./shared/blocks.ts";
import { Failure, parseOptions, UsageError } from "./shared/options.ts";
import { cite, complain, quoteIfNeeded, reason } from "./shared/report.ts";

const TABLE = {
  options: [
    "a=",
    "e=",
    "i|ignore-case",
    "j=",
    "o=",
    "t=",
    "v=",
    "1=",
    "2=",
    "check-order",
    "nocheck-order",
    "header",
    "z|zero-terminated",
  ],
  usage: "[OPTION]... FILE1 FILE2",
};

interface Side {
  readonly reader: LineReader;
  readonly field: number;
  line: string[] | undefined;
  previous: string | undefined;
  number: number;
}

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const { operands } = options;
  if (operands.length === 0) throw new UsageError("missing operand");
  if (operands.length === 1) throw new UsageError(`missing operand after ${cite(operands[0])}`);
  if (operands.length > 2) throw new UsageError(`extra operand ${cite(operands[2])}`);
  const end = options.has("z") ? "\0" : "\n";
  const separator = options.value("t") === "\\0" ? "\0" : options.value("t");
  if (separator !== undefined && separator.length > 1) {
    throw new UsageError(`multi-character tab ${cite(separator)}`, 1, false);
  }
  const between = separator || (separator === "" ? "" : " ");
  const fold = options.has("i") ? (text: string) => text.toLowerCase() : (text: string) => text;
  const fieldOf = (key: string): number => {
    const text = options.value(key) ?? options.value("j") ?? "1";
    if (!/^\d+$/.test(text) || Number(text) === 0) {
      throw new UsageError(`invalid field number: ${cite(text)}`, 1, false);
    }
    return Number(text) - 1;
  };
  const filesOf = (key: string) =>
    options.values(key).map((text) => {
      if (text !== "1" && text !== "2") {
        throw new UsageError(`invalid field number: ${cite(text)}`, 1, false);
      }
      return Number(text) - 1;
    });
  const only = filesOf("v");
  const unpaired = new Set([...filesOf("a"), ...only]);
  const empty = options.value("e") ?? "";
  const order = options.has("o") ? readOrder(options.values("o").join(",")) : undefined;
  const split = (line: string): string[] =>
    separator === undefined
      ? (line.trim() === "" ? [""] : line.replace(/^[ \t]+/, "").split(/[ \t]+/))
      : separator === ""
      ? [line]
      : line.split(separator);
  const sources: ByteSource[] = [];
  const sides: Side[] = [];
  let status = 0;
  const warned = [false, false];
  const next = async (i: number): Promise<void> => {
    const side = sides[i];
    const pending = side.reader.next();
    const line = pending instanceof Promise ? await pending : pending;
    side.line = line === undefined ? undefined : split(line);
    if (line === undefined) return;
    side.number++;
    const key = fold(side.line![side.field] ?? "");
    if (side.previous !== undefined && key < side.previous && !options.has("nocheck-order") && !warned[i]) {
      warned[i] = true;
      status = 1;
      await complain(context, `${quoteIfNeeded(operands[i])}:${side.number}: is not sorted: ${line}`);
      if (options.has("check-order")) throw new Failure("input is not in sorted order");
    }
    side.previous = key;
  };
  const autoCount = [0, 0];
  const show = async (a: string[] | undefined, b: string[] | undefined): Promise<void> => {
    const rows = [a, b];
    const key = (a?.[sides[0].field] ?? b?.[sides[1].field]) ?? "";
    let cells: string[];
    if (order === "auto") {
      cells = [
        key,
        ...rows.flatMap((row, i) =>
          Array.from({ length: autoCount[i] }, (_, k) => k).filter((k) => k !== sides[i].field).map((k) =>
            row?.[k] || empty
          )
        ),
      ];
    } else if (order) {
      cells = order.map(([file, field]) => (file === 0 ? key : rows[file - 1]?.[field - 1]) || empty);
    } else {cells = [key, ...rows.flatMap((row, i) => row?.filter((_, k) => k !== sides[i].field) ?? [])].map(
        (cell) => cell || empty,
      );}
    const done = context.stdout.print(cells.join(between) + end);
    if (done) await done;
  };
  try {
    for (const name of operands) {
      try {
        const source = name === "-" ? context.stdin : await context.open(name);
        sources.push(source);
        sides.push({
          reader: new LineReader(source, end),
          field: fieldOf(String(sides.length + 1)),
          line: undefined,
          previous: undefined,
          number: 0,
        });
      } catch (error) {
        throw new Failure(`${quoteIfNeeded(name)}: ${reason(error)}`);
      }
    }
    await next(0);
    await next(1);
    autoCount[0] = sides[0].line?.length ?? 0;
    autoCount[1] = sides[1].line?.length ?? 0;
    if (options.has("header") && (sides[0].line || sides[1].line)) {
      await show(sides[0].line, sides[1].line);
      for (const side of sides) side.previous = undefined;
      await next(0);
      await next(1);
    }
    while (sides[0].line && sides[1].line) {
      context.poll();
      const x = fold(sides[0].line[sides[0].field] ?? ""), y = fold(sides[1].line[sides[1].field] ?? "");
      if (x < y || x > y) {
        const i = x < y ? 0 : 1;
        if (unpaired.has(i)) {
          await show(i === 0 ? sides[0].line : undefined, i === 1 ? sides[1].line : undefined);
        }
        await next(i);
        continue;
      }
      const group: [string[][], string[][]] = [[], []];
      for (const i of [0, 1]) {
        while (sides[i].line && fold(sides[i].line![sides[i].field] ?? "") === x) {
          group[i].push(sides[i].line!);
          await next(i);
        }
      }
      if (only.length === 0) { for (const a of group[0]) for (const b of group[1]) await show(a, b); }
    }
    for (const i of [0, 1]) {
      while (sides[i].line) {
        context.poll();
        if (unpaired.has(i)) {
          await show(i === 0 ? sides[0].line : undefined, i === 1 ? sides[1].line : undefined);
        }
        await next(i);
      }
    }
  } finally {
    for (const source of sources) if (source !== context.stdin) source.close();
  }
  if (status !== 0) await complain(context, "input is not in sorted order");
  return status;
}

function readOrder(text: string): "auto" | [file: number, field: number][] {
  if (text === "auto") return "auto";
  return text.split(/[,\s]+/).map((part) => {
    if (part === "0") return [0, 0];
    const match = /^([12])\.(\d+)$/.exec(part);
    if (!match || Number(match[2]) === 0) {
      throw new UsageError(`invalid field specifier: ${cite(part)}`, 1, false);
    }
    return [Number(match[1]), Number(match[2])];
  });
}
