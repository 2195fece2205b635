/** touch: makes files and sets their times. */
import type { UtilityContext } from "../builtin.ts";
import { parseDate } from "./shared/date_parse.ts";
import { zoneOf } from "../../lib/dates/zone.ts";
import { Failure, parseOptions, UsageError } from "./shared/options.ts";
import { cite, complain, hasCode, quote, reason } from "./shared/report.ts";

const TABLE = {
  options: ["a", "c|no-create", "d|date=", "f", "h|no-dereference", "m", "r|reference=", "t=", "time="],
  usage: "[OPTION]... FILE...",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  if (options.operands.length === 0) throw new UsageError("missing file operand");
  const word = options.value("time");
  const onlyAccess = options.has("a") || ["access", "atime", "use"].includes(word ?? "");
  const onlyChange = options.has("m") || ["modify", "mtime"].includes(word ?? "");
  const now = context.host.now();
  let times: [number, number] = [now, now];
  const reference = options.value("r");
  if (reference !== undefined) {
    try {
      const stat = context.fs.stat(context.path(reference));
      times = [stat.atimeMs, stat.mtimeMs];
    } catch (error) {
      throw new Failure(`failed to get attributes of ${cite(reference)}: ${reason(error)}`);
    }
  }
  const stamp = options.value("t");
  const zone = zoneOf(context.env);
  if (stamp !== undefined) {
    const match = /^(?:(\d\d)?(\d\d))?(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d\d))?$/.exec(stamp);
    if (!match) throw new UsageError(`invalid date format ${cite(stamp)}`, 1, false);
    const [, century, year, month, day, hour, minute, second = "0"] = match;
    const full = year === undefined
      ? zone.parts(now).year
      : century === undefined
      ? Number(year) + (Number(year) < 69 ? 2000 : 1900)
      : Number(century + year);
    const time = zone.time(full, Number(month), Number(day), Number(hour), Number(minute), Number(second));
    times = [time, time];
  }
  const date = options.value("d");
  if (date !== undefined) {
    const time = parseDate(date, reference === undefined ? now : times[1], zone);
    if (time === undefined) throw new Failure(`invalid date format ${cite(date)}`);
    times = [time, time];
  }
  let status = 0;
  for (const name of options.operands) {
    context.poll();
    const path = context.path(name);
    try {
      let stat;
      try {
        stat = context.fs.stat(path);
      } catch (error) {
        if (!hasCode(error, "ENOENT")) throw error;
      }
      if (!stat) {
        if (options.has("c")) continue;
        if (name.endsWith("/")) {
          await complain(context, `setting times of ${quote(name)}: No such file or directory`);
          status = 1;
          continue;
        }
        const file = await context.fs.open(path, { write: true, create: true, mode: 0o666 & ~context.umask });
        file.close();
        if (!options.has("r", "t", "d")) continue;
        stat = context.fs.stat(path);
      }
      context.fs.utime(
        path,
        onlyChange && !onlyAccess ? stat.atimeMs : times[0],
        onlyAccess && !onlyChange ? stat.mtimeMs : times[1],
      );
    } catch (error) {
      await complain(context, `cannot touch ${quote(name)}: ${reason(error)}`);
      status = 1;
    }
  }
  return status;
}
