/**
 * Dates as people write them for `date -d` and `touch -d`: absolute forms, and
 * relative words, which add up.
 */
import { namedZone, UTC, type Zone } from "../../../lib/dates/zone.ts";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const ZONES: Readonly<Record<string, number>> = {
  utc: 0,
  gmt: 0,
  z: 0,
  ut: 0,
  est: -300,
  edt: -240,
  cst: -360,
  cdt: -300,
  mst: -420,
  mdt: -360,
  pst: -480,
  pdt: -420,
  cet: 60,
  cest: 120,
  bst: 60,
  jst: 540,
};
const ORDINALS: Readonly<Record<string, number>> = {
  last: -1,
  this: 0,
  next: 1,
  first: 1,
  third: 3,
  fourth: 4,
  fifth: 5,
  sixth: 6,
  seventh: 7,
  eighth: 8,
  ninth: 9,
  tenth: 10,
  eleventh: 11,
  twelfth: 12,
};

interface State {
  date?: [number, number, number];
  clock?: [number, number, number];
  /** Minutes east of UTC. */
  offset?: number;
  weekday?: { day: number; ordinal: number };
  years: number;
  months: number;
  days: number;
  seconds: number;
  relative: boolean;
  epoch?: number;
}

/** Milliseconds since 1970, or undefined where the text is no date. */
export function parseDate(text: string, now: number, zone: Zone): number | undefined {
  const named = /^\s*TZ="([^"]*)"\s*/.exec(text);
  if (named) return parseDate(text.slice(named[0].length), now, namedZone(named[1]));
  const state: State = { years: 0, months: 0, days: 0, seconds: 0, relative: false };
  let rest = text.trim().toLowerCase().replace(/\([^)]*\)/g, " ");
  while (rest !== "") {
    const used = step(rest, state, now, zone);
    if (used === 0) return undefined;
    rest = rest.slice(used).replace(/^[\s,]+/, "");
  }
  if (state.epoch !== undefined) return state.epoch + state.seconds * 1000;
  return settle(state, now, zone);
}

function settle(state: State, now: number, zone: Zone): number {
  const here = state.offset === undefined ? zone : UTC;
  const shift = (state.offset ?? 0) * 60_000;
  const today = here.parts(now + shift);
  const [year, month, day] = state.date ?? [today.year, today.month, today.day];
  // A date without a clock means midnight; only relative words keep the time of day.
  const [hour, minute, second] = state.clock ??
    (state.date || state.weekday ? [0, 0, 0] : [today.hour, today.minute, today.second]);
  let days = state.days;
  if (state.weekday && !state.date) {
    const current = here.parts(here.time(year, month, day, 12, 0, 0)).weekday;
    const distance = (state.weekday.day - current + 7) % 7;
    const { ordinal } = state.weekday;
    days += distance + 7 * (ordinal - (ordinal > 0 && distance !== 0 ? 1 : 0));
  }
  const fraction = state.date || state.clock || state.weekday ? 0 : now - Math.floor(now / 1000) * 1000;
  const base = here.time(year + state.years, month + state.months, day + days, hour, minute, second);
  return base - shift + state.seconds * 1000 + fraction;
}

