/** The reserved words. */

export const KEYWORDS = [
  "if",
  "then",
  "else",
  "elif",
  "fi",
  "case",
  "esac",
  "for",
  "select",
  "while",
  "until",
  "do",
  "done",
  "in",
  "function",
  "time",
  "{",
  "}",
  "!",
  "[[",
  "]]",
  "coproc",
];

const SET = new Set(KEYWORDS);

export function isKeyword(word: string): boolean {
  return SET.has(word);
}
