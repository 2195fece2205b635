/**
 * The rules of one ignore file (`.gitignore`, `.ignore`), as git reads them.
 * Which files there are, and which of them wins, is the walker's business.
 */
import { compilePattern, type GlobTest } from "./glob_pattern.ts";

interface Rule {
  /** Begins with `!`: what it fits is kept. */
  readonly keeps: boolean;
  readonly foldersOnly: boolean;
  /** Whether the path from the rules' folder counts, or only the last name. */
  readonly byPath: boolean;
  readonly fits: GlobTest;
}

/** The lines of one file. Asking is pure and keeps nothing. */
export class IgnoreRules {
  readonly #rules: readonly Rule[];

  constructor(text: string) {
    this.#rules = text.split("\n").map(parseRule).filter((rule) => rule !== undefined).reverse();
  }

  get empty(): boolean {
    return this.#rules.length === 0;
  }

  /** What the last rule that fits says; undefined where none does. `path` is relative to the rules' folder. */
  judge(path: string, name: string, isFolder: boolean): "ignore" | "keep" | undefined {
    for (const rule of this.#rules) {
      if (rule.foldersOnly && !isFolder) continue;
      if (rule.fits(rule.byPath ? path : name)) return rule.keeps ? "keep" : "ignore";
    }
    return undefined;
  }
}

function parseRule(line: string): Rule | undefined {
  let text = line.replace(/\r$/, "");
  // Spaces at the end are no part of the pattern, unless escaped.
  text = text.replace(/(?<!\\)((?:\\\\)*)[ \t]+$/, "$1");
  if (text === "" || text.startsWith("#")) return undefined;
  const keeps = text.startsWith("!");
  if (keeps) text = text.slice(1);
  const foldersOnly = text.endsWith("/") && !text.endsWith("\\/");
  if (foldersOnly) text = text.slice(0, -1);
  const byPath = text.includes("/");
  if (text.startsWith("/")) text = text.slice(1);
  if (text === "") return undefined;
  // "**/name" is the same as "name", and cheaper so.
  const anyDepth = /^(?:\*\*\/)+([^/]+)$/.exec(text);
  if (anyDepth) return { keeps, foldersOnly, byPath: false, fits: compilePattern(anyDepth[1]) };
  return { keeps, foldersOnly, byPath, fits: compilePattern(text) };
}
