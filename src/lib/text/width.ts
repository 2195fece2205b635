/**
 * How many cells of a terminal a text takes: East Asian wide and emoji take
 * two, marks that combine take none (Unicode 15, East Asian Width W and F).
 */

const ZERO = /[\p{Mn}\p{Me}\u200b-\u200d\ufe00-\ufe0f]/u;
const WIDE =
  /[\u1100-\u115f\u231a\u231b\u23e9-\u23ec\u25fd\u25fe\u2614\u2615\u26a1\u2705\u2728\u274c\u2753-\u2757\u2795-\u2797\u2b1b\u2b1c\u2b50\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{1fa70}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Cells of a text without control sequences. */
export function cells(text: string): number {
  let width = 0;
  for (const character of text) width += cellsOf(character);
  return width;
}

/** The text cut to at most `limit` cells, with an ellipsis where something is left out. */
export function fitCells(text: string, limit: number): string {
  if (cells(text) <= limit) return text;
  let width = 0;
  let out = "";
  for (const character of text) {
    width += cellsOf(character);
    if (width > limit - 1) break;
    out += character;
  }
  return out + "…";
}

function cellsOf(character: string): number {
  if (character < "\u0300") return 1;
  return ZERO.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}

/** Breaks a line between words; a word that is longer stays whole. */
export function wrapWords(line: string, width: number): string[] {
  const out: string[] = [];
  let current = "";
  for (const word of line.split(" ")) {
    if (current !== "" && cells(current) + 1 + cells(word) > width) {
      out.push(current);
      current = word;
    } else current = current === "" ? word : `${current} ${word}`;
  }
  return current === "" ? out : [...out, current];
}
