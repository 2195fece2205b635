/** What a replacement would make of a text: a preview, nothing is written. */
import type { Regex, RegexMatch } from "../../lib/regex.ts";

/** Fills `$1`, `$<name>`, `$&` and `$$` of a replacement from a match; what is no group stays as it is written. */
function fill(replacement: string, match: RegexMatch, regex: Regex): string {
  return replacement.replace(
    /\$(?:(\d{1,2})|<([^>]*)>|\{(\w+)\}|([&$]))/g,
    (whole, digits, name, braced, sign) => {
      if (sign === "$") return "$";
      if (sign === "&") return match[0] ?? "";
      const wanted = name ?? braced;
      const number = digits !== undefined
        ? Number(digits)
        : /^\d+$/.test(wanted)
        ? Number(wanted)
        : regex.names.get(wanted);
      if (number === undefined || number > regex.groups) return whole;
      return match[number] ?? "";
    },
  );
}

/** `text` from `start` to `end`, with every match that begins there replaced. */
export function replaced(
  text: string,
  start: number,
  end: number,
  regex: Regex,
  replacement: string,
): string {
  let out = "";
  let at = start;
  for (let from = start; from <= end;) {
    const match = regex.exec(text, from);
    if (match === undefined || match.index > end) break;
    const to = match.index + match[0]!.length;
    if (to > end) break;
    out += text.slice(at, match.index) + fill(replacement, match, regex);
    at = to;
    from = to > match.index ? to : to + 1;
  }
  return out + text.slice(at, end);
}
