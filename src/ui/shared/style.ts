/** Colour for a terminal that wants it (ECMA-48 SGR), nothing for all others. */

export interface Style {
  dim(text: string): string;
  bold(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

const sgr = (on: number, off: number) => (text: string) => `\x1b[${on}m${text}\x1b[${off}m`;
const plain = (text: string) => text;

const COLOURED: Style = {
  dim: sgr(2, 22),
  bold: sgr(1, 22),
  red: sgr(31, 39),
  green: sgr(32, 39),
  yellow: sgr(33, 39),
  cyan: sgr(36, 39),
};
const PLAIN: Style = { dim: plain, bold: plain, red: plain, green: plain, yellow: plain, cyan: plain };

/** The style for an output. */
export function styleFor(output: { readonly color: boolean }): Style {
  return output.color ? COLOURED : PLAIN;
}
