/** The language of bc: text to statements, one line (or one definition) at a time. */

export type Expr =
  | { readonly kind: "number" | "name" | "last"; readonly text: string }
  | { readonly kind: "element"; readonly text: string; readonly index: Expr }
  | { readonly kind: "array"; readonly text: string }
  | { readonly kind: "call"; readonly text: string; readonly args: readonly Expr[] }
  | { readonly kind: "unary"; readonly op: string; readonly inner: Expr; readonly bare?: boolean }
  | { readonly kind: "step"; readonly by: number; readonly before: boolean; readonly target: Expr }
  | { readonly kind: "assign"; readonly op: string; readonly target: Expr; readonly value: Expr }
  | { readonly kind: "binary"; readonly op: string; readonly left: Expr; readonly right: Expr };

export type Statement =
  | { readonly kind: "expr"; readonly value: Expr; readonly shown: boolean }
  | { readonly kind: "string"; readonly text: string }
  | { readonly kind: "print"; readonly items: readonly (Expr | string)[] }
  | { readonly kind: "block"; readonly body: readonly Statement[] }
  | { readonly kind: "if"; readonly test: Expr; readonly then: Statement; readonly otherwise?: Statement }
  | {
    readonly kind: "loop";
    readonly first?: Expr;
    readonly test?: Expr;
    readonly step?: Expr;
    readonly body: Statement;
  }
  | { readonly kind: "return"; readonly value?: Expr }
  | {
    readonly kind: "define";
    readonly name: string;
    readonly quiet: boolean;
    readonly params: readonly string[];
    readonly autos: readonly string[];
    readonly body: Statement;
  }
  | { readonly kind: "break" | "continue" | "halt" | "quit" };

export class BcSyntaxError extends Error {
  constructor(readonly line: number, message = "syntax error") {
    super(message);
  }
}

interface Token {
  readonly kind: "number" | "name" | "string" | "op" | "newline" | "end";
  readonly text: string;
  readonly line: number;
}

