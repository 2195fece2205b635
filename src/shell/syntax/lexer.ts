/**
 * The reader: source text, a position, and the scanning that needs no grammar
 * (blanks, comments, operators, names). It never calls up; the word grammar
 * (`word.ts`) and the command grammar (`parser.ts`) move it along.
 */
import { ShellSyntaxError } from "./errors.ts";

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const DIGITS = /[0-9]+/y;
const OPERATOR = /<<<|<<-|;;&|&>>|&&|\|\||;;|;&|\|&|<<|>>|<&|>&|<>|>\||&>|[&|;()<>\n]/y;

/** The deepest nesting of commands, quotes and expansions that is read. */
export const MAX_NESTING = 400;

const META = new Uint8Array(128);
for (const c of " \t\n|&;()<>") META[c.charCodeAt(0)] = 1;

/** Whether the character ends a word where it stands unquoted. */
export function isMeta(code: number): boolean {
  return code < 128 && META[code] === 1;
}

export class Reader {
  pos = 0;
  depth = 0;
  #seenPos = 0;
  #seenLine: number;

  constructor(public text: string, line = 1) {
    this.#seenLine = line;
  }

  /** Line number of a position (that of the reader by default). */
  line(at: number = this.pos): number {
    const text = this.text;
    if (at >= this.#seenPos) {
      for (let i = text.indexOf("\n", this.#seenPos); i !== -1 && i < at; i = text.indexOf("\n", i + 1)) {
        this.#seenLine++;
      }
    } else {
      for (
        let i = text.lastIndexOf("\n", this.#seenPos - 1);
        i !== -1 && i >= at;
        i = i === 0 ? -1 : text.lastIndexOf("\n", i - 1)
      ) {
        this.#seenLine--;
      }
    }
    this.#seenPos = at;
    return this.#seenLine;
  }

  /** Replaces the text from `start` to the position (an alias) and goes back to `start`. */
  splice(start: number, replacement: string): void {
    const line = this.line(start);
    this.text = this.text.slice(0, start) + replacement + this.text.slice(this.pos);
    this.pos = start;
    this.#seenPos = start;
    this.#seenLine = line;
  }

  get atEnd(): boolean {
    return this.pos >= this.text.length;
  }

  /** Character code at an offset from the position; NaN past the end. */
  code(offset = 0): number {
    return this.text.charCodeAt(this.pos + offset);
  }

  char(offset = 0): string {
    return this.text.charAt(this.pos + offset);
  }

  startsWith(s: string): boolean {
    return this.text.startsWith(s, this.pos);
  }

  name(): string {
    NAME.lastIndex = this.pos;
    const m = NAME.exec(this.text);
    return m === null ? "" : m[0];
  }

  digits(): string {
    DIGITS.lastIndex = this.pos;
    const m = DIGITS.exec(this.text);
    return m === null ? "" : m[0];
  }

  /** The operator at the position, or "". */
  operator(): string {
    OPERATOR.lastIndex = this.pos;
    const m = OPERATOR.exec(this.text);
    return m === null ? "" : m[0];
  }

  /** Skips blanks, line continuations and (where one may begin) a comment. */
  skipBlanks(): void {
    const text = this.text;
    for (;;) {
      const c = text.charCodeAt(this.pos);
      if (c === 32 || c === 9) this.pos++;
      else if (c === 13 && text.charCodeAt(this.pos + 1) === 10) this.pos++;
      else if (c === 92 && text.charCodeAt(this.pos + 1) === 10) this.pos += 2;
      else if (c === 92 && text.charCodeAt(this.pos + 1) === 13 && text.charCodeAt(this.pos + 2) === 10) {
        this.pos += 3;
      } else if (c === 35) {
        const end = text.indexOf("\n", this.pos);
        this.pos = end === -1 ? text.length : end;
      } else return;
    }
  }

  /** The line of source that holds a position. */
  sourceLine(at: number): string {
    const start = this.text.lastIndexOf("\n", at - 1) + 1;
    const end = this.text.indexOf("\n", at);
    return this.text.slice(start, end === -1 ? this.text.length : end);
  }

  enter(): void {
    if (++this.depth > MAX_NESTING) throw this.error("syntax error: nesting is too deep");
  }

  leave(): void {
    this.depth--;
  }

  error(message: string, at: number = this.pos): ShellSyntaxError {
    return new ShellSyntaxError(message, this.line(at));
  }

  /** `atEnd`: the line named is the last one, as for substitutions of commands. */
  unterminated(closer: string, openedAt: number, atEnd = false): ShellSyntaxError {
    return new ShellSyntaxError(
      `unexpected EOF while looking for matching \`${closer}'`,
      atEnd ? this.line(this.text.length) + (this.text.endsWith("\n") ? 0 : 1) : this.line(openedAt),
      true,
    );
  }
}
