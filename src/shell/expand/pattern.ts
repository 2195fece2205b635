/**
 * Shell patterns: `* ? […]` and the extended forms `?(a|b) *( ) +( ) @( ) !( )`.
 * A pattern is compiled to tokens; matching moves a *set of positions* through
 * them, so that no pattern takes more than its length times the text's
 * (negation: times the text's again). Quoted characters arrive escaped with a
 * backslash.
 */

type Token =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "any" }
  | { readonly kind: "star" }
  | { readonly kind: "set"; readonly has: (code: number, char: string) => boolean }
  | { readonly kind: "group"; readonly op: string; readonly options: readonly (readonly Token[])[] };

const SPECIAL = /[^A-Za-z0-9_\/%.,:= \u0080-\uffff]/g;
const HAS_SPECIAL = /[*?[\\]|[@+!]\(/;

/** Escapes a text so that as a pattern it stands for itself. */
export function escapePattern(text: string): string {
  return text.replace(SPECIAL, "\\$&");
}

/** Whether a pattern text could match more than one text. */
export function hasGlob(pattern: string): boolean {
  if (!HAS_SPECIAL.test(pattern)) return false;
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern[i];
    if (c === "\\") i++;
    else if (c === "*" || c === "?") return true;
    else if (c === "[" && pattern.indexOf("]", i + 2) !== -1) return true;
    else if ((c === "@" || c === "+" || c === "!") && pattern[i + 1] === "(") return true;
  }
  return false;
}

/** The text of a pattern without special characters. */
export function unescapePattern(pattern: string): string {
  return pattern.includes("\\") ? pattern.replace(/\\([\s\S])/g, "$1") : pattern;
}

const cache = new Map<string, Pattern>();

export function compilePattern(text: string, extglob: boolean, ignoreCase = false): Pattern {
  const key = (extglob ? "x" : "-") + (ignoreCase ? "i" : "-") + text;
  let pattern = cache.get(key);
  if (pattern === undefined) {
    pattern = new Pattern(text, extglob, ignoreCase);
    if (cache.size > 1000) cache.clear();
    cache.set(key, pattern);
  }
  return pattern;
}

export class Pattern {
  readonly #tokens: readonly Token[];
  readonly #fold: boolean;
  /** Set where the pattern is plain text. */
  readonly literal: string | undefined;
  readonly #groups: boolean;

  constructor(text: string, extglob: boolean, ignoreCase: boolean) {
    this.#fold = ignoreCase;
    const parser = new PatternParser(ignoreCase ? foldCase(text) : text, extglob, ignoreCase);
    this.#tokens = parser.sequence(false);
    this.#groups = parser.groups;
    const t = this.#tokens;
    this.literal = ignoreCase
      ? undefined
      : t.length === 0
      ? ""
      : t.length === 1 && t[0].kind === "text"
      ? t[0].text
      : undefined;
  }

  matches(text: string): boolean {
    if (this.literal !== undefined) return text === this.literal;
    if (this.#fold) text = foldCase(text);
    if (!this.#groups) return matchSimple(this.#tokens, text);
    return run(this.#tokens, text, [0]).includes(text.length);
  }

  /** The ends of all matches that begin at `start`, ascending. */
  ends(text: string, start: number): number[] {
    if (this.literal !== undefined) {
      return text.startsWith(this.literal, start) ? [start + this.literal.length] : [];
    }
    if (this.#fold) text = foldCase(text);
    return run(this.#tokens, text, [start]);
  }

  /** Length of the shortest or longest prefix that matches; -1: none. */
  prefix(text: string, longest: boolean): number {
    const t = this.#tokens;
    if (!this.#fold && t.length === 2 && t[0].kind === "star" && t[1].kind === "text") {
      const at = longest ? text.lastIndexOf(t[1].text) : text.indexOf(t[1].text);
      return at === -1 ? -1 : at + t[1].text.length;
    }
    const ends = this.ends(text, 0);
    return ends.length === 0 ? -1 : longest ? ends[ends.length - 1] : ends[0];
  }

  /** Start of the shortest or longest suffix that matches; -1: none. */
  suffix(text: string, longest: boolean): number {
    const t = this.#tokens;
    if (this.literal !== undefined) {
      return text.endsWith(this.literal) ? text.length - this.literal.length : -1;
    }
    if (!this.#fold && t.length === 2 && t[0].kind === "text" && t[1].kind === "star") {
      return longest ? text.indexOf(t[0].text) : text.lastIndexOf(t[0].text);
    }
    const subject = this.#fold ? foldCase(text) : text;
    const test = (at: number) =>
      this.#groups ? run(t, subject, [at]).includes(text.length) : matchSimple(t, subject.slice(at));
    if (longest) {
      for (let at = 0; at <= text.length; at++) if (test(at)) return at;
    } else {
      for (let at = text.length; at >= 0; at--) if (test(at)) return at;
    }
    return -1;
  }

  /** The only character class of a pattern that is one: for fast replacement. */
  get single(): ((code: number, char: string) => boolean) | undefined {
    const t = this.#tokens;
    if (this.#fold || t.length !== 1) return undefined;
    return t[0].kind === "set" ? t[0].has : undefined;
  }
}

function foldCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]/g, (c) => c.toLowerCase());
}

/** Length in units of the character at a position. */
function width(text: string, at: number): number {
  const c = text.charCodeAt(at);
  if (c < 0xd800 || c > 0xdbff) return 1;
  const next = text.charCodeAt(at + 1);
  return next >= 0xdc00 && next <= 0xdfff ? 2 : 1;
}

/** Whole match of tokens without groups: one backtrack point suffices. */
function matchSimple(tokens: readonly Token[], text: string): boolean {
  let t = 0;
  let p = 0;
  let starToken = -1;
  let starPos = 0;
  for (;;) {
    if (t === tokens.length) {
      if (p === text.length) return true;
    } else {
      const token = tokens[t];
      if (token.kind === "star") {
        starToken = t++;
        starPos = p;
        if (t === tokens.length) return true;
        continue;
      }
      const next = step(token, text, p);
      if (next !== -1) {
        p = next;
        t++;
        continue;
      }
    }
    if (starToken === -1 || starPos >= text.length) return false;
    starPos += width(text, starPos);
    p = starPos;
    t = starToken + 1;
  }
}

function step(token: Token, text: string, p: number): number {
  if (token.kind === "text") return text.startsWith(token.text, p) ? p + token.text.length : -1;
  if (p >= text.length) return -1;
  const w = width(text, p);
  if (token.kind === "any") return p + w;
  if (token.kind === "set") {
    return token.has(text.codePointAt(p)!, w === 1 ? text[p] : text.slice(p, p + 2)) ? p + w : -1;
  }
  return -1;
}

/** Moves sorted positions through tokens; answers the sorted ends. */
function run(tokens: readonly Token[], text: string, starts: readonly number[]): number[] {
  let at: number[] = starts.slice();
  for (const token of tokens) {
    if (at.length === 0) return at;
    if (token.kind === "star") {
      const out: number[] = [];
      for (let p = at[0]; p <= text.length; p += p < text.length ? width(text, p) : 1) out.push(p);
      at = out;
    } else if (token.kind === "group") {
      at = group(token.op, token.options, text, at);
    } else {
      const out: number[] = [];
      for (const p of at) {
        const next = step(token, text, p);
        if (next !== -1) out.push(next);
      }
      at = out;
    }
  }
  return at;
}

function group(op: string, options: readonly (readonly Token[])[], text: string, at: number[]): number[] {
  const once = (from: readonly number[]) => {
    const out = new Set<number>();
    for (const option of options) for (const e of run(option, text, from)) out.add(e);
    return out;
  };
  const sorted = (set: Set<number>) => [...set].sort((a, b) => a - b);
  if (op === "@") return sorted(once(at));
  if (op === "?") return sorted(new Set([...at, ...once(at)]));
  if (op === "!") {
    const out = new Set<number>();
    for (const p of at) {
      const not = once([p]);
      for (let e = p; e <= text.length; e++) if (!not.has(e)) out.add(e);
    }
    return sorted(out);
  }
  // * and +: as often as new positions are reached.
  const out = op === "*" ? new Set(at) : new Set<number>();
  let fresh: number[] = at;
  while (fresh.length > 0) {
    const next: number[] = [];
    for (const e of sorted(once(fresh))) {
      if (out.has(e)) continue;
      out.add(e);
      next.push(e);
    }
    fresh = next;
  }
  return sorted(out);
}

let namedClasses: Readonly<Record<string, RegExp>> | undefined;

/** Made at first use: properties of Unicode take a millisecond to look up, and few scripts name a class. */
const classesByName = (): Readonly<Record<string, RegExp>> =>
  namedClasses ??= {
    alpha: /^[\p{L}\p{Nl}]$/u,
    digit: /^[0-9]$/,
    alnum: /^[\p{L}\p{N}]$/u,
    upper: /^\p{Lu}$/u,
    lower: /^\p{Ll}$/u,
    space: /^[\s]$/u,
    blank: /^[ \t]$/,
    punct: /^[!-/:-@[-`{-~\p{P}\p{S}]$/u,
    print: /^[^\p{C}]$/u,
    graph: /^[^\p{C}\s]$/u,
    cntrl: /^[\x00-\x1f\x7f]$/,
    xdigit: /^[0-9A-Fa-f]$/,
    word: /^[\p{L}\p{N}_]$/u,
    ascii: /^[\x00-\x7f]$/,
  };

class PatternParser {
  #pos = 0;
  #depth = 0;
  groups = false;
  constructor(readonly text: string, readonly extglob: boolean, readonly fold: boolean) {}

  sequence(inner: boolean): Token[] {
    const out: Token[] = [];
    let literal = "";
    const flush = () => {
      if (literal !== "") out.push({ kind: "text", text: literal });
      literal = "";
    };
    while (this.#pos < this.text.length) {
      const c = this.text[this.#pos];
      if (inner && (c === "|" || c === ")")) break;
      if (this.extglob && "?*+@!".includes(c) && this.text[this.#pos + 1] === "(" && this.#depth < 50) {
        const token = this.#group(c);
        if (token !== undefined) {
          flush();
          out.push(token);
          continue;
        }
      }
      if (c === "\\") {
        literal += this.#pos + 1 < this.text.length ? this.text[this.#pos + 1] : "\\";
        this.#pos += 2;
        continue;
      }
      if (c === "*") {
        flush();
        if (out.length === 0 || out[out.length - 1].kind !== "star") out.push({ kind: "star" });
        this.#pos++;
        continue;
      }
      if (c === "?") {
        flush();
        out.push({ kind: "any" });
        this.#pos++;
        continue;
      }
      if (c === "[") {
        const set = this.#set();
        if (set !== undefined) {
          flush();
          out.push(set);
          continue;
        }
      }
      literal += c;
      this.#pos++;
    }
    flush();
    return out;
  }

  #group(op: string): Token | undefined {
    const start = this.#pos;
    this.#pos += 2;
    this.#depth++;
    const options: Token[][] = [];
    for (;;) {
      options.push(this.sequence(true));
      const c = this.text[this.#pos];
      this.#pos++;
      if (c === "|") continue;
      this.#depth--;
      if (c === ")") {
        this.groups = true;
        return { kind: "group", op, options };
      }
      this.#pos = start;
      return undefined;
    }
  }

  /** `[…]`; undefined where it is not closed and so stands for itself. */
  #set(): Token | undefined {
    const text = this.text;
    let i = this.#pos + 1;
    const negated = text[i] === "!" || text[i] === "^";
    if (negated) i++;
    const ranges: [number, number][] = [];
    const classes: RegExp[] = [];
    let first = true;
    for (;;) {
      if (i >= text.length) return undefined;
      let c = text[i];
      if (c === "]" && !first) break;
      first = false;
      if (c === "[" && text[i + 1] === ":") {
        const end = text.indexOf(":]", i + 2);
        if (end !== -1) {
          const known = classesByName();
          const named = known[text.slice(i + 2, end)];
          if (named !== undefined) {
            classes.push(this.fold && (named === known.upper || named === known.lower) ? known.alpha : named);
          }
          i = end + 2;
          continue;
        }
      }
      if (c === "[" && (text[i + 1] === "." || text[i + 1] === "=")) {
        const end = text.indexOf(text[i + 1] + "]", i + 2);
        if (end !== -1) {
          const code = text.codePointAt(i + 2)!;
          ranges.push([code, code]);
          i = end + 2;
          continue;
        }
      }
      if (c === "\\" && i + 1 < text.length) c = text[++i];
      const low = text.codePointAt(i)!;
      i += low > 0xffff ? 2 : 1;
      if (text[i] === "-" && text[i + 1] !== "]" && i + 1 < text.length) {
        let j = i + 1;
        if (text[j] === "\\" && j + 1 < text.length) j++;
        else if (text[j] === "[" && text[j + 1] === "." && text[j + 3] === ".") j += 2;
        const high = text.codePointAt(j)!;
        j += high > 0xffff ? 2 : 1;
        if (text[j] === "." && text[j + 1] === "]" && text[j - 2] === ".") j += 2;
        ranges.push([low, high]);
        i = j;
        continue;
      }
      ranges.push([low, low]);
    }
    this.#pos = i + 1;
    const has = (code: number, char: string): boolean => {
      for (const [low, high] of ranges) if (code >= low && code <= high) return !negated;
      for (const c of classes) if (c.test(char)) return !negated;
      return negated;
    };
    return { kind: "set", has };
  }
}
