/**
 * Reads a sed script into a flat list of commands with jump targets. Messages
 * and places are GNU's.
 */
import { compileRegex, type Regex, RegexError } from "../../../lib/regex.ts";
import { Failure } from "../shared/options.ts";
import { parseReplacement, type Replacement } from "./replace.ts";

export type Address =
  | { readonly type: "line"; readonly line: number }
  | { readonly type: "step"; readonly first: number; readonly step: number }
  | { readonly type: "last" }
  | { readonly type: "zero" }
  /** Undefined: the expression that was used last. */
  | {
    readonly type: "regex";
    readonly regex: Regex | undefined;
    readonly forBlocks: (() => Regex) | undefined;
  };

export type AddressEnd = Address | { readonly type: "plus"; readonly count: number } | {
  readonly type: "multiple";
  readonly of: number;
};

export interface Substitution {
  readonly regex: Regex | undefined;
  readonly replacement: Replacement;
  readonly global: boolean;
  readonly occurrence: number;
  readonly print: number;
  readonly evaluate: boolean;
  readonly file: string | undefined;
  /** The same expression for blocks of many lines; undefined where it could see more than one line. */
  readonly forBlocks: (() => Regex) | undefined;
}

export interface Command {
  readonly name: string;
  readonly first?: Address;
  readonly second?: AddressEnd;
  readonly negated: boolean;
  /** a, i, c: text. r, R, w, W: file. e: command. */
  readonly text?: string;
  /** q, Q: status. l, L: width. */
  readonly number?: number;
  readonly substitution?: Substitution;
  readonly map?: ReadonlyMap<string, string>;
  /** Label of b, t, T; what `{` jumps to when it does not apply. */
  label?: string;
  target: number;
  /** State of a range: active until this line; set by the executor. */
}

export interface ScriptOptions {
  readonly extended: boolean;
  /** Asked now and then in searches of long lines; throws when the run was cancelled. */
  readonly poll: () => void;
  readonly posix: boolean;
  readonly sandbox: boolean;
}

/** A piece of the script, for the places in messages: `-e expression #1` or a file. */
export interface Piece {
  readonly text: string;
  readonly origin: { readonly kind: "expression"; readonly number: number } | {
    readonly kind: "file";
    readonly name: string;
  };
}

export function parseScript(pieces: readonly Piece[], options: ScriptOptions): Command[] {
  return new Parser(pieces, options).parse();
}

class Parser {
  readonly #text: string;
  readonly #starts: number[] = [];
  #at = 0;
  readonly #commands: Command[] = [];
  readonly #open: number[] = [];
  readonly #labels = new Map<string, number>();

  constructor(readonly pieces: readonly Piece[], readonly options: ScriptOptions) {
    let text = "";
    for (const piece of pieces) {
      this.#starts.push(text.length);
      text += piece.text + "\n";
    }
    this.#text = text.slice(0, -1);
  }

  #fail(message: string, at = this.#at): never {
    let index = this.#starts.length - 1;
    while (index > 0 && this.#starts[index] > Math.max(0, at - 1)) index--;
    const { origin } = this.pieces[index];
    const start = this.#starts[index];
    if (origin.kind === "file") {
      const line = this.#text.slice(start, Math.max(start, at - 1)).split("\n").length;
      throw new Failure(`file ${origin.name} line ${line}: ${message}`);
    }
    throw new Failure(
      `-e expression #${origin.number}, char ${
        Math.min(at, start + this.pieces[index].text.length) - start
      }: ${message}`,
    );
  }

