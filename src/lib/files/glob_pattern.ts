/**
 * Glob patterns: `*`, `?`, `[a-z]`, `**`, and braces where asked for. Turned
 * into regular expressions of the door in `lib/regex.ts`, so that no pattern
 * can make matching slow. Paths are relative and `/`-separated.
 */
import { compileRegex } from "../regex.ts";

/** How a pattern is read. */
interface GlobOptions {
  /** `{a,b}` are alternatives; else braces are themselves. */
  readonly braces?: boolean;
}

/** Whether a relative path fits. A pattern without a slash is for the last name, at any depth. */
export type GlobTest = (path: string) => boolean;

/** Compiles a pattern as people and models write it. */
export function compileGlob(pattern: string): GlobTest {
  const text = pattern.replace(/^(?:\.\/)+/, "").replace(/^\//, "");
  const anywhere = !text.replace(/\/$/, "").includes("/") && !pattern.startsWith("/");
  const fits = compilePattern(text, { braces: true });
  return anywhere ? (path) => fits(path.slice(path.lastIndexOf("/") + 1)) : fits;
}

/** Whether a pattern asks for names with a leading dot. */
export function wantsHidden(pattern: string): boolean {
  return /(^|[/{,])\.[^./]/.test(pattern);
}

/** Compiles a pattern that has to fit a whole text. */
export function compilePattern(pattern: string, options: GlobOptions = {}): GlobTest {
  const simple = simpleTest(pattern, options);
  if (simple !== undefined) return simple;
  const regex = compileRegex(`^(?:${globSource(pattern, options)})$`, { dotAll: true });
  return (path) => regex.test(path);
}

/** The commonest patterns need no regular expression: a text, `*end`, `start*`. */
function simpleTest(pattern: string, options: GlobOptions): GlobTest | undefined {
  const special = options.braces ? /[*?[\\{]/ : /[*?[\\]/;
  if (!special.test(pattern)) return (path) => path === pattern;
  const rest = pattern.slice(1);
  if (pattern[0] === "*" && !special.test(rest) && !rest.includes("/")) {
    return (path) => path.endsWith(rest) && path.lastIndexOf("/", path.length - rest.length - 1) < 0;
  }
  return undefined;
}

/** The pattern's regular expression, without anchors. */
function globSource(pattern: string, options: GlobOptions = {}): string {
  let out = "";
  let depth = 0;
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern[i];
    if (c === "\\" && i + 1 < pattern.length) out += literal(pattern[++i]);
    else if (c === "*") {
      let stars = 1;
      while (pattern[i + 1] === "*") {
        i++;
        stars++;
      }
      const before = pattern[i - stars];
      const whole = stars > 1 &&
        (before === undefined || before === "/" || (depth > 0 && "{,".includes(before)));
      const after = pattern[i + 1];
      if (whole && after === "/") {
        out += "(?:.*/)?";
        i++;
      } else if (whole && (after === undefined || (depth > 0 && ",}".includes(after)))) {
        out += before === "/" ? ".+" : ".*";
      } else out += "[^/]*";
    } else if (c === "?") out += "[^/]";
    else if (c === "[") {
      const set = characterSet(pattern, i);
      out += set?.source ?? literal(c);
      i = set?.end ?? i;
    } else if (c === "{" && options.braces && closes(pattern, i)) {
      depth++;
      out += "(?:";
    } else if (c === "}" && depth > 0) {
      depth--;
      out += ")";
    } else if (c === "," && depth > 0) out += "|";
    else out += literal(c);
  }
  return out;
}

function closes(pattern: string, from: number): boolean {
  let depth = 0;
  for (let i = from; i < pattern.length; i++) {
    if (pattern[i] === "\\") i++;
    else if (pattern[i] === "{") depth++;
    else if (pattern[i] === "}" && --depth === 0) return true;
  }
  return false;
}

/** The set that begins at `start`, or undefined where it does not end. */
function characterSet(pattern: string, start: number): { source: string; end: number } | undefined {
  let i = start + 1;
  const negated = pattern[i] === "!" || pattern[i] === "^";
  if (negated) i++;
  let body = "";
  for (let first = true; i < pattern.length; i++, first = false) {
    const c = pattern[i];
    if (c === "]" && !first) return { source: negated ? `[^/${body}]` : `(?!/)[${body}]`, end: i };
    const named = /^\[:(alpha|digit|alnum|upper|lower|space|punct|xdigit):\]/.exec(pattern.slice(i, i + 12));
    if (named !== null) {
      body += CLASSES[named[1]];
      i += named[0].length - 1;
    } else if (c === "\\" && i + 1 < pattern.length) body += escapedInSet(pattern[++i]);
    else body += c === "-" ? (first || pattern[i + 1] === "]" ? "\\-" : "-") : escapedInSet(c);
  }
  return undefined;
}

const CLASSES: Readonly<Record<string, string>> = {
  alpha: "a-zA-Z",
  digit: "0-9",
  alnum: "a-zA-Z0-9",
  upper: "A-Z",
  lower: "a-z",
  space: " \\t\\r\\n\\f\\v",
  punct: "!-\\/:-@\\[-`{-~",
  xdigit: "0-9a-fA-F",
};

function escapedInSet(c: string): string {
  return /[\\\]^[-]/.test(c) ? "\\" + c : c;
}

function literal(c: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(c) ? "\\" + c : c;
}