/** Takes one item from the front; returns its length, 0 where nothing fits. */
function step(rest: string, state: State, now: number, zone: Zone): number {
  let m: RegExpExecArray | null;
  if ((m = /^@(-?\d+(?:\.\d+)?)/.exec(rest))) {
    state.epoch = Number(m[1]) * 1000;
    return m[0].length;
  }
  if ((m = /^(\d{4,})-(\d\d?)-(\d\d?)(?:t(?=\d))?/.exec(rest))) {
    return setDate(state, Number(m[1]), Number(m[2]), Number(m[3]), m[0]);
  }
  if ((m = /^(\d\d?)\/(\d\d?)(?:\/(\d{2,4}))?(?![\d\/])/.exec(rest))) {
    return setDate(
      state,
      m[3] === undefined ? zone.parts(now).year : fullYear(m[3]),
      Number(m[1]),
      Number(m[2]),
      m[0],
    );
  }
  if ((m = /^(\d{4})\/(\d\d?)\/(\d\d?)/.exec(rest))) {
    return setDate(state, Number(m[1]), Number(m[2]), Number(m[3]), m[0]);
  }
  if (
    (m =
      /^(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s*([ap]\.?m\b\.?)?\s*(?:([-+])(\d\d):?(\d\d)?(?!\d)|(z\b|utc\b|gmt\b))?/
        .exec(rest))
  ) {
    let hour = Number(m[1]);
    if (m[5]) hour = hour % 12 + (m[5][0] === "p" ? 12 : 0);
    if (hour > 24 || Number(m[2]) > 59 || Number(m[3] ?? 0) > 60) return 0;
    state.clock = [hour, Number(m[2]), Number(m[3] ?? 0) + (m[4] ? Number("0." + m[4]) : 0)];
    if (m[6]) state.offset = (m[6] === "-" ? -1 : 1) * (Number(m[7]) * 60 + Number(m[8] ?? 0));
    if (m[9]) state.offset = 0;
    return m[0].length;
  }
  if ((m = /^(\d\d?)\s*([ap])\.?m\b\.?/.exec(rest))) {
    state.clock = [Number(m[1]) % 12 + (m[2] === "p" ? 12 : 0), 0, 0];
    return m[0].length;
  }
  if (
    (m =
      /^(\d\d?)(?:st|nd|rd|th)?[\s-]*(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?:[\s,-]*(\d{4})(?![:\d]))?/
        .exec(rest))
  ) {
    return setDate(
      state,
      m[3] === undefined ? zone.parts(now).year : Number(m[3]),
      MONTHS.indexOf(m[2]) + 1,
      Number(m[1]),
      m[0],
    );
  }
  if (
    (m =
      /^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?[\s-]*(\d\d?)(?:st|nd|rd|th)?(?![\d:])(?:[\s,-]+(\d{4})(?![:\d]))?/
        .exec(rest))
  ) {
    return setDate(
      state,
      m[3] === undefined ? zone.parts(now).year : Number(m[3]),
      MONTHS.indexOf(m[1]) + 1,
      Number(m[2]),
      m[0],
    );
  }
  if ((m = /^(sun|mon|tue|wed|thu|fri|sat)(?:[a-z]*)\.?/.exec(rest))) {
    state.weekday = { day: DAYS.indexOf(m[1]), ordinal: state.weekday?.ordinal ?? 0 };
    return m[0].length;
  }
  if (
    (m =
      /^(last|this|next|first|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth)\s+(sun|mon|tue|wed|thu|fri|sat)[a-z]*/
        .exec(rest))
  ) {
    state.weekday = { day: DAYS.indexOf(m[2]), ordinal: ORDINALS[m[1]] };
    return m[0].length;
  }
  const unit = "(sec|second|min|minute|hour|day|week|fortnight|month|year)s?\\b(\\s+ago\\b)?";
  if ((m = new RegExp(`^([-+]?)\\s*(\\d+(?:\\.\\d+)?)\\s*${unit}`).exec(rest))) {
    return addUnits(state, Number(m[1] + m[2]), m[3], m[4], m[0]);
  }
  if (
    (m = new RegExp(
      `^(last|this|next|first|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|a|an)\\s+${unit}`,
    ).exec(rest))
  ) {
    return addUnits(state, ORDINALS[m[1]] ?? 1, m[2], m[3], m[0]);
  }
  if ((m = new RegExp(`^${unit}`).exec(rest))) return addUnits(state, 1, m[1], m[2], m[0]);
  if ((m = /^(now|today|yesterday|tomorrow|midnight|noon)\b/.exec(rest))) {
    if (m[1] === "yesterday") state.days--;
    if (m[1] === "tomorrow") state.days++;
    if (m[1] === "midnight") state.clock = [0, 0, 0];
    if (m[1] === "noon") state.clock = [12, 0, 0];
    state.relative = true;
    return m[0].length;
  }
  if ((m = /^([a-z]+)\b/.exec(rest)) && Object.hasOwn(ZONES, m[1])) {
    state.offset = ZONES[m[1]];
    return m[0].length;
  }
  if (state.clock && (m = /^([-+])(\d\d):?(\d\d)?(?!\d)/.exec(rest))) {
    state.offset = (m[1] === "-" ? -1 : 1) * (Number(m[2]) * 60 + Number(m[3] ?? 0));
    return m[0].length;
  }
  if ((m = /^(\d{4})(\d\d)(\d\d)(?!\d)(?:t(?=\d))?/.exec(rest)) && !state.date) {
    return setDate(state, Number(m[1]), Number(m[2]), Number(m[3]), m[0]);
  }
  if ((m = /^(\d{4})(?!\d)/.exec(rest)) && state.date && state.clock) {
    // "Mon Jan  1 10:00:00 2024": the year comes last.
    state.date[0] = Number(m[1]);
    return m[0].length;
  }
  if ((m = /^(\d{1,2})(\d\d)?(?!\d)/.exec(rest)) && !state.clock) {
    if (Number(m[1]) > 23) return 0;
    state.clock = [Number(m[1]), Number(m[2] ?? 0), 0];
    return m[0].length;
  }
  return 0;
}

function fullYear(text: string): number {
  const year = Number(text);
  return text.length > 2 ? year : year + (year < 69 ? 2000 : 1900);
}

function setDate(state: State, year: number, month: number, day: number, matched: string): number {
  if (month < 1 || month > 12 || day < 1 || day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return 0;
  state.date = [year, month, day];
  return matched.length;
}

function addUnits(
  state: State,
  count: number,
  unit: string,
  ago: string | undefined,
  matched: string,
): number {
  const n = ago ? -count : count;
  if (unit.startsWith("sec")) state.seconds += n;
  else if (unit.startsWith("min")) state.seconds += n * 60;
  else if (unit === "hour") state.seconds += n * 3600;
  else if (unit === "day") state.days += n;
  else if (unit === "week") state.days += n * 7;
  else if (unit === "fortnight") state.days += n * 14;
  else if (unit === "month") state.months += n;
  else state.years += n;
  state.relative = true;
  return matched.length;
}