  get #end(): boolean {
    return this.#at >= this.#text.length;
  }

  #skip(pattern: RegExp): void {
    while (!this.#end && pattern.test(this.#text[this.#at])) this.#at++;
  }

  parse(): Command[] {
    for (;;) {
      this.#skip(/[\s;]/);
      if (this.#end) break;
      this.#command();
    }
    if (this.#open.length > 0) throw new Failure("-e expression #1, char 0: unmatched `{'");
    for (const command of this.#commands) {
      if (!"btT".includes(command.name)) continue;
      if (command.label === undefined || command.label === "") command.target = this.#commands.length;
      else {
        const target = this.#labels.get(command.label);
        if (target === undefined) throw new Failure(`can't find label for jump to \`${command.label}'`, 4);
        command.target = target;
      }
    }
    return this.#commands;
  }

  #command(): void {
    const first = this.#address();
    let second: AddressEnd | undefined;
    if (first) {
      this.#skip(/[ \t]/);
      if (this.#text[this.#at] === ",") {
        this.#at++;
        this.#skip(/[ \t]/);
        second = this.#addressEnd();
        if (!second) this.#fail("unexpected `,'", this.#at + 1);
      }
    }
    if (first?.type === "zero" && second?.type !== "regex") this.#fail("invalid usage of line address 0");
    this.#skip(/[ \t]/);
    let negated = false;
    while (this.#text[this.#at] === "!") {
      negated = true;
      this.#at++;
      this.#skip(/[ \t!]/);
    }
    if (this.#end || this.#text[this.#at] === "\n" && first) this.#fail("missing command", this.#at);
    const name = this.#text[this.#at++];
    const base = { name, first, second, negated, target: -1 };
    switch (name) {
      case "#":
        if (first) this.#fail("comments don't accept any addresses");
        while (!this.#end && this.#text[this.#at] !== "\n") this.#at++;
        return;
      case ":": {
        if (first) this.#fail(": doesn't want any addresses");
        this.#skip(/[ \t]/);
        const label = this.#word(/[^\s;]/);
        if (label === "") this.#fail('":" lacks a label');
        this.#labels.set(label, this.#commands.length);
        return;
      }
      case "{":
        this.#open.push(this.#commands.length);
        this.#commands.push(base);
        return;
      case "}": {
        if (first) this.#fail("} doesn't want any addresses");
        const open = this.#open.pop();
        if (open === undefined) this.#fail("unexpected `}'");
        this.#commands[open].target = this.#commands.length;
        this.#finish();
        return;
      }
      case "=":
      case "d":
      case "D":
      case "F":
      case "g":
      case "G":
      case "h":
      case "H":
      case "n":
      case "N":
      case "p":
      case "P":
      case "x":
      case "z":
        this.#commands.push(base);
        this.#finish();
        return;
      case "l":
      case "q":
      case "Q":
      case "L": {
        if (name !== "l" && second) this.#fail("command only uses one address");
        this.#skip(/[ \t]/);
        const digits = this.#word(/\d/);
        this.#commands.push({ ...base, number: digits === "" ? undefined : Number(digits) });
        this.#finish();
        return;
      }
      case "a":
      case "i":
      case "c":
        this.#commands.push({ ...base, text: this.#textArgument() });
        return;
      case "b":
      case "t":
      case "T": {
        this.#skip(/[ \t]/);
        const label = this.#word(/[^\s;}]/);
        this.#commands.push({ ...base, label });
        this.#finish();
        return;
      }
      case "r":
      case "R":
      case "w":
      case "W": {
        this.#skip(/[ \t]/);
        const file = this.#word(/[^\n]/);
        if (file === "") this.#fail("missing filename in r/R/w/W commands");
        if (this.options.sandbox) this.#fail("e/r/w commands disabled in sandbox mode");
        this.#commands.push({ ...base, text: file });
        return;
      }
      case "e":
        this.#skip(/[ \t]/);
        if (this.options.sandbox) this.#fail("e/r/w commands disabled in sandbox mode");
        this.#commands.push({ ...base, text: this.#word(/[^\n]/) });
        return;
      case "s":
        this.#commands.push({ ...base, substitution: this.#substitution() });
        this.#finish();
        return;
      case "y":
        this.#commands.push({ ...base, map: this.#map() });
        this.#finish();
        return;
      default:
        if (name === ",") this.#fail("unexpected `,'");
        this.#fail(`unknown command: \`${name}'`);
    }
  }

  #word(pattern: RegExp): string {
    const start = this.#at;
    this.#skip(pattern);
    return this.#text.slice(start, this.#at);
  }

  /** After a command: the end of the line, `;`, `}` or a comment. */
  #finish(): void {
    this.#skip(/[ \t]/);
    if (this.#end) return;
    const c = this.#text[this.#at];
    if (c === "}" || c === "#") return;
    this.#at++;
    if (c !== ";" && c !== "\n") this.#fail("extra characters after command");
  }

  #address(): Address | undefined {
    const c = this.#text[this.#at];
    if (c >= "0" && c <= "9") {
      const line = Number(this.#word(/\d/));
      this.#skip(/[ \t]/);
      if (this.#text[this.#at] === "~") {
        this.#at++;
        const step = Number(this.#word(/\d/));
        return step === 0 ? { type: "line", line } : { type: "step", first: line, step };
      }
      return line === 0 ? { type: "zero" } : { type: "line", line };
    }
    if (c === "$") {
      this.#at++;
      return { type: "last" };
    }
    if (c === "/" || c === "\\") {
      if (c === "\\") this.#at++;
      const delimiter = this.#text[this.#at++];
      if (delimiter === undefined || delimiter === "\n" || delimiter === "\\") this.#fail("unexpected `,'");
      const source = this.#delimited(delimiter, true);
      if (source === undefined) this.#fail("unterminated address regex", this.#text.length);
      let ignoreCase = false, multiline = false;
      for (;; this.#at++) {
        if (this.#text[this.#at] === "I") ignoreCase = true;
        else if (this.#text[this.#at] === "M") multiline = true;
        else break;
      }
      return {
        type: "regex",
        regex: this.#regex(source, ignoreCase, multiline),
        forBlocks: this.#forBlocks(source, ignoreCase, multiline),
      };
    }
    return undefined;
  }

  #addressEnd(): AddressEnd | undefined {
    const c = this.#text[this.#at];
    if (c === "+" || c === "~") {
      this.#at++;
      if (!/\d/.test(this.#text[this.#at] ?? "")) this.#fail("expected number");
      const number = Number(this.#word(/\d/));
      return c === "+" ? { type: "plus", count: number } : { type: "multiple", of: number };
    }
    const address = this.#address();
    return address?.type === "zero" ? { type: "line", line: 0 } : address;
  }

  /** Text up to the delimiter, which is taken; undefined where it is missing. */
  #delimited(delimiter: string, regex: boolean): string | undefined {
    let out = "";
    let bracket = false;
    while (!this.#end) {
      const c = this.#text[this.#at++];
      if (regex && bracket) {
        if (c === "[" && /[:.=]/.test(this.#text[this.#at] ?? "")) {
          const close = this.#text.indexOf(this.#text[this.#at] + "]", this.#at + 1);
          if (close > 0) {
            out += this.#text.slice(this.#at - 1, close + 2);
            this.#at = close + 2;
            continue;
          }
        }
        if (c === "]") bracket = false;
        out += c;
        continue;
      }
      if (c === delimiter) return out;
      if (c === "\\") {
        const next = this.#text[this.#at++];
        if (next === undefined) return undefined;
        if (next === delimiter) {
          // The delimiter loses its backslash; `\n` keeps its meaning, and so does what is special only with one.
          out += regex && delimiter !== "/" && /[.*[\]^$+?(){}|]/.test(delimiter)
            ? (/[+?(){}|]/.test(delimiter) ? delimiter : "\\" + delimiter)
            : !regex && delimiter === "&"
            ? "\\&"
            : delimiter;
        } else if (next === "\n" && regex) out += "\n";
        else out += c + next;
        continue;
      }
      if (c === "\n" && regex) {
        // Not in an address or a pattern.
        return undefined;
      }
      if (regex && c === "[") {
        bracket = true;
        out += c;
        if (this.#text[this.#at] === "^") out += this.#text[this.#at++];
        if (this.#text[this.#at] === "]") out += this.#text[this.#at++];
        continue;
      }
      out += c;
    }
    return undefined;
  }

  #regex(source: string, ignoreCase: boolean, multiline: boolean): Regex | undefined {
    if (source === "") {
      if (ignoreCase || multiline) this.#fail("no previous regular expression");
      return undefined;
    }
    try {
      return compileRegex(source, {
        syntax: this.options.extended ? "extended" : "basic",
        ignoreCase,
        multiline,
        escapes: true,
        strict: true,
        poll: this.options.poll,
      });
    } catch (error) {
      if (error instanceof RegexError) this.#fail(error.message);
      throw error;
    }
  }

  /** Newlines in the pattern, and anchors of the whole text, mean something else in a block of lines. */
  #forBlocks(source: string, ignoreCase: boolean, multiline: boolean): (() => Regex) | undefined {
    if (source === "" || multiline || /\n|\\[ncxdo`']/.test(source)) return undefined;
    const syntax = this.options.extended ? "extended" : "basic";
    return () =>
      compileRegex(source, {
        syntax,
        ignoreCase,
        lines: true,
        escapes: true,
        strict: true,
        poll: this.options.poll,
      });
  }

  #textArgument(): string {
    this.#skip(/[ \t]/);
    if (this.#end) this.#fail("expected \\ after `a', `c' or `i'");
    if (this.#text[this.#at] === "\\") {
      this.#at++;
      this.#skip(/[ \t]/);
      if (this.#text[this.#at] === "\n") this.#at++;
      // No text at all; `$a\` is there for the newline that the last line may lack.
      else if (this.#end) return "";
      // GNU keeps the blanks after `a\` on the same line.
      else while (/[ \t]/.test(this.#text[this.#at - 1])) this.#at--;
    }
    let out = "";
    while (!this.#end) {
      const c = this.#text[this.#at++];
      if (c === "\\") {
        if (this.#end) break;
        out += this.#textEscape();
      } else if (c === "\n") break;
      else out += c;
    }
    return out + "\n";
  }

  /** An escape in the text of a, i, c, its backslash taken. */
  #textEscape(): string {
    const number = /^(?:x([0-9A-Fa-f]{1,2})|d([0-9]{1,3})|o([0-7]{1,3}))/.exec(
      this.#text.slice(this.#at, this.#at + 4),
    );
    if (number !== null) {
      this.#at += number[0].length;
      const [, x, d, o] = number;
      const byte = (x !== undefined ? parseInt(x, 16) : d !== undefined ? Number(d) : parseInt(o, 8)) & 255;
      return byte < 0x80 ? String.fromCharCode(byte) : String.fromCharCode(0xdc00 + byte);
    }
    const c = this.#text[this.#at++];
    return { n: "\n", t: "\t", r: "\r", f: "\f", v: "\v", a: "\x07" }[c] ?? c;
  }

  #substitution(): Substitution {
    const delimiter = this.#text[this.#at++];
    if (delimiter === undefined || delimiter === "\n" || delimiter === "\\") {
      this.#fail("unterminated `s' command", this.#text.length);
    }
    const source = this.#delimited(delimiter, true);
    const written = source === undefined ? undefined : this.#delimited(delimiter, false);
    if (source === undefined || written === undefined) {
      this.#fail("unterminated `s' command", this.#text.length);
    }
    let global = false, print = 0, ignoreCase = false, multiline = false, evaluate = false;
    let occurrence = 0;
    let file: string | undefined;
    flags: for (;;) {
      const c = this.#text[this.#at];
      switch (c) {
        case "g":
          if (global) this.#fail("multiple `g' options to `s' command", this.#at + 1);
          global = true;
          break;
        case "p":
          if (print > 0) this.#fail("multiple `p' options to `s' command", this.#at + 1);
          print = evaluate ? 2 : 1;
          break;
        case "i":
        case "I":
          ignoreCase = true;
          break;
        case "m":
        case "M":
          multiline = true;
          break;
        case "e":
          if (this.options.sandbox) this.#fail("e/r/w commands disabled in sandbox mode");
          evaluate = true;
          break;
        case "w":
          this.#at++;
          this.#skip(/[ \t]/);
          file = this.#word(/[^\n]/);
          if (file === "") this.#fail("missing filename in r/R/w/W commands");
          if (this.options.sandbox) this.#fail("e/r/w commands disabled in sandbox mode");
          break flags;
        default:
          if (c !== undefined && c >= "0" && c <= "9") {
            if (occurrence > 0) this.#fail("multiple number options to `s' command", this.#at + 1);
            occurrence = Number(this.#word(/\d/));
            if (occurrence === 0) this.#fail("number option to `s' command may not be zero");
            continue;
          }
          if (c !== undefined && !/[\s;}#]/.test(c)) this.#fail("unknown option to `s'", this.#at + 1);
          break flags;
      }
      this.#at++;
    }
    const regex = this.#regex(source, ignoreCase, multiline);
    const replacement = parseReplacement(written);
    const forBlocks = this.#forBlocks(source, ignoreCase, multiline);
    if (regex && replacement.highest > regex.groups) {
      this.#fail(`invalid reference \\${replacement.highest} on \`s' command's RHS`);
    }
    return { regex, replacement, global, occurrence: occurrence || 1, print, evaluate, file, forBlocks };
  }

  #map(): Map<string, string> {
    const delimiter = this.#text[this.#at++];
    const read = (): string[] => {
      const out: string[] = [];
      for (;;) {
        if (this.#end) this.#fail("unterminated `y' command", this.#text.length);
        const c = String.fromCodePoint(this.#text.codePointAt(this.#at)!);
        this.#at += c.length;
        if (c === delimiter) return out;
        if (c !== "\\") {
          out.push(c);
          continue;
        }
        const next = this.#text[this.#at++];
        if (next === undefined) this.#fail("unterminated `y' command", this.#text.length);
        if (next === delimiter || next === "\\") out.push(next);
        else {
          const escape = { n: "\n", t: "\t", r: "\r", f: "\f", v: "\v", a: "\x07" }[next];
          if (escape !== undefined) out.push(escape);
          else out.push("\\", next);
        }
      }
    };
    if (delimiter === undefined) this.#fail("unterminated `y' command", this.#text.length);
    const from = read();
    const to = read();
    if (from.length !== to.length) this.#fail("strings for `y' command are different lengths");
    return new Map(from.map((c, i) => [c, to[i]]));
  }
}
