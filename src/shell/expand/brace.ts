/** Brace expansion: purely textual, so it is done once for each word of the tree. Parts other than plain text are opaque. */
import type { Part, Word } from "../syntax/mod.ts";
import { ExpansionError } from "./config.ts";

/** The most words that one word may become. */
export const MAX_BRACE_WORDS = 1_000_000;

/** The words a word becomes; itself alone where it has no braces that expand. */
export function expandBraces(word: Word): readonly Word[] {
  // A part that is no plain text is NUL and its number: NUL cannot be in source text.
  let text = "";
  const opaque: Part[] = [];
  for (const part of word.parts) {
    if (part.kind === "lit") text += part.text.replaceAll("\0", "");
    else {
      text += "\0" + String.fromCharCode(opaque.length + 1);
      opaque.push(part);
    }
  }
  if (!text.includes("{")) return [word];
  const budget = { left: MAX_BRACE_WORDS };
  const out = expandText(text, budget, 0);
  if (out.length === 1 && out[0] === text) return [word];
  return out.map((t) => toWord(t, opaque, word.line));
}

function toWord(text: string, opaque: readonly Part[], line: number): Word {
  const parts: Part[] = [];
  let source = "";
  for (let i = 0; i < text.length;) {
    if (text[i] === "\0") {
      parts.push(opaque[text.charCodeAt(i + 1) - 1]);
      i += 2;
      continue;
    }
    let end = text.indexOf("\0", i);
    if (end === -1) end = text.length;
    // Braces are text: what follows `$name` directly becomes part of the name.
    const last = parts[parts.length - 1];
    const more = last?.kind === "param" && last.source === "$" + last.name && /^[A-Za-z_]/.test(last.name)
      ? /^[A-Za-z0-9_]+/.exec(text.slice(i, end))?.[0]
      : undefined;
    if (more !== undefined && last.kind === "param") {
      parts[parts.length - 1] = { ...last, name: last.name + more, source: last.source + more };
      i += more.length;
      if (i === end) continue;
    }
    parts.push({ kind: "lit", text: text.slice(i, end) });
    source += text.slice(i, end);
    i = end;
  }
  const only = parts.length === 1 && parts[0].kind === "lit"
    ? parts[0].text
    : parts.length === 0
    ? ""
    : undefined;
  const plain = only !== undefined && only !== "" && !/[*?[\]~\\@+!]/.test(only) ? only : undefined;
  return { parts, text: source, line, plain };
}

type Budget = { left: number };

function expandText(text: string, budget: Budget, depth: number): string[] {
  if (depth > 100) return [text];
  let open = text.indexOf("{");
  while (open !== -1) {
    if (text[open - 1] !== "\0" && text[open - 1] !== "$") {
      const found = findClose(text, open);
      if (found !== undefined) {
        const inside = found.commas.length > 0
          ? alternatives(text, open, found).flatMap((t) => expandText(t, budget, depth + 1))
          : sequence(text.slice(open + 1, found.close), budget);
        if (inside !== undefined) {
          const before = text.slice(0, open);
          const after = expandText(text.slice(found.close + 1), budget, depth + 1);
          budget.left -= inside.length * after.length;
          if (budget.left < 0) throw new ExpansionError("brace expansion: cannot allocate memory");
          const out: string[] = [];
          for (const i of inside) for (const a of after) out.push(before + i + a);
          return out;
        }
      }
    }
    open = text.indexOf("{", open + 1);
  }
  return [text];
}

interface Close {
  readonly close: number;
  readonly commas: readonly number[];
}

function findClose(text: string, open: number): Close | undefined {
  let depth = 0;
  const commas: number[] = [];
  for (let i = open; i < text.length; i++) {
    const c = text[i];
    if (c === "\0") i++;
    else if (c === "{") depth++;
    else if (c === "," && depth === 1) commas.push(i);
    else if (c === "}" && --depth === 0) return { close: i, commas };
  }
  return undefined;
}

function alternatives(text: string, open: number, found: Close): string[] {
  const out: string[] = [];
  let start = open + 1;
  for (const comma of [...found.commas, found.close]) {
    out.push(text.slice(start, comma));
    start = comma + 1;
  }
  return out;
}

function sequence(text: string, budget: Budget): string[] | undefined {
  const m = /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$/.exec(text);
  if (m === null) return undefined;
  const letters = /^[A-Za-z]$/.test(m[1]);
  if (letters !== /^[A-Za-z]$/.test(m[2])) return undefined;
  const from = letters ? m[1].charCodeAt(0) : Number(m[1]);
  const to = letters ? m[2].charCodeAt(0) : Number(m[2]);
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to)) return undefined;
  const step = Math.abs(Number(m[3] ?? 1)) || 1;
  const count = Math.floor(Math.abs(to - from) / step) + 1;
  if (count > budget.left) throw new ExpansionError("brace expansion: cannot allocate memory");
  const padded = !letters && (/^-?0\d/.test(m[1]) || /^-?0\d/.test(m[2]));
  const size = padded ? Math.max(m[1].length, m[2].length) : 0;
  const out: string[] = [];
  for (let i = 0; i < count; i++) {
    const v = from <= to ? from + i * step : from - i * step;
    // The backslash between the alphabets quotes nothing, and goes.
    if (letters) out.push(v === 92 ? "" : String.fromCharCode(v));
    else {out.push(
        padded
          ? (v < 0 ? "-" + String(-v).padStart(size - 1, "0") : String(v).padStart(size, "0"))
          : String(v),
      );}
  }
  return out;
}
