/** nl: numbers lines, by sections. */
import type { UtilityContext } from "../builtin.ts";
import { posixBasic } from "../../lib/regex.ts";
import { eachLine } from "./shared/each_line.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { cite } from "./shared/report.ts";

const TABLE = {
  options: [
    "b|body-numbering=",
    "d|section-delimiter=",
    "f|footer-numbering=",
    "h|header-numbering=",
    "i|line-increment=",
    "l|join-blank-lines=",
    "n|number-format=",
    "p|no-renumber",
    "s|number-separator=",
    "v|starting-line-number=",
    "w|number-width=",
  ],
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const integer = (key: string, fallback: number, what: string): number => {
    const text = options.value(key);
    if (text === undefined) return fallback;
    if (!/^[-+]?\d+$/.test(text)) throw new UsageError(`invalid ${what}: ${cite(text)}`, 1, false);
    return Number(text);
  };
  const step = integer("i", 1, "line number increment");
  const start = integer("v", 1, "starting line number");
  const width = integer("w", 6, "line number field width");
  const join = integer("l", 1, "line number of blank lines");
  const separator = options.value("s") ?? "\t";
  const format = options.value("n") ?? "rn";
  if (!["ln", "rn", "rz"].includes(format)) {
    throw new UsageError(`invalid line numbering format: ${cite(format)}`);
  }
  const styles = {
    header: style(options.value("h") ?? "n"),
    body: style(options.value("b") ?? "t"),
    footer: style(options.value("f") ?? "n"),
  };
  const mark = options.value("d") ?? "\\:";
  const delimiter = mark.length === 1 ? mark + ":" : mark;
  let section: keyof typeof styles = "body";
  let number = start;
  let blanks = 0;
  return await eachLine(context, options.operands, (line) => {
    const found = delimiter === ""
      ? undefined
      : ({ [delimiter.repeat(3)]: "header", [delimiter.repeat(2)]: "body", [delimiter]: "footer" } as Record<
        string,
        keyof typeof styles
      >)[line];
    if (found) {
      section = found;
      if (!options.has("p")) number = start;
      return "";
    }
    let counts = styles[section](line);
    if (counts && line === "" && join > 1) {
      counts = ++blanks === join;
      if (counts) blanks = 0;
    } else if (line !== "") blanks = 0;
    if (!counts) return " ".repeat(width + separator.length) + line;
    const text = String(number);
    number += step;
    const shown = format === "ln"
      ? text.padEnd(width)
      : format === "rz"
      ? (text.startsWith("-") ? "-" + text.slice(1).padStart(width - 1, "0") : text.padStart(width, "0"))
      : text.padStart(width);
    return shown + separator + line;
  });
}

function style(text: string): (line: string) => boolean {
  if (text === "a") return () => true;
  if (text === "t") return (line) => line !== "";
  if (text === "n") return () => false;
  if (text.startsWith("p")) {
    const regex = posixBasic(text.slice(1));
    return (line) => regex.test(line);
  }
  throw new UsageError(`invalid body numbering style: ${cite(text)}`);
}
