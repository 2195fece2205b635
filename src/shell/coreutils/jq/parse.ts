/** Reads a jq program: tokens and grammar, which share the handling of strings with programs in them, and so stand together. */
import { Failure } from "../shared/options.ts";

export type Ast =
  | { readonly type: "identity" }
  | { readonly type: "recurse" }
  | { readonly type: "literal"; readonly value: null | boolean | number | string }
  | {
    readonly type: "string";
    readonly format: string | undefined;
    readonly parts: readonly (string | Ast)[];
  }
  | { readonly type: "format"; readonly name: string }
  | { readonly type: "index"; readonly target: Ast; readonly key: Ast }
  | { readonly type: "slice"; readonly target: Ast; readonly from?: Ast; readonly to?: Ast }
  | { readonly type: "iterate"; readonly target: Ast }
  | { readonly type: "try"; readonly body: Ast; readonly handler?: Ast }
  | { readonly type: "pipe"; readonly left: Ast; readonly right: Ast }
  | { readonly type: "comma"; readonly left: Ast; readonly right: Ast }
  | { readonly type: "binary"; readonly op: string; readonly left: Ast; readonly right: Ast }
  | { readonly type: "negate"; readonly operand: Ast }
  | { readonly type: "assign"; readonly op: string; readonly left: Ast; readonly right: Ast }
  | { readonly type: "if"; readonly test: Ast; readonly yes: Ast; readonly no?: Ast }
  | { readonly type: "array"; readonly body?: Ast }
  | { readonly type: "object"; readonly entries: readonly (readonly [key: Ast, value: Ast])[] }
  | { readonly type: "var"; readonly name: string }
  | { readonly type: "call"; readonly name: string; readonly args: readonly Ast[] }
  | { readonly type: "as"; readonly source: Ast; readonly patterns: readonly Pattern[]; readonly body: Ast }
  | {
    readonly type: "reduce";
    readonly source: Ast;
    readonly pattern: Pattern;
    readonly init: Ast;
    readonly update: Ast;
  }
  | {
    readonly type: "foreach";
    readonly source: Ast;
    readonly pattern: Pattern;
    readonly init: Ast;
    readonly update: Ast;
    readonly extract?: Ast;
  }
  | { readonly type: "def"; readonly def: Def; readonly body: Ast }
  | { readonly type: "label"; readonly name: string; readonly body: Ast }
  | { readonly type: "break"; readonly name: string };

export type Pattern =
  | { readonly type: "var"; readonly name: string }
  | { readonly type: "array"; readonly items: readonly Pattern[] }
  | {
    readonly type: "object";
    readonly entries: readonly { readonly key: Ast; readonly variable?: string; readonly value?: Pattern }[];
  };

export interface Def {
  readonly name: string;
  readonly params: readonly string[];
  readonly body: Ast;
}

interface Token {
  readonly kind: "op" | "name" | "keyword" | "var" | "field" | "format" | "number" | "string" | "end";
  readonly text: string;
  readonly parts?: readonly (string | Ast)[];
  readonly at: number;
}

const KEYWORDS = new Set([
  "def",
  "if",
  "then",
  "elif",
  "else",
  "end",
  "as",
  "reduce",
  "foreach",
  "try",
  "catch",
  "label",
  "import",
  "include",
  "and",
  "or",
  "not_",
  "__loc__",
]);
const OPERATORS = [
  "?//=",
  "?//",
  "|=",
  "//=",
  "==",
  "!=",
  "<=",
  ">=",
  "+=",
  "-=",
  "*=",
  "/=",
  "%=",
  "//",
  "..",
  "|",
  ",",
  ".",
  "[",
  "]",
  "{",
  "}",
  "(",
  ")",
  ":",
  ";",
  "=",
  "<",
  ">",
  "+",
  "-",
  "*",
  "/",
  "%",
  "?",
];
const MAX_DEPTH = 400;

export function parseJq(source: string): Ast {
  const parser = new Parser(source);
  return parser.program();
}

/** The definitions of a library. */
export function parseDefs(source: string): Def[] {
  return new Parser(source).defs();
}

class Parser {
  readonly #tokens: Token[] = [];
  #at = 0;
  #depth = 0;

