/** date: shows a time in a form of choice. Setting the clock is refused. */
import type { UtilityContext } from "../builtin.ts";
import { decodeBytes } from "../../lib/text/bytes.ts";
import { readAll } from "./shared/blocks.ts";
import { formatDate } from "../../lib/dates/format.ts";
import { parseDate } from "./shared/date_parse.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { cite, complain } from "./shared/report.ts";
import { UTC, zoneOf } from "../../lib/dates/zone.ts";

const TABLE = {
  options: [
    "d|date=",
    "f|file=",
    "I|iso-8601=?",
    "r|reference=",
    "R|rfc-email|rfc-2822",
    "rfc-3339=",
    "u|utc|universal",
  ],
  unsupported: ["s|set=", "debug"],
  usage: "[OPTION]... [+FORMAT]",
};

const ISO: Readonly<Record<string, string>> = {
  date: "%Y-%m-%d",
  hours: "%Y-%m-%dT%H%:z",
  minutes: "%Y-%m-%dT%H:%M%:z",
  seconds: "%Y-%m-%dT%H:%M:%S%:z",
  ns: "%Y-%m-%dT%H:%M:%S,%N%:z",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const zone = options.has("u") ? UTC : zoneOf(context.env);
  let format: string | undefined;
  for (const operand of options.operands) {
    if (!operand.startsWith("+")) {
      if (options.has("d", "f", "r") || !/^\d{8,}/.test(operand)) {
        throw new UsageError(
          options.has("d", "f", "r")
            ? `the argument ${
              cite(operand)
            } lacks a leading '+';\nwhen using an option to specify date(s), any non-option\nargument must be a format string beginning with '+'`
            : `invalid date ${cite(operand)}`,
          1,
          options.has("d", "f", "r"),
        );
      }
      throw new UsageError("cannot set date: Operation not permitted", 1, false);
    }
    if (format !== undefined) throw new UsageError("multiple output formats specified", 1, false);
    format = operand.slice(1);
  }
  if (options.has("I")) format = isoFormat(options.value("I")!);
  if (options.has("R")) format = "%a, %d %b %Y %H:%M:%S %z";
  const rfc = options.value("rfc-3339");
  if (rfc !== undefined) {
    format = isoFormat(rfc).replace("T", " ").replace(",", ".");
  }
  format ??= context.env.get("LC_TIME")?.startsWith("en_US")
    ? "%a %b %e %r %Z %Y"
    : "%a %b %e %H:%M:%S %Z %Y";
  const now = context.host.now();
  const reference = options.value("r");
  let status = 0;
  const show = async (ms: number) => {
    await context.stdout.print(formatDate(format, ms, zone) + "\n");
  };
  const showText = async (text: string) => {
    const ms = text.trim() === "" ? parseDate("00:00", now, zone) : parseDate(text, now, zone);
    if (ms === undefined || !(Math.abs(ms) <= 8.64e15)) {
      await complain(context, `invalid date ${cite(text)}`);
      status = 1;
    } else await show(ms);
  };
  if (reference !== undefined) {
    const stat = context.fs.stat(context.path(reference));
    await show(stat.mtimeMs);
  } else if (options.has("f")) {
    const source = await context.open(options.value("f")!);
    const text = decodeBytes(await readAll(source, () => context.poll(), 16 * 1024 * 1024));
    for (const line of text.replace(/\n$/, "").split("\n")) await showText(line);
  } else if (options.has("d")) await showText(options.value("d")!);
  else await show(now);
  return status;
}

function isoFormat(word: string): string {
  const wanted = word === "" ? "date" : word;
  const found = Object.keys(ISO).filter((name) => name.startsWith(wanted));
  if (found.length !== 1) throw new UsageError(`invalid argument ${cite(word)} for '--iso-8601'`);
  return ISO[found[0]];
}