const TOKEN =
  /([ \t\r]|\\\n|\/\*[\s\S]*?\*\/|#[^\n]*)|((?:[0-9A-F]|\\\n)+(?:\.(?:[0-9A-F]|\\\n)*)?|\.[0-9A-F](?:[0-9A-F]|\\\n)*)|([a-z][a-z0-9_]*)|"([^"]*)"|(\n)|(\+\+|--|[-+*\/%^=<>!]=|&&|\|\||[-+*\/%^=<>!(){}\[\],;.])/y;

/** Binary operators from the loosest to the tightest. */
const LEVELS: readonly (readonly string[])[] = [
  ["||"],
  ["&&"],
  ["!"],
  ["==", "!=", "<", ">", "<=", ">="],
  ["="],
  ["+", "-"],
  ["*", "/", "%"],
  ["^"],
];
const MAX_DEPTH = 400;

export class Parser {
  #at = 0;
  #line = 1;
  #depth = 0;
  #loops = 0;
  #inFunction = false;
  #token: Token;
  constructor(readonly text: string) {
    this.#token = { kind: "newline", text: "\n", line: 1 };
  }

  /** The statements of the next line; undefined at the end. After an error the next call goes on behind that line. */
  next(): Statement[] | undefined {
    this.#depth = this.#loops = 0;
    this.#inFunction = false;
    do this.#advance(); while (this.#isA("newline"));
    if (this.#isA("end")) return undefined;
    try {
      const out: Statement[] = [];
      for (;;) {
        if (this.#is(";")) this.#advance();
        else if (this.#isA("newline") || this.#isA("end")) return out;
        else {
          out.push(this.#statement());
          if (!this.#is(";") && !this.#isA("newline") && !this.#isA("end")) this.#fail();
        }
      }
    } catch (error) {
      if (error instanceof BcSyntaxError && !this.#isA("newline")) {
        const end = this.text.indexOf("\n", this.#at);
        this.#at = end < 0 ? this.text.length : end + 1;
        if (end >= 0) this.#line++;
      }
      throw error;
    }
  }

  #fail(message?: string): never {
    throw new BcSyntaxError(
      this.#isA("newline") ? this.#token.line + 1 : this.#token.line,
      message,
    );
  }

  #advance(): void {
    for (;;) {
      if (this.#at >= this.text.length) {
        this.#token = { kind: "end", text: "", line: this.#line };
        return;
      }
      TOKEN.lastIndex = this.#at;
      const match = TOKEN.exec(this.text);
      const line = this.#line;
      if (!match) {
        const c = this.text[this.#at++];
        throw new BcSyntaxError(line, `illegal character: ${c}`);
      }
      this.#at = TOKEN.lastIndex;
      for (const c of match[0]) if (c === "\n") this.#line++;
      if (match[1] !== undefined) continue;
      if (match[2] !== undefined) {
        this.#token = { kind: "number", text: match[2].replaceAll("\\\n", ""), line };
      } else if (match[3] !== undefined) this.#token = { kind: "name", text: match[3], line };
      else if (match[4] !== undefined) this.#token = { kind: "string", text: match[4], line };
      else this.#token = { kind: match[5] !== undefined ? "newline" : "op", text: match[0], line };
      return;
    }
  }

  #isA(kind: Token["kind"]): boolean {
    return this.#token.kind === kind;
  }

  #is(text: string): boolean {
    return (this.#isA("op") || this.#isA("name")) && this.#token.text === text;
  }

  #take(text: string): boolean {
    if (!this.#is(text)) return false;
    this.#advance();
    return true;
  }

  #expect(text: string): void {
    if (!this.#take(text)) this.#fail();
  }

  #newlines(): void {
    while (this.#isA("newline")) this.#advance();
  }

  #statement(): Statement {
    if (++this.#depth > MAX_DEPTH) this.#fail("nested too deeply");
    const out = this.#inner();
    this.#depth--;
    return out;
  }

  #block(): Statement {
    const body: Statement[] = [];
    for (;;) {
      while (this.#isA("newline") || this.#is(";")) this.#advance();
      if (this.#take("}")) return { kind: "block", body };
      body.push(this.#statement());
      if (!this.#isA("newline") && !this.#is(";") && !this.#is("}")) this.#fail();
    }
  }

  #inner(): Statement {
    const token = this.#token;
    if (token.kind === "string") {
      this.#advance();
      return { kind: "string", text: token.text };
    }
    if (this.#take("{")) return this.#block();
    if (token.kind === "name") {
      switch (token.text) {
        case "if": {
          this.#advance();
          this.#expect("(");
          const test = this.#expr();
          this.#expect(")");
          this.#newlines();
          const then = this.#statement();
          if (!this.#take("else")) return { kind: "if", test, then };
          this.#newlines();
          return { kind: "if", test, then, otherwise: this.#statement() };
        }
        case "while":
        case "for": {
          this.#advance();
          this.#expect("(");
          const part = (close: string): Expr | undefined => {
            const out = this.#is(close) ? undefined : this.#expr();
            this.#expect(close);
            return out;
          };
          const three = token.text === "for";
          const first = three ? part(";") : undefined;
          const test = part(three ? ";" : ")");
          const step = three ? part(")") : undefined;
          this.#newlines();
          this.#loops++;
          const body = this.#statement();
          this.#loops--;
          return {
            kind: "loop",
            ...(first && { first }),
            ...(test && { test }),
            ...(step && { step }),
            body,
          };
        }
        case "break":
        case "continue":
          if (this.#loops === 0) {
            const word = token.text === "break" ? "Break" : "Continue";
            this.#fail(`${word} outside a for/while`);
          }
          this.#advance();
          return { kind: token.text };
        case "halt":
        case "quit":
          this.#advance();
          return { kind: token.text };
        case "return": {
          if (!this.#inFunction) this.#fail("Return outside of a function.");
          this.#advance();
          const none = this.#isA("newline") || this.#is(";") || this.#is("}");
          return none ? { kind: "return" } : { kind: "return", value: this.#expr() };
        }
        case "print": {
          this.#advance();
          const items: (Expr | string)[] = [];
          do {
            if (this.#isA("string")) {
              items.push(this.#token.text);
              this.#advance();
            } else items.push(this.#expr());
          } while (this.#take(","));
          return { kind: "print", items };
        }
        case "define":
          return this.#define();
        case "auto":
          this.#fail();
      }
    }
    const value = this.#expr();
    return { kind: "expr", value, shown: value.kind !== "assign" };
  }

  #define(): Statement {
    this.#advance();
    const quiet = this.#take("void");
    const name = this.#name();
    this.#expect("(");
    const params = this.#names(")");
    this.#expect(")");
    this.#newlines();
    this.#expect("{");
    while (this.#isA("newline") || this.#is(";")) this.#advance();
    const autos = this.#take("auto") ? this.#names(";") : [];
    this.#inFunction = true;
    const body = this.#block();
    this.#inFunction = false;
    return { kind: "define", name, quiet, params, autos, body };
  }

  #name(): string {
    if (!this.#isA("name")) this.#fail();
    const { text } = this.#token;
    this.#advance();
    return text;
  }

  /** Names, those of arrays with `[]` behind them. */
  #names(close: string): string[] {
    const out: string[] = [];
    if (this.#is(close)) return out;
    do {
      const name = this.#name();
      const array = this.#take("[");
      if (array) this.#expect("]");
      out.push(array ? `${name}[]` : name);
    } while (this.#take(","));
    return out;
  }

  #expr(level = 0): Expr {
    if (++this.#depth > MAX_DEPTH) this.#fail("nested too deeply");
    const out = this.#binary(level);
    this.#depth--;
    return out;
  }

  #binary(level: number): Expr {
    if (level === LEVELS.length) return this.#primary();
    const operators = LEVELS[level];
    if (level === 2) {
      return this.#take("!") ? { kind: "unary", op: "!", inner: this.#binary(2) } : this.#binary(3);
    }
    let left = this.#binary(level + 1);
    if (level === 4) {
      const { text, kind } = this.#token;
      const assigns = kind === "op" && /^[-+*\/%^]?=$/.test(text);
      if (!assigns || (left.kind !== "name" && left.kind !== "element" && left.kind !== "last")) return left;
      this.#advance();
      return { kind: "assign", op: text.slice(0, -1), target: left, value: this.#expr(4) };
    }
    while (this.#isA("op") && operators.includes(this.#token.text)) {
      const op = this.#token.text;
      this.#advance();
      // Powers group from the right.
      left = { kind: "binary", op, left, right: this.#expr(op === "^" ? level : level + 1) };
    }
    return left;
  }

  #primary(): Expr {
    const { kind, text } = this.#token;
    if (kind === "newline" || kind === "end") this.#fail();
    this.#advance();
    if (kind === "number") return { kind: "number", text };
    if (kind === "op") {
      if (text === "(") {
        const inner = this.#expr();
        this.#expect(")");
        return { kind: "unary", op: "(", inner };
      }
      if (text === "-") return { kind: "unary", op: "-", inner: this.#expr(LEVELS.length) };
      if (text === ".") return { kind: "last", text };
      if (text === "++" || text === "--") {
        return { kind: "step", by: text === "++" ? 1 : -1, before: true, target: this.#expr(LEVELS.length) };
      }
    }
    if (kind !== "name") this.#fail();
    let out: Expr;
    if (this.#take("(")) {
      const args: Expr[] = [];
      if (!this.#is(")")) { do args.push(this.#expr()); while (this.#take(",")); }
      this.#expect(")");
      return { kind: "call", text, args };
    }
    if (this.#take("[")) {
      if (this.#take("]")) return { kind: "array", text };
      out = { kind: "element", text, index: this.#expr() };
      this.#expect("]");
    } else out = text === "last" ? { kind: "last", text } : { kind: "name", text };
    for (const [op, by] of [["++", 1], ["--", -1]] as const) {
      if (this.#take(op)) return { kind: "step", by, before: false, target: out };
    }
    return out;
  }
}
