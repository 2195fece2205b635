/**
 * Values of awk: a number, a string, nothing yet (undefined), or an
 * {@link Input}: text from outside, which counts as a number where it looks
 * like one.
 */

export class Input {
  #numeric: boolean | undefined;
  #value = 0;
  constructor(readonly text: string) {}

  get numeric(): boolean {
    if (this.#numeric === undefined) {
      this.#numeric = looksNumeric(this.text);
      this.#value = toNumber(this.text);
    }
    return this.#numeric;
  }

  get value(): number {
    return this.numeric ? this.#value : this.#value;
  }
}

export type Value = number | string | Input | undefined;
export type AwkArray = Map<string, Value | AwkArray>;

const NUMERIC =
  /^[ \t\n\r\f\v]*[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|(?:inf|nan)(?![a-z]))[ \t\n\r\f\v]*$/i;
const PREFIX = /^[ \t\n\r\f\v]*[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)/;

export function looksNumeric(text: string): boolean {
  return NUMERIC.test(text);
}

/** The number at the start of a text, 0 where there is none. */
export function toNumber(text: string): number {
  if (text === "") return 0;
  const code = text.charCodeAt(0);
  // Digits alone are the common case.
  if (code >= 49 && code <= 57 && text.length < 16) {
    let value = 0;
    for (let i = 0;; i++) {
      if (i === text.length) return value;
      const digit = text.charCodeAt(i) - 48;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
  }
  const match = PREFIX.exec(text);
  if (match) return Number(match[0]);
  const special = /^\s*([-+])(inf|nan)/i.exec(text);
  if (special) return special[2].toLowerCase() === "nan" ? NaN : special[1] === "-" ? -Infinity : Infinity;
  return 0;
}

export function num(value: Value): number {
  if (typeof value === "number") return value;
  if (value === undefined) return 0;
  return typeof value === "string" ? toNumber(value) : value.value;
}

export function truth(value: Value): boolean {
  if (typeof value === "number") return value !== 0;
  if (value === undefined) return false;
  if (typeof value === "string") return value !== "";
  return value.numeric ? value.value !== 0 : value.text !== "";
}

/** A whole number in full, as awk prints it. */
export function wholeText(value: number): string {
  return Math.abs(value) < 1e16 ? String(value) : BigInt(value).toString();
}
