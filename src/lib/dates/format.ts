/** Dates as text: the conversions of strftime with GNU's flags and widths, in the C locale. */
import type { DateParts, Zone } from "./zone.ts";

/** By the number of `DateParts.weekday`. */
export const DAY_NAMES = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
/** January stands at 0. */
export const MONTH_NAMES = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** Formats `ms` (with fractions down to nanoseconds as `nanos`) by a strftime format. */
export function formatDate(
  format: string,
  ms: number,
  zone: Zone,
  nanos = Math.round((ms - Math.floor(ms / 1000) * 1000) * 1e6),
): string {
  // No calendar goes that far.
  if (!(Math.abs(ms) <= 8.64e15)) return "?";
  const whole = Math.floor(ms / 1000) * 1000;
  const parts = zone.parts(whole);
  return format.replace(
    /%([-_0^#+]*)(\d*)(:{0,3})([EO]?)([a-zA-Z%+])/g,
    (all, flags: string, width: string, colons: string, _modifier: string, letter: string) => {
      if (letter === "z") return zoneOffset(zone.offset(whole), colons, flags, Number(width || 0));
      const value = convert(letter, parts, whole, zone, nanos, Number(width || 0));
      if (value === undefined) return all;
      return finish(value, flags, letter === "N" ? 0 : Number(width || 0));
    },
  );
}

interface Value {
  readonly text: string;
  /** Digits that are filled up to this width. */
  readonly width?: number;
  readonly fill?: string;
}

function number(value: number, width: number, fill = "0"): Value {
  return { text: String(value), width, fill };
}

function convert(
  letter: string,
  p: DateParts,
  ms: number,
  zone: Zone,
  nanos: number,
  width: number,
): Value | undefined {
  const again = (format: string): Value => ({ text: formatDate(format, ms, zone, nanos) });
  const hour12 = p.hour % 12 === 0 ? 12 : p.hour % 12;
  switch (letter) {
    case "%":
      return { text: "%" };
    case "n":
      return { text: "\n" };
    case "t":
      return { text: "\t" };
    case "Y":
      return { text: String(p.year) };
    case "C":
      return number(Math.floor(p.year / 100), 2);
    case "y":
      return number(((p.year % 100) + 100) % 100, 2);
    case "m":
      return number(p.month, 2);
    case "d":
      return number(p.day, 2);
    case "e":
      return number(p.day, 2, " ");
    case "j":
      return number(p.yearday, 3);
    case "H":
      return number(p.hour, 2);
    case "k":
      return number(p.hour, 2, " ");
    case "I":
      return number(hour12, 2);
    case "l":
      return number(hour12, 2, " ");
    case "M":
      return number(p.minute, 2);
    case "S":
      return number(p.second, 2);
    case "N":
      return { text: String(nanos).padStart(9, "0").slice(0, width || 9) };
    case "s":
      return { text: String(Math.floor(ms / 1000)) };
    case "p":
      return { text: p.hour < 12 ? "AM" : "PM" };
    case "P":
      return { text: p.hour < 12 ? "am" : "pm" };
    case "a":
      return { text: DAY_NAMES[p.weekday].slice(0, 3) };
    case "A":
      return { text: DAY_NAMES[p.weekday] };
    case "b":
    case "h":
      return { text: MONTH_NAMES[p.month - 1].slice(0, 3) };
    case "B":
      return { text: MONTH_NAMES[p.month - 1] };
    case "u":
      return number(p.weekday === 0 ? 7 : p.weekday, 1);
    case "w":
      return number(p.weekday, 1);
    case "q":
      return number(Math.ceil(p.month / 3), 1);
    case "U":
      return number(Math.floor((p.yearday + 6 - p.weekday) / 7), 2);
    case "W":
      return number(Math.floor((p.yearday + 6 - (p.weekday + 6) % 7) / 7), 2);
    case "V":
      return number(isoWeek(p).week, 2);
    case "G":
      return { text: String(isoWeek(p).year) };
    case "g":
      return number(isoWeek(p).year % 100, 2);
    case "Z":
      return { text: zone.abbreviation(ms) };
    case "F":
      return again("%Y-%m-%d");
    case "T":
    case "X":
      return again("%H:%M:%S");
    case "R":
      return again("%H:%M");
    case "r":
      return again("%I:%M:%S %p");
    case "D":
    case "x":
      return again("%m/%d/%y");
    case "c":
      return again("%a %b %e %H:%M:%S %Y");
    case "+":
      return again("%a %b %e %H:%M:%S %Z %Y");
    default:
      return undefined;
  }
}

function finish(value: Value, flags: string, width: number): string {
  let { text } = value;
  const fill = flags.includes("-")
    ? ""
    : flags.includes("_")
    ? " "
    : flags.includes("0")
    ? "0"
    : value.fill ?? (/^\d+$/.test(text) ? "0" : " ");
  const size = Math.max(width, flags.includes("-") ? 0 : value.width ?? 0);
  if (fill !== "" && text.length < size) text = text.padStart(size, fill);
  if (flags.includes("^")) return text.toUpperCase();
  if (flags.includes("#")) return text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();
  return text;
}

function zoneOffset(minutes: number, colons: string, flags: string, width: number): string {
  const sign = minutes < 0 ? "-" : "+";
  const size = Math.abs(minutes);
  const two = (n: number) => String(n).padStart(2, "0");
  const hours = two(Math.floor(size / 60)), rest = two(size % 60);
  let text = colons === ""
    ? hours + rest
    : colons === ":"
    ? `${hours}:${rest}`
    : colons === "::"
    ? `${hours}:${rest}:00`
    : rest === "00"
    ? hours
    : `${hours}:${rest}`;
  if (flags.includes("-")) text = text.replace(/^0/, "");
  return sign + text.padStart(width - 1, "0");
}

function isoWeek(p: DateParts): { year: number; week: number } {
  const weekday = (p.weekday + 6) % 7;
  const week = Math.floor((p.yearday - 1 - weekday + 10) / 7);
  if (week < 1) return { year: p.year - 1, week: weeksIn(p.year - 1) };
  if (week > weeksIn(p.year)) return { year: p.year + 1, week: 1 };
  return { year: p.year, week };
}

function weeksIn(year: number): number {
  const last = (y: number) => (y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400)) % 7;
  return last(year) === 4 || last(year - 1) === 3 ? 53 : 52;
}
