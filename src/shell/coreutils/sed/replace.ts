/** The right side of `s`: literal text, groups, and GNU's changes of case. */
import type { Regex, RegexMatch } from "../../../lib/regex.ts";

type Part = { readonly type: "text"; readonly text: string } | {
  readonly type: "group";
  readonly group: number;
} | {
  readonly type: "case";
  readonly mode: "U" | "L" | "u" | "l" | "E";
};

export interface Replacement {
  readonly parts: readonly Part[];
  /** The text, where there is nothing else. */
  readonly literal: string | undefined;
  /** Highest group that is referred to. */
  readonly highest: number;
}

const SIMPLE: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", f: "\f", v: "\v", a: "\x07" };

export function parseReplacement(text: string): Replacement {
  const parts: Part[] = [];
  let literal = "";
  let highest = 0;
  const flush = () => {
    if (literal !== "") parts.push({ type: "text", text: literal });
    literal = "";
  };
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === "&") {
      flush();
      parts.push({ type: "group", group: 0 });
      continue;
    }
    if (c !== "\\" || i + 1 >= text.length) {
      literal += c;
      continue;
    }
    const next = text[++i];
    if (next >= "0" && next <= "9") {
      flush();
      parts.push({ type: "group", group: Number(next) });
      highest = Math.max(highest, Number(next));
    } else if ("ULulE".includes(next)) {
      flush();
      parts.push({ type: "case", mode: next as "U" });
    } else if (SIMPLE[next] !== undefined) literal += SIMPLE[next];
    else {
      const code = next === "x"
        ? /^[0-9a-fA-F]{1,2}/
        : next === "o"
        ? /^[0-7]{1,3}/
        : next === "d"
        ? /^\d{1,3}/
        : undefined;
      const digits = code?.exec(text.slice(i + 1, i + 4))?.[0];
      if (digits !== undefined) {
        const byte = parseInt(digits, next === "x" ? 16 : next === "o" ? 8 : 10) & 0xff;
        literal += byte < 0x80 ? String.fromCharCode(byte) : String.fromCharCode(0xdc00 | byte);
        i += digits.length;
      } else if (next === "c" && i + 1 < text.length) {
        literal += String.fromCharCode(text[++i].toUpperCase().charCodeAt(0) ^ 0x40);
      } else literal += next;
    }
  }
  flush();
  const only = parts.length === 0
    ? ""
    : parts.length === 1 && parts[0].type === "text"
    ? parts[0].text
    : undefined;
  return { parts, literal: only, highest };
}

/** Replaces in a line; undefined where nothing matched. */
export function substitute(
  line: string,
  regex: Regex,
  replacement: Replacement,
  occurrence: number,
  global: boolean,
): string | undefined {
  let match = regex.exec(line, 0);
  if (!match) return undefined;
  let out = "";
  let copied = 0;
  let count = 0;
  let lastEnd = -1;
  while (match) {
    const start = match.index;
    const whole = match[0]!;
    const end = start + whole.length;
    // An empty match right behind the one before is none.
    if (!(whole === "" && start === lastEnd)) {
      count++;
      lastEnd = end;
      if (count >= occurrence) {
        out += line.slice(copied, start) + (replacement.literal ?? expand(replacement, match));
        copied = end;
        if (!global) break;
      }
    }
    const next: number = whole === "" ? end + 1 : end;
    if (next > line.length) break;
    match = regex.exec(line, next);
  }
  return copied === 0 && count < occurrence ? undefined : out + line.slice(copied);
}

/** The text that a match is replaced by. */
export function expand(replacement: Replacement, match: RegexMatch): string {
  let out = "";
  let mode: "U" | "L" | "E" = "E";
  let once: "u" | "l" | undefined;
  for (const part of replacement.parts) {
    if (part.type === "case") {
      if (part.mode === "u" || part.mode === "l") once = part.mode;
      else {
        mode = part.mode;
        once = undefined;
      }
      continue;
    }
    let text = part.type === "text" ? part.text : match[part.group] ?? "";
    if (text === "") continue;
    if (mode === "U") text = text.toUpperCase();
    else if (mode === "L") text = text.toLowerCase();
    if (once) {
      const first = String.fromCodePoint(text.codePointAt(0)!);
      text = (once === "u" ? first.toUpperCase() : first.toLowerCase()) + text.slice(first.length);
      once = undefined;
    }
    out += text;
  }
  return out;
}
