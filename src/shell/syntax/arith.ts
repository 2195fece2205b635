/**
 * The grammar of arithmetic expressions, after their expansions are done.
 * A pure function from text to tree; trees are cached by those who evaluate.
 */

export type Int = number | bigint;

export type Arith =
  | { readonly kind: "number"; readonly value: Int }
  | { readonly kind: "variable"; readonly name: string; readonly index: string | undefined; memo?: Arith }
  | { readonly kind: "unary"; readonly op: "-" | "+" | "!" | "~"; readonly operand: Arith }
  | { readonly kind: "step"; readonly by: 1 | -1; readonly prefix: boolean; readonly target: Variable }
  | {
    readonly kind: "binary";
    readonly op: BinaryOp;
    readonly left: Arith;
    readonly right: Arith;
    readonly at: string;
  }
  | { readonly kind: "logic"; readonly op: "&&" | "||"; readonly left: Arith; readonly right: Arith }
  | { readonly kind: "choose"; readonly test: Arith; readonly yes: Arith; readonly no: Arith }
  | {
    readonly kind: "assign";
    readonly op: BinaryOp | "";
    readonly target: Variable;
    readonly value: Arith;
    readonly at: string;
  }
  | { readonly kind: "comma"; readonly left: Arith; readonly right: Arith };

export type Variable = Extract<Arith, { kind: "variable" }>;

export type BinaryOp =
  | "+"
  | "-"
  | "*"
  | "/"
  | "%"
  | "**"
  | "<<"
  | ">>"
  | "<"
  | ">"
  | "<="
  | ">="
  | "=="
  | "!="
  | "&"
  | "|"
  | "^";

/** An expression that is no expression; `message` as bash words it, without the expression's text before it. */
export class ArithError extends Error {
  override readonly name = "ArithError";
}