  constructor(readonly source: string, start = 0, readonly until?: string) {
    this.end = this.#tokenize(start);
  }

  /** Where the text after this part goes on. */
  readonly end: number;

  #fail(what: string): never {
    throw new Failure(`error: syntax error, ${what}\njq: 1 compile error`, 3);
  }

  #tokenize(start: number): number {
    let at = start;
    let nesting = 0;
    const { source } = this;
    while (at < source.length) {
      const c = source[at];
      if (/\s/.test(c)) {
        at++;
        continue;
      }
      if (c === "#") {
        while (at < source.length && source[at] !== "\n") at++;
        continue;
      }
      if (this.until !== undefined && nesting === 0 && c === this.until) {
        this.#tokens.push({ kind: "end", text: "", at });
        return at + 1;
      }
      if (c === '"') {
        const [parts, end] = this.#string(at + 1);
        this.#tokens.push({ kind: "string", text: "", parts, at });
        at = end;
        continue;
      }
      const rest = source.slice(at, at + 200);
      let match: RegExpExecArray | null;
      if ((match = /^\.[A-Za-z_]\w*/.exec(rest))) {
        this.#tokens.push({ kind: "field", text: match[0].slice(1), at });
      } else if ((match = /^(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?/.exec(rest))) {
        this.#tokens.push({ kind: "number", text: match[0], at });
      } else if ((match = /^\$(?:__loc__|[A-Za-z_]\w*(?:::\w+)*)/.exec(rest))) {
        this.#tokens.push({ kind: "var", text: match[0].slice(1), at });
      } else if ((match = /^@[A-Za-z0-9_]+/.exec(rest))) {
        this.#tokens.push({ kind: "format", text: match[0], at });
      } else if ((match = /^[A-Za-z_]\w*(?:::\w+)*/.exec(rest))) {
        this.#tokens.push({ kind: KEYWORDS.has(match[0]) ? "keyword" : "name", text: match[0], at });
      } else {
        const op = OPERATORS.find((each) => rest.startsWith(each));
        if (!op) {
          this.#fail(`unexpected INVALID_CHARACTER (Unix shell quoting issues?) at <top-level>, line 1`);
        }
        if (op === "(") nesting++;
        if (op === ")") nesting--;
        this.#tokens.push({ kind: "op", text: op, at });
        at += op.length;
        continue;
      }
      at += match[0].length;
    }
    if (this.until !== undefined) this.#fail("unterminated string interpolation");
    this.#tokens.push({ kind: "end", text: "", at });
    return at;
  }

  #string(at: number): [parts: (string | Ast)[], end: number] {
    const parts: (string | Ast)[] = [];
    let text = "";
    const { source } = this;
    for (;;) {
      if (at >= source.length) this.#fail("unexpected QQSTRING_START, expecting $end: unterminated string");
      const c = source[at];
      if (c === '"') break;
      if (c !== "\\") {
        text += c;
        at++;
        continue;
      }
      const next = source[at + 1];
      if (next === "(") {
        const inner = new Parser(source, at + 2, ")");
        parts.push(text, inner.program());
        text = "";
        at = inner.end;
      } else if (next === "u") {
        text += String.fromCharCode(parseInt(source.slice(at + 2, at + 6), 16));
        at += 6;
      } else {
        const plain =
          ({ n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", "/": "/", "\\": "\\", '"': '"' } as Record<
            string,
            string
          >)[next];
        if (plain === undefined) this.#fail("invalid escape in a string");
        text += plain;
        at += 2;
      }
    }
    parts.push(text);
    return [parts, at + 1];
  }

  get #token(): Token {
    return this.#tokens[this.#at];
  }

  get #ended(): boolean {
    return this.#token.kind === "end";
  }

  #is(...texts: string[]): boolean {
    const { kind, text } = this.#token;
    return (kind === "op" || kind === "keyword") && texts.includes(text);
  }

  #take(text: string): boolean {
    if (!this.#is(text)) return false;
    this.#at++;
    return true;
  }

  #need(text: string): void {
    if (!this.#take(text)) this.#unexpected(`, expecting '${text}'`);
  }

  #unexpected(more = ""): never {
    const { kind, text } = this.#token;
    this.#fail(
      `unexpected ${kind === "end" ? "end of program" : kind === "string" ? "string" : `'${text}'`}${more}`,
    );
  }

  program(): Ast {
    if (this.#ended) return { type: "identity" };
    if (this.#is("import", "include")) this.#fail("modules are not supported here");
    const ast = this.#pipe();
    if (!this.#ended) this.#unexpected();
    return ast;
  }

  defs(): Def[] {
    const out: Def[] = [];
    while (this.#is("def")) out.push(this.#def());
    return out;
  }

  #nest<T>(work: () => T): T {
    if (++this.#depth > MAX_DEPTH) throw new Failure("error: program too deeply nested", 3);
    try {
      return work();
    } finally {
      this.#depth--;
    }
  }

  #def(): Def {
    this.#need("def");
    const { kind, text: name } = this.#token;
    if (kind !== "name" && kind !== "keyword") this.#unexpected();
    this.#at++;
    const params: string[] = [];
    if (this.#take("(")) {
      do {
        const { kind: each, text } = this.#token;
        if (each === "var") params.push("$" + text);
        else if (each === "name" || each === "keyword") params.push(text);
        else this.#unexpected();
        this.#at++;
      } while (this.#take(";"));
      this.#need(")");
    }
    this.#need(":");
    const body = this.#pipe();
    this.#need(";");
    return { name, params, body };
  }

  #pipe(): Ast {
    return this.#nest(() => {
      if (this.#is("def")) {
        const def = this.#def();
        return { type: "def", def, body: this.#pipe() };
      }
      if (this.#take("label")) {
        const name = this.#token.text;
        if (this.#token.kind !== "var") this.#unexpected();
        this.#at++;
        this.#need("|");
        return { type: "label", name, body: this.#pipe() };
      }
      const left = this.#comma();
      if (this.#is("as")) {
        this.#at++;
        const patterns = [this.#pattern()];
        while (this.#take("?//")) patterns.push(this.#pattern());
        this.#need("|");
        return { type: "as", source: left, patterns, body: this.#pipe() };
      }
      if (this.#take("|")) return { type: "pipe", left, right: this.#pipe() };
      return left;
    });
  }

  #comma(): Ast {
    let left = this.#alternative();
    while (this.#take(",")) left = { type: "comma", left, right: this.#alternative() };
    return left;
  }

  /** `//` binds looser than assignments, and to the right. */
  #alternative(): Ast {
    const left = this.#assignment();
    if (this.#take("//")) return { type: "binary", op: "//", left, right: this.#alternative() };
    return left;
  }

  #assignment(): Ast {
    const left = this.#or();
    if (this.#is("=", "|=", "+=", "-=", "*=", "/=", "%=", "//=")) {
      const op = this.#token.text;
      this.#at++;
      return { type: "assign", op, left, right: this.#alternative() };
    }
    return left;
  }

  #or(): Ast {
    let left = this.#and();
    while (this.#take("or")) left = { type: "binary", op: "or", left, right: this.#and() };
    return left;
  }

  #and(): Ast {
    let left = this.#compare();
    while (this.#take("and")) left = { type: "binary", op: "and", left, right: this.#compare() };
    return left;
  }

  #compare(): Ast {
    const left = this.#sum();
    if (this.#is("==", "!=", "<", "<=", ">", ">=")) {
      const op = this.#token.text;
      this.#at++;
      return { type: "binary", op, left, right: this.#sum() };
    }
    return left;
  }

  #sum(): Ast {
    let left = this.#product();
    while (this.#is("+", "-")) {
      const op = this.#token.text;
      this.#at++;
      left = { type: "binary", op, left, right: this.#product() };
    }
    return left;
  }

  #product(): Ast {
    let left = this.#postfix();
    while (this.#is("*", "/", "%")) {
      const op = this.#token.text;
      this.#at++;
      left = { type: "binary", op, left, right: this.#postfix() };
    }
    return left;
  }

  #postfix(): Ast {
    let term = this.#nest(() => this.#term());
    for (;;) {
      if (this.#token.kind === "field") {
        term = { type: "index", target: term, key: { type: "literal", value: this.#token.text } };
        this.#at++;
      } else if (this.#is(".") && this.#tokens[this.#at + 1].kind === "string") {
        this.#at++;
        term = { type: "index", target: term, key: this.#stringTerm(undefined) };
      } else if (this.#is(".") && this.#tokens[this.#at + 1].text === "[") this.#at++;
      else if (this.#take("[")) term = this.#bracket(term);
      else if (this.#take("?")) term = { type: "try", body: term };
      else if (this.#is("as") && this.#depth > 0) {
        this.#at++;
        const patterns = [this.#pattern()];
        while (this.#take("?//")) patterns.push(this.#pattern());
        this.#need("|");
        return { type: "as", source: term, patterns, body: this.#pipe() };
      } else return term;
    }
  }

  #bracket(target: Ast): Ast {
    if (this.#take("]")) return { type: "iterate", target };
    if (this.#take(":")) {
      const to = this.#pipe();
      this.#need("]");
      return { type: "slice", target, to };
    }
    const key = this.#pipe();
    if (this.#take(":")) {
      const to = this.#is("]") ? undefined : this.#pipe();
      this.#need("]");
      return { type: "slice", target, from: key, to };
    }
    this.#need("]");
    return { type: "index", target, key };
  }

  #stringTerm(format: string | undefined): Ast {
    const parts = this.#token.parts!;
    this.#at++;
    if (parts.length === 1) return { type: "literal", value: parts[0] as string };
    return { type: "string", format, parts };
  }

  #term(): Ast {
    const token = this.#token;
    switch (token.kind) {
      case "number":
        this.#at++;
        return { type: "literal", value: Number(token.text) };
      case "string":
        return this.#stringTerm(undefined);
      case "format":
        this.#at++;
        if (this.#token.kind === "string") return this.#stringTerm(token.text);
        return { type: "format", name: token.text };
      case "field":
        this.#at++;
        return { type: "index", target: { type: "identity" }, key: { type: "literal", value: token.text } };
      case "var":
        this.#at++;
        if (token.text === "__loc__") {
          return {
            type: "object",
            entries: [[{ type: "literal", value: "file" }, { type: "literal", value: "<top-level>" }], [{
              type: "literal",
              value: "line",
            }, { type: "literal", value: this.source.slice(0, token.at).split("\n").length }]],
          };
        }
        return { type: "var", name: token.text };
      case "name": {
        this.#at++;
        if (token.text === "break") {
          const name = this.#token.text;
          if (this.#token.kind !== "var") this.#unexpected();
          this.#at++;
          return { type: "break", name };
        }
        const args: Ast[] = [];
        if (this.#take("(")) {
          do args.push(this.#pipe()); while (this.#take(";"));
          this.#need(")");
        }
        return { type: "call", name: token.text, args };
      }
      case "keyword":
        return this.#keyword(token.text);
      case "op":
        return this.#operatorTerm(token.text);
      default:
        return this.#unexpected();
    }
  }

  #operatorTerm(text: string): Ast {
    this.#at++;
    switch (text) {
      case ".":
        if (this.#token.kind === "string") {
          return { type: "index", target: { type: "identity" }, key: this.#stringTerm(undefined) };
        }
        return { type: "identity" };
      case "..":
        return { type: "recurse" };
      case "(": {
        const body = this.#pipe();
        this.#need(")");
        return body;
      }
      case "[": {
        if (this.#take("]")) return { type: "array" };
        const body = this.#pipe();
        this.#need("]");
        return { type: "array", body };
      }
      case "{":
        return this.#object();
      case "-":
        return { type: "negate", operand: this.#postfix() };
    }
    this.#at--;
    return this.#unexpected();
  }

  #keyword(text: string): Ast {
    this.#at++;
    switch (text) {
      case "if": {
        const test = this.#pipe();
        this.#need("then");
        const yes = this.#pipe();
        if (this.#is("elif")) return { type: "if", test, yes, no: this.#keyword("if") };
        const no = this.#take("else") ? this.#pipe() : undefined;
        this.#need("end");
        return { type: "if", test, yes, no };
      }
      case "try": {
        const body = this.#postfix();
        return this.#take("catch") ? { type: "try", body, handler: this.#postfix() } : { type: "try", body };
      }
      case "reduce":
      case "foreach": {
        const source = this.#source();
        this.#need("as");
        const pattern = this.#pattern();
        this.#need("(");
        const init = this.#pipe();
        this.#need(";");
        const update = this.#pipe();
        const extract = text === "foreach" && this.#take(";") ? this.#pipe() : undefined;
        this.#need(")");
        return text === "reduce"
          ? { type: "reduce", source, pattern, init, update }
          : { type: "foreach", source, pattern, init, update, extract };
      }
      case "def": {
        this.#at--;
        const def = this.#def();
        return { type: "def", def, body: this.#pipe() };
      }
      case "label": {
        this.#at--;
        return this.#pipe();
      }
    }
    this.#at--;
    return this.#unexpected();
  }

  /** A postfix term before `as`, which is not taken. */
  #source(): Ast {
    const saved = this.#depth;
    this.#depth = 0;
    let term = this.#term();
    for (;;) {
      if (this.#token.kind === "field") {
        term = { type: "index", target: term, key: { type: "literal", value: this.#token.text } };
        this.#at++;
      } else if (this.#is(".") && this.#tokens[this.#at + 1].text === "[") this.#at++;
      else if (this.#take("[")) term = this.#bracket(term);
      else if (this.#take("?")) term = { type: "try", body: term };
      else break;
    }
    this.#depth = saved;
    return term;
  }

  #object(): Ast {
    const entries: [Ast, Ast][] = [];
    while (!this.#take("}")) {
      const token = this.#token;
      let key: Ast;
      let value: Ast | undefined;
      if (token.kind === "var") {
        this.#at++;
        key = { type: "literal", value: token.text };
        value = { type: "var", name: token.text };
        if (token.text === "__loc__") {
          this.#at--;
          value = this.#term();
        }
      } else if (token.kind === "name" || token.kind === "keyword") {
        this.#at++;
        key = { type: "literal", value: token.text };
      } else if (token.kind === "number") {
        this.#at++;
        key = { type: "literal", value: token.text };
      } else if (token.kind === "string") key = this.#stringTerm(undefined);
      else if (token.kind === "format") {
        this.#at++;
        key = this.#token.kind === "string"
          ? this.#stringTerm(token.text)
          : { type: "format", name: token.text };
      } else if (this.#take("(")) {
        key = this.#pipe();
        this.#need(")");
      } else this.#unexpected();
      if (this.#take(":")) value = this.#objectValue();
      else value ??= { type: "index", target: { type: "identity" }, key };
      entries.push([key, value]);
      if (!this.#take(",")) {
        this.#need("}");
        break;
      }
    }
    return { type: "object", entries };
  }

  /** A value in an object: no comma; a bar joins values. */
  #objectValue(): Ast {
    const left = this.#alternative();
    if (this.#take("|")) return { type: "pipe", left, right: this.#objectValue() };
    return left;
  }

  #pattern(): Pattern {
    return this.#nest(() => {
      const token = this.#token;
      if (token.kind === "var") {
        this.#at++;
        return { type: "var", name: token.text };
      }
      if (this.#take("[")) {
        const items = [this.#pattern()];
        while (this.#take(",")) items.push(this.#pattern());
        this.#need("]");
        return { type: "array", items };
      }
      this.#need("{");
      const entries: { key: Ast; variable?: string; value?: Pattern }[] = [];
      do {
        const each = this.#token;
        let key: Ast;
        let variable: string | undefined;
        if (each.kind === "var") {
          this.#at++;
          key = { type: "literal", value: each.text };
          variable = each.text;
        } else if (each.kind === "name" || each.kind === "keyword") {
          this.#at++;
          key = { type: "literal", value: each.text };
        } else if (each.kind === "string") key = this.#stringTerm(undefined);
        else {
          this.#need("(");
          key = this.#pipe();
          this.#need(")");
        }
        entries.push({ key, variable, value: this.#take(":") ? this.#pattern() : undefined });
      } while (this.#take(","));
      this.#need("}");
      return { type: "object", entries };
    });
  }
}
