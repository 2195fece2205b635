/** Reads a date by a strptime format into jq's broken-down time. */
import { DAY_NAMES, MONTH_NAMES } from "../../../lib/dates/format.ts";
import { UTC } from "../../../lib/dates/zone.ts";

export function strptime(text: string, format: string): number[] | undefined {
  let at = 0;
  let year = 1900, month = 1, day = 1, hour = 0, minute = 0, second = 0;
  let afternoon: boolean | undefined;
  let epoch: number | undefined;
  const digits = (most: number): number | undefined => {
    const match = new RegExp(`^[ ]*(\\d{1,${most}})`).exec(text.slice(at));
    if (!match) return undefined;
    at += match[0].length;
    return Number(match[1]);
  };
  const name = (names: readonly string[]): number => {
    const rest = text.slice(at).toLowerCase();
    const found = names.findIndex((each) => rest.startsWith(each.toLowerCase()));
    if (found >= 0) {
      at += names[found].length;
      return found;
    }
    const short = names.findIndex((each) => rest.startsWith(each.slice(0, 3).toLowerCase()));
    if (short >= 0) at += 3;
    return short;
  };
  const whole = format.replaceAll("%T", "%H:%M:%S").replaceAll("%R", "%H:%M").replaceAll("%F", "%Y-%m-%d")
    .replaceAll("%D", "%m/%d/%y");
  for (let i = 0; i < whole.length; i++) {
    const c = whole[i];
    if (/\s/.test(c)) {
      while (/\s/.test(text[at] ?? "")) at++;
      continue;
    }
    if (c !== "%") {
      if (text[at++] !== c) return undefined;
      continue;
    }
    const letter = whole[++i];
    let value: number | undefined = 0;
    switch (letter) {
      case "Y":
        value = digits(4);
        year = value ?? 0;
        break;
      case "y":
        value = digits(2);
        year = (value ?? 0) + ((value ?? 0) < 69 ? 2000 : 1900);
        break;
      case "m":
        value = digits(2);
        month = value ?? 0;
        break;
      case "d":
      case "e":
        value = digits(2);
        day = value ?? 0;
        break;
      case "H":
      case "k":
      case "I":
        value = digits(2);
        hour = value ?? 0;
        break;
      case "M":
        value = digits(2);
        minute = value ?? 0;
        break;
      case "S":
        value = digits(2);
        second = value ?? 0;
        break;
      case "j":
        value = digits(3);
        month = 1;
        day = value ?? 0;
        break;
      case "s":
        value = digits(12);
        epoch = value;
        break;
      case "b":
      case "B":
      case "h":
        month = name(MONTH_NAMES) + 1;
        if (month === 0) return undefined;
        break;
      case "a":
      case "A":
        if (name(DAY_NAMES) < 0) return undefined;
        break;
      case "p": {
        const half = /^[ap]m/i.exec(text.slice(at));
        if (!half) return undefined;
        afternoon = half[0][0].toLowerCase() === "p";
        at += 2;
        break;
      }
      case "Z": {
        const zone = /^[A-Za-z]+/.exec(text.slice(at));
        if (!zone) return undefined;
        at += zone[0].length;
        break;
      }
      case "z": {
        // Read, but not applied: as in C.
        const offset = /^(?:Z|[-+]\d\d:?\d\d)/.exec(text.slice(at));
        if (!offset) return undefined;
        at += offset[0].length;
        break;
      }
      case "%":
        if (text[at++] !== "%") return undefined;
        break;
      default:
        return undefined;
    }
    if (value === undefined) return undefined;
  }
  if (at < text.length) return undefined;
  if (afternoon !== undefined) hour = hour % 12 + (afternoon ? 12 : 0);
  const parts = UTC.parts(
    epoch !== undefined ? epoch * 1000 : UTC.time(year, month, day, hour, minute, second),
  );
  return [
    parts.year,
    parts.month - 1,
    parts.day,
    parts.hour,
    parts.minute,
    parts.second,
    parts.weekday,
    parts.yearday - 1,
  ];
}
