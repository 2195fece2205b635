/** `%(format)T`: dates in a time zone, by strftime's conversions. */

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
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

interface Parts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly weekday: number;
  readonly yearDay: number;
  readonly offset: number;
  readonly zone: string;
}

function parts(seconds: number, zone: string | undefined): Parts {
  const ms = seconds * 1000;
  let offset: number;
  let name: string;
  if (zone === "UTC" || zone === "UTC0" || zone === "GMT" || zone === "") {
    offset = 0;
    name = zone === "GMT" ? "GMT" : "UTC";
  } else {
    try {
      const format = new Intl.DateTimeFormat("en-US", {
        timeZone: zone?.replace(/^:/, ""),
        hourCycle: "h23",
        year: "numeric",
        month: "numeric",
        day: "numeric",
        hour: "numeric",
        minute: "numeric",
        second: "numeric",
        timeZoneName: "short",
      });
      const p = Object.fromEntries(format.formatToParts(ms).map((x) => [x.type, x.value]));
      offset = (Date.UTC(+p.year, +p.month - 1, +p.day, +p.hour, +p.minute, +p.second) -
        Math.floor(ms / 1000) * 1000) / 60000;
      name = p.timeZoneName;
    } catch {
      // A zone that is not known is universal time under its own name, as in C.
      offset = 0;
      name = zone?.replace(/[^A-Za-z].*$/, "") || "UTC";
    }
  }
  const d = new Date(ms + offset * 60000);
  const start = Date.UTC(d.getUTCFullYear(), 0, 1);
  return {
    year: d.getUTCFullYear(),
    month: d.getUTCMonth(),
    day: d.getUTCDate(),
    hour: d.getUTCHours(),
    minute: d.getUTCMinutes(),
    second: d.getUTCSeconds(),
    weekday: d.getUTCDay(),
    yearDay: Math.floor((d.getTime() - start) / 86400000),
    offset,
    zone: name,
  };
}

export function strftime(format: string, seconds: number, zone: string | undefined): string {
  const t = parts(seconds, zone);
  const two = (n: number, fill = "0") => String(n).padStart(2, fill);
  const one = (c: string): string => {
    switch (c) {
      case "a":
        return DAYS[t.weekday].slice(0, 3);
      case "A":
        return DAYS[t.weekday];
      case "b":
      case "h":
        return MONTHS[t.month].slice(0, 3);
      case "B":
        return MONTHS[t.month];
      case "c":
        return expand("%a %b %e %H:%M:%S %Y");
      case "C":
        return two(Math.floor(t.year / 100));
      case "d":
        return two(t.day);
      case "D":
      case "x":
        return expand("%m/%d/%y");
      case "e":
        return two(t.day, " ");
      case "F":
        return expand("%Y-%m-%d");
      case "H":
        return two(t.hour);
      case "I":
        return two(t.hour % 12 || 12);
      case "j":
        return String(t.yearDay + 1).padStart(3, "0");
      case "k":
        return two(t.hour, " ");
      case "l":
        return two(t.hour % 12 || 12, " ");
      case "m":
        return two(t.month + 1);
      case "M":
        return two(t.minute);
      case "n":
        return "\n";
      case "p":
        return t.hour < 12 ? "AM" : "PM";
      case "P":
        return t.hour < 12 ? "am" : "pm";
      case "r":
        return expand("%I:%M:%S %p");
      case "R":
        return expand("%H:%M");
      case "s":
        return String(seconds);
      case "S":
        return two(t.second);
      case "t":
        return "\t";
      case "T":
      case "X":
        return expand("%H:%M:%S");
      case "u":
        return String(t.weekday || 7);
      case "U":
        return two(Math.floor((t.yearDay + 7 - t.weekday) / 7));
      case "w":
        return String(t.weekday);
      case "W":
        return two(Math.floor((t.yearDay + 7 - (t.weekday + 6) % 7) / 7));
      case "y":
        return two(t.year % 100);
      case "Y":
        return String(t.year);
      case "z": {
        const o = Math.abs(t.offset);
        return `${t.offset < 0 ? "-" : "+"}${two(Math.floor(o / 60))}${two(o % 60)}`;
      }
      case "Z":
        return t.zone;
      case "%":
        return "%";
    }
    return "%" + c;
  };
  const expand = (f: string): string => f.replace(/%[-_0^#]?[EO]?([A-Za-z%])/g, (_, c: string) => one(c));
  const text = expand(format);
  // C's buffer is bounded; what does not fit is nothing.
  return text.length > 127 ? "" : text;
}
