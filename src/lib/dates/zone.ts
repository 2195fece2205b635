/**
 * Time zones: from the variable TZ (names of the tz database, `UTC0`,
 * `EST5EDT` without rules of its own), else the machine's. Offsets come from
 * Intl; nothing is read from disk.
 */

/** What clocks of a zone show at a moment. */
export interface DateParts {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  /** 1 to 366. */
  readonly yearday: number;
}

/** Times are milliseconds since 1970-01-01T00:00:00Z. */
export interface Zone {
  /** Minutes east of UTC at a time. */
  offset(ms: number): number;
  abbreviation(ms: number): string;
  parts(ms: number): DateParts;
  /** The time at which clocks here show this. Parts may be out of range. */
  time(year: number, month: number, day: number, hour: number, minute: number, second: number): number;
}

/** The zone of programs with this environment. */
export function zoneOf(env: ReadonlyMap<string, string>): Zone {
  return namedZone(env.get("TZ"));
}

/** The same object for every name of it. */
export const UTC: Zone = makeZone(() => 0, () => "UTC");

const zones = new Map<string, Zone>();

/** A zone by the value of TZ; undefined is the machine's own. An unknown name is UTC, as in C. */
export function namedZone(name: string | undefined): Zone {
  const key = name ?? "\0local";
  let zone = zones.get(key);
  if (!zone) zones.set(key, zone = build(name));
  return zone;
}

function build(name: string | undefined): Zone {
  if (name === "" || name === "UTC" || name === "GMT" || name === "UTC0") return UTC;
  if (name !== undefined) {
    const posix = /^:?<?([A-Za-z]{3,}|[-+\d]+)>?([-+]?\d{1,2})(?::(\d\d))?(?::\d\d)?([A-Za-z]{3,})?/.exec(
      name,
    );
    if (posix) {
      const known = intlZone(name.replace(/^:/, ""));
      if (known) return known;
      const hours = Number(posix[2]);
      const minutes = -(hours * 60 + Math.sign(hours || 1) * Number(posix[3] ?? 0));
      return makeZone(() => minutes, () => posix[1]);
    }
  }
  // As in C the letters of an unknown name are shown all the same.
  return intlZone(name?.replace(/^:/, "")) ??
    makeZone(() => 0, () => name?.replace(/^:/, "").replace(/[^A-Za-z].*$/, "") || "UTC");
}

function intlZone(name: string | undefined): Zone | undefined {
  let format: Intl.DateTimeFormat;
  let short: Intl.DateTimeFormat;
  try {
    const timeZone = name === undefined ? {} : { timeZone: name };
    format = new Intl.DateTimeFormat("en-US", { ...timeZone, timeZoneName: "longOffset" });
    short = new Intl.DateTimeFormat("en-US", { ...timeZone, timeZoneName: "short" });
    if (name === undefined && /^(UTC|Etc\/UTC)$/.test(format.resolvedOptions().timeZone)) return UTC;
  } catch {
    return undefined;
  }
  const part = (formatter: Intl.DateTimeFormat, ms: number) =>
    formatter.formatToParts(ms).find((each) => each.type === "timeZoneName")?.value ?? "";
  const offset = (ms: number): number => {
    const match = /GMT([-+])(\d\d):(\d\d)/.exec(part(format, ms));
    return match ? (match[1] === "-" ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3])) : 0;
  };
  // Intl knows letters only for some zones; for the usual others, C's names.
  const resolved = format.resolvedOptions().timeZone;
  const abbreviation = (ms: number): string => {
    const text = part(short, ms);
    if (!/^GMT[-+]/.test(text)) return text;
    const minutes = offset(ms);
    const summer = minutes > Math.min(offset(Date.UTC(2024, 0, 1)), offset(Date.UTC(2024, 6, 1)));
    const known = abbreviationOf(resolved, minutes, summer);
    if (known) return known;
    const size = Math.abs(minutes);
    const digits = String(Math.floor(size / 60)).padStart(2, "0") +
      (size % 60 ? String(size % 60).padStart(2, "0") : "");
    return (minutes < 0 ? "-" : "+") + digits;
  };
  return makeZone(offset, abbreviation);
}

function abbreviationOf(zone: string, minutes: number, summer: boolean): string | undefined {
  if (zone === "Asia/Tokyo") return "JST";
  if (zone === "Asia/Seoul") return "KST";
  if (zone === "Asia/Shanghai" || zone === "Asia/Taipei") return "CST";
  if (zone === "Asia/Hong_Kong") return "HKT";
  if (zone === "Asia/Calcutta" || zone === "Asia/Kolkata") return "IST";
  if (zone === "Europe/London") return summer ? "BST" : "GMT";
  if (zone === "Europe/Dublin") return summer ? "IST" : "GMT";
  if (zone === "Europe/Moscow") return "MSK";
  if (zone.startsWith("Europe/") && zone !== "Europe/Istanbul") {
    const west = summer ? minutes - 60 : minutes;
    const letter = { 0: "WE", 60: "CE", 120: "EE" }[west];
    return letter && letter + (summer ? "ST" : "T");
  }
  if (zone.startsWith("Australia/")) {
    const base = summer ? minutes - 60 : minutes;
    const letter = { 600: "AE", 570: "AC", 480: "AW" }[base];
    return letter && letter + (summer ? "DT" : "ST");
  }
  return undefined;
}

function makeZone(offset: (ms: number) => number, abbreviation: (ms: number) => string): Zone {
  return {
    offset,
    abbreviation,
    parts(ms) {
      const date = new Date(ms + offset(ms) * 60_000);
      const year = date.getUTCFullYear();
      return {
        year,
        month: date.getUTCMonth() + 1,
        day: date.getUTCDate(),
        hour: date.getUTCHours(),
        minute: date.getUTCMinutes(),
        second: date.getUTCSeconds(),
        weekday: date.getUTCDay(),
        yearday: Math.floor((date.getTime() - utc(year, 1, 1, 0, 0, 0)) / 86_400_000) + 1,
      };
    },
    time(year, month, day, hour, minute, second) {
      const wall = utc(year, month, day, hour, minute, second);
      const guess = wall - offset(wall) * 60_000;
      return wall - offset(guess) * 60_000;
    },
  };
}

function utc(year: number, month: number, day: number, hour: number, minute: number, second: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, 0, 0);
  return date.getTime() + second * 1000;
}