const TOKEN =
  /[ \t\n\r]*(?:([A-Za-z_][A-Za-z0-9_]*)|([0-9]+#[0-9A-Za-z@_]*|[0-9][0-9A-Za-z_.]*)|(<<=|>>=|\*\*|\+\+|--|\+=|-=|\*=|\/=|%=|&=|\^=|\|=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>=!~&^|?:,()[\]]))/y;
const LEVELS: readonly (readonly string[])[] = [
  ["|"],
  ["^"],
  ["&"],
  ["==", "!="],
  ["<", ">", "<=", ">="],
  ["<<", ">>"],
  ["+", "-"],
  ["*", "/", "%"],
];
const ASSIGN = new Set(["=", "+=", "-=", "*=", "/=", "%=", "&=", "^=", "|=", "<<=", ">>="]);
const MAX_DEPTH = 500;

export function parseArith(text: string): Arith {
  return new ArithParser(text).whole();
}

class ArithParser {
  #pos = 0;
  #depth = 0;
  /** The token under the position: its text, kind and start. */
  #token = "";
  #kind: "name" | "number" | "op" | "end" = "end";
  #start = 0;
  #last = 0;

  constructor(readonly text: string) {
    this.#advance();
  }

  whole(): Arith {
    if (this.#at("end")) return { kind: "number", value: 0 };
    const out = this.#comma();
    if (!this.#at("end")) throw this.#error("syntax error in expression", this.#start);
    return out;
  }

  #error(message: string, at: number): ArithError {
    return new ArithError(`${message} (error token is "${this.text.slice(at)}")`);
  }

  #advance(): void {
    this.#last = this.#start;
    TOKEN.lastIndex = this.#pos;
    const m = TOKEN.exec(this.text);
    if (m === null) {
      const rest = /[ \t\n\r]*/y;
      rest.lastIndex = this.#pos;
      rest.exec(this.text);
      this.#start = rest.lastIndex;
      if (this.#start < this.text.length) {
        throw this.#error(
          this.#kind === "op" || this.#at("end")
            ? "syntax error: operand expected"
            : "syntax error: invalid arithmetic operator",
          this.#start,
        );
      }
      this.#kind = "end";
      this.#token = "";
      return;
    }
    this.#token = m[1] ?? m[2] ?? m[3];
    this.#kind = m[1] !== undefined ? "name" : m[2] !== undefined ? "number" : "op";
    this.#pos = TOKEN.lastIndex;
    this.#start = this.#pos - this.#token.length;
  }

  /** `++` after what is no variable: two signs. Takes the first of them. */
  #splitSigns(): void {
    if (!this.#is("++") && !this.#is("--")) return;
    this.#token = this.#token[0];
    this.#pos = this.#start + 1;
  }

  #at(kind: "name" | "end"): boolean {
    return this.#kind === kind;
  }

  #is(op: string): boolean {
    return this.#kind === "op" && this.#token === op;
  }

  #comma(): Arith {
    let left = this.#assign();
    while (this.#is(",")) {
      this.#advance();
      left = { kind: "comma", left, right: this.#assign() };
    }
    return left;
  }

  #assign(): Arith {
    if (++this.#depth > MAX_DEPTH) throw this.#error("expression recursion level exceeded", this.#start);
    const left = this.#choose();
    if (this.#kind === "op" && ASSIGN.has(this.#token)) {
      if (left.kind !== "variable") throw this.#error("attempted assignment to non-variable", this.#start);
      const op = this.#token.slice(0, -1) as BinaryOp | "";
      this.#advance();
      const at = this.#start;
      const value = this.#assign();
      this.#depth--;
      return { kind: "assign", op, target: left, value, at: this.text.slice(at) };
    }
    this.#depth--;
    return left;
  }

  #choose(): Arith {
    const test = this.#logicalOr();
    if (!this.#is("?")) return test;
    this.#advance();
    if (this.#is(":") || this.#at("end")) {
      throw this.#error("expression expected", this.#at("end") ? this.#last : this.#start);
    }
    const yes = this.#comma();
    if (!this.#is(":")) throw this.#error("`:' expected for conditional expression", this.#last);
    this.#advance();
    if (this.#at("end")) throw this.#error("expression expected", this.#start);
    return { kind: "choose", test, yes, no: this.#choose() };
  }

  #logicalOr(): Arith {
    let left = this.#logicalAnd();
    while (this.#is("||")) {
      this.#advance();
      left = { kind: "logic", op: "||", left, right: this.#logicalAnd() };
    }
    return left;
  }

  #logicalAnd(): Arith {
    let left = this.#binary(0);
    while (this.#is("&&")) {
      this.#advance();
      left = { kind: "logic", op: "&&", left, right: this.#binary(0) };
    }
    return left;
  }

  #binary(level: number): Arith {
    if (level === LEVELS.length) return this.#power();
    let left = this.#binary(level + 1);
    while (this.#kind === "op" && LEVELS[level].includes(this.#token)) {
      const op = this.#token as BinaryOp;
      this.#advance();
      const at = this.#start;
      const right = this.#binary(level + 1);
      left = { kind: "binary", op, left, right, at: this.text.slice(at) };
    }
    return left;
  }

  #power(): Arith {
    const left = this.#unary();
    if (!this.#is("**")) return left;
    this.#advance();
    const at = this.#start;
    return { kind: "binary", op: "**", left, right: this.#power(), at: this.text.slice(at) };
  }

  #unary(): Arith {
    if (++this.#depth > MAX_DEPTH) throw this.#error("expression recursion level exceeded", this.#start);
    const out = this.#unaryInner();
    this.#depth--;
    return out;
  }

  #unaryInner(): Arith {
    if (this.#kind === "op") {
      const op = this.#token;
      if (op === "++" || op === "--") {
        const at = this.#start;
        this.#advance();
        if (this.#at("name")) {
          const target = this.#variable();
          return { kind: "step", by: op === "++" ? 1 : -1, prefix: true, target };
        }
        // Two signs: `--5`, `- -x`.
        if (this.#at("end")) throw this.#error("syntax error: operand expected", at);
        const sign = op[0] as "+" | "-";
        return { kind: "unary", op: sign, operand: { kind: "unary", op: sign, operand: this.#unary() } };
      }
      if (op === "-" || op === "+" || op === "!" || op === "~") {
        this.#advance();
        return { kind: "unary", op, operand: this.#unary() };
      }
    }
    return this.#primary();
  }

  #primary(): Arith {
    if (this.#kind === "number") {
      const value = parseNumber(this.#token);
      if (typeof value === "string") throw this.#error(value, this.#start);
      this.#advance();
      this.#splitSigns();
      return { kind: "number", value };
    }
    if (this.#kind === "name") {
      const target = this.#variable();
      if (this.#is("++") || this.#is("--")) {
        const by = this.#token === "++" ? 1 : -1;
        this.#advance();
        return { kind: "step", by, prefix: false, target };
      }
      return target;
    }
    if (this.#is("(")) {
      this.#advance();
      const inner = this.#comma();
      if (!this.#is(")")) throw this.#error("missing `)'", this.#at("end") ? this.#last : this.#start);
      this.#advance();
      this.#splitSigns();
      return inner;
    }
    throw this.#error("syntax error: operand expected", this.#at("end") ? this.#last : this.#start);
  }

  #variable(): Variable {
    const name = this.#token;
    let index: string | undefined;
    if (this.text[this.#pos] === "[") {
      const end = closingBracket(this.text, this.#pos);
      if (end === -1) throw this.#error("bad array subscript", this.#start);
      index = this.text.slice(this.#pos + 1, end);
      this.#pos = end + 1;
    }
    this.#advance();
    return { kind: "variable", name, index };
  }
}

/** Position of the `]` that closes the `[` at `open`, or -1. */
export function closingBracket(text: string, open: number): number {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    const c = text[i];
    if (c === "\\") i++;
    else if (c === "'" || c === '"') {
      const end = text.indexOf(c, i + 1);
      if (end !== -1) i = end;
    } else if (c === "[") depth++;
    else if (c === "]" && --depth === 0) return i;
  }
  return -1;
}

/** A constant: decimal, 0octal, 0xhex, base#digits. A string is the reason why it is none. */
export function parseNumber(text: string): Int | string {
  if (/^[1-9][0-9]{0,14}$/.test(text)) return Number(text);
  const hash = text.indexOf("#");
  if (hash !== -1) {
    const base = Number(text.slice(0, hash));
    if (text[0] === "0") return "invalid number";
    if (base < 2 || base > 64) return "invalid arithmetic base";
    if (hash === text.length - 1) return "invalid integer constant";
    return digits(text.slice(hash + 1), base);
  }
  if (/^0[xX]/.test(text)) return digits(text.slice(2), 16);
  if (text.length > 1 && text[0] === "0") return digits(text.slice(1), 8);
  return digits(text, 10);
}

function digits(text: string, base: number): Int | string {
  let value = 0n;
  const big = BigInt(base);
  for (const c of text) {
    let d: number;
    if (c >= "0" && c <= "9") d = c.charCodeAt(0) - 48;
    else if (c >= "a" && c <= "z") d = c.charCodeAt(0) - 87;
    else if (c >= "A" && c <= "Z") d = c.charCodeAt(0) - (base <= 36 ? 55 : 29);
    else if (c === "@") d = 62;
    else if (c === "_") d = 63;
    else return "syntax error: invalid arithmetic operator";
    if (d >= base) return "value too great for base";
    value = BigInt.asIntN(64, value * big + BigInt(d));
  }
  const n = Number(value);
  return Number.isSafeInteger(n) ? n : value;
}
