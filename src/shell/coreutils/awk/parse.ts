/** Reads an awk program into a tree, by descent; precedence is POSIX's. */
import { Failure } from "../shared/options.ts";
import type { Expr, FunctionDef, Lvalue, Pattern, Program, Redirect, Rule, Stmt } from "./ast.ts";
import { type Token, tokenize } from "./lex.ts";

const MAX_DEPTH = 300;

export function parseProgram(source: string): Program {
  return new Parser(tokenize(source)).program();
}

class Parser {
  #at = 0;
  #depth = 0;
  /** Inside print's arguments `>` redirects. */
  #noGreater = false;
  /** Inside `for (` the word `in` belongs to the loop. */
  #noIn = false;

  constructor(readonly tokens: readonly Token[]) {}

  get #token(): Token {
    return this.tokens[this.#at];
  }

  #fail(token = this.#token): never {
    const what = token.kind === "end" ? "end of program" : token.kind === "newline" ? "newline" : token.text;
    throw new Failure(`syntax error at source line ${token.line}: unexpected ${what}`, 2);
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
    if (!this.#take(text)) this.#fail();
  }

  #newlines(): void {
    while (this.#token.kind === "newline") this.#at++;
  }

  #separators(): void {
    while (this.#token.kind === "newline" || this.#is(";")) this.#at++;
  }

  program(): Program {
    const rules: Rule[] = [];
    const functions = new Map<string, FunctionDef>();
    this.#separators();
    while (this.#token.kind !== "end") {
      if (this.#is("function", "func")) {
        const def = this.#function();
        if (functions.has(def.name)) throw new Failure(`function ${def.name} is defined twice`, 2);
        functions.set(def.name, def);
      } else rules.push(this.#rule());
      this.#separators();
    }
    return { rules, functions };
  }

  #function(): FunctionDef {
    this.#at++;
    const name = this.#token.text;
    if (this.#token.kind !== "name" && this.#token.kind !== "call") this.#fail();
    this.#at++;
    this.#need("(");
    const params: string[] = [];
    this.#newlines();
    while (!this.#is(")")) {
      if (this.#token.kind !== "name") this.#fail();
      params.push(this.#token.text);
      this.#at++;
      this.#newlines();
      if (!this.#take(",")) break;
      this.#newlines();
    }
    this.#need(")");
    this.#newlines();
    return { name, params, body: this.#block() };
  }

  #rule(): Rule {
    let pattern: Pattern = { type: "always" };
    if (this.#take("BEGIN")) pattern = { type: "begin" };
    else if (this.#take("END")) pattern = { type: "end" };
    else if (!this.#is("{")) {
      const first = this.#expr();
      if (this.#take(",")) {
        this.#newlines();
        pattern = { type: "range", first, last: this.#expr() };
      } else pattern = { type: "expr", test: first };
    }
    if (this.#is("{")) return { pattern, body: this.#block() };
    if (pattern.type === "begin" || pattern.type === "end") this.#fail();
    return { pattern, body: undefined };
  }

  #block(): Stmt[] {
    this.#need("{");
    const body: Stmt[] = [];
    for (;;) {
      this.#separators();
      if (this.#take("}")) return body;
      if (this.#token.kind === "end") this.#fail();
      body.push(this.#statement());
    }
  }

  #end(): void {
    if (this.#token.kind === "newline" || this.#is(";")) this.#at++;
    else if (!this.#is("}")) this.#fail();
  }

  #statement(): Stmt {
    if (++this.#depth > MAX_DEPTH) throw new Failure("program too deeply nested", 2);
    try {
      return this.#statementInner();
    } finally {
      this.#depth--;
    }
  }

  /** A body after `if (…)`, `while (…)`: may be empty. */
  #body(): Stmt {
    this.#newlines();
    if (this.#take(";")) return { type: "block", body: [] };
    return this.#statement();
  }

  #statementInner(): Stmt {
    if (this.#is("{")) return { type: "block", body: this.#block() };
    if (this.#take("if")) {
      this.#need("(");
      const test = this.#expr();
      this.#need(")");
      const yes = this.#body();
      const back = this.#at;
      this.#separators();
      if (this.#take("else")) return { type: "if", test, yes, no: this.#body() };
      this.#at = back;
      return { type: "if", test, yes };
    }
    if (this.#take("while")) {
      this.#need("(");
      const test = this.#expr();
      this.#need(")");
      return { type: "while", test, body: this.#body() };
    }
    if (this.#take("do")) {
      const body = this.#body();
      this.#separators();
      this.#need("while");
      this.#need("(");
      const test = this.#expr();
      this.#need(")");
      this.#end();
      return { type: "do", test, body };
    }
    if (this.#take("for")) return this.#for();
    if (this.#take("switch")) return this.#switch();
    const stmt = this.#simple();
    this.#end();
    return stmt;
  }

  #for(): Stmt {
    this.#need("(");
    const { tokens } = this;
    const ahead = (offset: number) => tokens[this.#at + offset];
    if (
      this.#token.kind === "name" && ahead(1).text === "in" && ahead(2).kind === "name" &&
      ahead(3).text === ")"
    ) {
      const variable: Lvalue = { type: "var", name: this.#token.text };
      const array = ahead(2).text;
      this.#at += 4;
      return { type: "forin", variable, array, body: this.#body() };
    }
    const init = this.#is(";") ? undefined : this.#simple();
    this.#need(";");
    this.#newlines();
    const test = this.#is(";") ? undefined : this.#expr();
    this.#need(";");
    this.#newlines();
    const step = this.#is(")") ? undefined : this.#simple();
    this.#need(")");
    return { type: "for", init, test, step, body: this.#body() };
  }

  #switch(): Stmt {
    this.#need("(");
    const subject = this.#expr();
    this.#need(")");
    this.#newlines();
    this.#need("{");
    const cases: { test?: Expr; body: Stmt[] }[] = [];
    this.#separators();
    while (!this.#take("}")) {
      let test: Expr | undefined;
      if (!this.#take("default")) {
        this.#need("case");
        test = this.#unary();
      }
      this.#need(":");
      const body: Stmt[] = [];
      this.#separators();
      while (!this.#is("case", "default", "}")) {
        body.push(this.#statement());
        this.#separators();
      }
      cases.push({ test, body });
    }
    return { type: "switch", subject, cases };
  }

  #simple(): Stmt {
    for (const word of ["break", "continue", "next", "nextfile"] as const) {
      if (this.#take(word)) return { type: word };
    }
    for (const word of ["exit", "return"] as const) {
      if (!this.#take(word)) continue;
      const none = this.#token.kind === "newline" || this.#is(";", "}");
      return none ? { type: word } : { type: word, value: this.#expr() };
    }
    if (this.#take("delete")) {
      const grouped = this.#take("(");
      const array = this.#token.text;
      if (this.#token.kind !== "name") this.#fail();
      this.#at++;
      const subscript = this.#is("[") ? this.#subscript() : undefined;
      if (grouped) this.#need(")");
      return { type: "delete", array, subscript };
    }
    if (this.#is("print", "printf")) {
      const type = this.#token.text as "print" | "printf";
      this.#at++;
      return this.#print(type);
    }
    return { type: "expr", expr: this.#expr() };
  }

  #print(type: "print" | "printf"): Stmt {
    const saved = this.#noGreater;
    this.#noGreater = true;
    let args: readonly Expr[] = [];
    if (this.#token.kind !== "newline" && !this.#is(";", "}", ">", ">>", "|")) {
      const list = [this.#expr()];
      while (this.#take(",")) {
        this.#newlines();
        list.push(this.#expr());
      }
      args = list.length === 1 && list[0].type === "list"
        ? list[0].items
        : list.length === 1 && list[0].type === "group"
        ? [list[0].body]
        : list;
    }
    this.#noGreater = saved;
    let redirect: Redirect | undefined;
    if (this.#is(">", ">>", "|")) {
      const kind = this.#token.text as Redirect["kind"];
      this.#at++;
      redirect = { kind, target: this.#concat(true) };
    }
    if (this.#is("|&")) throw new Failure("coprocesses (|&) are not supported here", 2);
    return { type, args, redirect };
  }

  #subscript(): Expr[] {
    this.#need("[");
    const [saved, savedIn] = [this.#noGreater, this.#noIn];
    this.#noGreater = this.#noIn = false;
    const items = [this.#expr()];
    while (this.#take(",")) {
      this.#newlines();
      items.push(this.#expr());
    }
    [this.#noGreater, this.#noIn] = [saved, savedIn];
    this.#need("]");
    return items;
  }

  #expr(): Expr {
    if (++this.#depth > MAX_DEPTH) throw new Failure("expression too deeply nested", 2);
    try {
      return this.#assignment();
    } finally {
      this.#depth--;
    }
  }

  #assignment(): Expr {
    const left = this.#ternary();
    if (!this.#is("=", "+=", "-=", "*=", "/=", "%=", "^=", "**=")) return left;
    if (!isLvalue(left)) {
      // `1 == x = 2` and `!x = y`: the assignment belongs to the last operand.
      const moved = this.#moveAssignment(left);
      if (moved) return moved;
      this.#fail();
    }
    return this.#assignTo(left);
  }

  #assignTo(target: Lvalue): Expr {
    const op = this.#token.text.replace("**", "^");
    this.#at++;
    this.#newlines();
    return { type: "assign", op, target, value: this.#expr() };
  }

  #moveAssignment(left: Expr): Expr | undefined {
    if (left.type === "binary" && isLvalue(left.right)) return { ...left, right: this.#assignTo(left.right) };
    if (left.type === "unary" && isLvalue(left.operand)) {
      return { ...left, operand: this.#assignTo(left.operand) };
    }
    return undefined;
  }

  #ternary(): Expr {
    const test = this.#or();
    if (!this.#take("?")) return test;
    this.#newlines();
    const yes = this.#expr();
    this.#newlines();
    this.#need(":");
    this.#newlines();
    return { type: "cond", test, yes, no: this.#expr() };
  }

  #or(): Expr {
    let left = this.#and();
    while (this.#take("||")) {
      this.#newlines();
      left = { type: "binary", op: "||", left, right: this.#and() };
    }
    return left;
  }

  #and(): Expr {
    let left = this.#in();
    while (this.#take("&&")) {
      this.#newlines();
      left = { type: "binary", op: "&&", left, right: this.#in() };
    }
    return left;
  }

  #in(): Expr {
    let left = this.#match();
    while (!this.#noIn && this.#take("in")) {
      const array = this.#token.text;
      if (this.#token.kind !== "name") this.#fail();
      this.#at++;
      left = { type: "in", subscript: left.type === "list" ? left.items : [left], array };
    }
    return left;
  }

  #match(): Expr {
    let left = this.#comparison();
    while (this.#is("~", "!~")) {
      const op = this.#token.text;
      this.#at++;
      left = { type: "binary", op, left, right: this.#comparison() };
    }
    return left;
  }

  #comparison(): Expr {
    let left = this.#concat(false);
    while (this.#is("<", "<=", "==", "!=", ">=") || (!this.#noGreater && this.#is(">"))) {
      const op = this.#token.text;
      this.#at++;
      left = { type: "binary", op, left, right: this.#concat(false) };
    }
    return left;
  }

  /** Concatenation, and `command | getline` behind it. */
  #concat(redirect: boolean): Expr {
    let left = this.#additive();
    for (;;) {
      if (
        !redirect && this.#is("|") && this.tokens[this.#at + 1].text === "getline" &&
        this.tokens[this.#at + 1].kind === "keyword"
      ) {
        this.#at += 2;
        left = { type: "getline", from: "command", source: left, target: this.#optionalLvalue() };
        continue;
      }
      if (!this.#startsOperand()) return left;
      left = { type: "binary", op: "concat", left, right: this.#additive() };
    }
  }

  #startsOperand(): boolean {
    const { kind, text } = this.#token;
    if (
      kind === "number" || kind === "string" || kind === "regex" || kind === "name" || kind === "call" ||
      kind === "builtin"
    ) return true;
    if (kind === "op") return ["$", "(", "-", "+", "++", "--"].includes(text);
    return false;
  }

  #additive(): Expr {
    let left = this.#multiplicative();
    while (this.#is("+", "-")) {
      const op = this.#token.text;
      this.#at++;
      left = { type: "binary", op, left, right: this.#multiplicative() };
    }
    return left;
  }

  #multiplicative(): Expr {
    let left = this.#unary();
    while (this.#is("*", "/", "%")) {
      const op = this.#token.text;
      this.#at++;
      left = { type: "binary", op, left, right: this.#unary() };
    }
    return left;
  }

  #unary(): Expr {
    if (this.#is("!", "-", "+")) {
      const op = this.#token.text as "!";
      this.#at++;
      if (++this.#depth > MAX_DEPTH) throw new Failure("expression too deeply nested", 2);
      const operand = this.#unary();
      this.#depth--;
      return { type: "unary", op, operand };
    }
    return this.#power();
  }

  #power(): Expr {
    const left = this.#postfix();
    if (!this.#is("^", "**")) return left;
    this.#at++;
    // `-` binds looser than `^` on the left, tighter on its right.
    const right = this.#is("-", "+", "!") ? this.#unary() : this.#power();
    return { type: "binary", op: "^", left, right };
  }

  #postfix(): Expr {
    const left = this.#primary();
    if (isLvalue(left) && this.#is("++", "--")) {
      const op = this.#token.text as "++";
      this.#at++;
      return { type: "step", op, prefix: false, target: left };
    }
    return left;
  }

  #primary(): Expr {
    const token = this.#token;
    this.#at++;
    switch (token.kind) {
      case "number":
        return { type: "number", value: Number(token.text) };
      case "string":
        return { type: "string", value: token.text };
      case "regex":
        return { type: "regex", source: token.text };
      case "name":
        if (this.#is("[")) return { type: "index", array: token.text, subscript: this.#subscript() };
        return { type: "var", name: token.text };
      case "call":
        return { type: "call", name: token.text, args: this.#arguments(), line: token.line };
      case "builtin":
        if (!this.#is("(")) {
          if (token.text !== "length") this.#fail();
          return { type: "builtin", name: "length", args: [], line: token.line };
        }
        return { type: "builtin", name: token.text, args: this.#arguments(), line: token.line };
      case "keyword":
        if (token.text === "getline") return this.#getline();
        break;
      case "op":
        if (token.text === "$") {
          if (this.#is("++", "--")) {
            const op = this.#token.text as "++";
            this.#at++;
            const target = this.#primary();
            if (!isLvalue(target)) this.#fail();
            return { type: "field", index: { type: "step", op, prefix: true, target } };
          }
          if (this.#is("-", "+", "!")) return { type: "field", index: this.#unary() };
          return { type: "field", index: this.#primary() };
        }
        if (token.text === "++" || token.text === "--") {
          const target = this.#primary();
          if (!isLvalue(target)) this.#fail();
          return { type: "step", op: token.text, prefix: true, target };
        }
        if (token.text === "(") return this.#grouping();
    }
    this.#at--;
    this.#fail(token);
  }

  #grouping(): Expr {
    const [saved, savedIn] = [this.#noGreater, this.#noIn];
    this.#noGreater = this.#noIn = false;
    this.#newlines();
    const items = [this.#expr()];
    this.#newlines();
    while (this.#take(",")) {
      this.#newlines();
      items.push(this.#expr());
      this.#newlines();
    }
    [this.#noGreater, this.#noIn] = [saved, savedIn];
    this.#need(")");
    return items.length > 1 ? { type: "list", items } : { type: "group", body: items[0] };
  }

  #arguments(): Expr[] {
    this.#need("(");
    const [saved, savedIn] = [this.#noGreater, this.#noIn];
    this.#noGreater = this.#noIn = false;
    const args: Expr[] = [];
    this.#newlines();
    while (!this.#is(")")) {
      args.push(this.#expr());
      this.#newlines();
      if (!this.#take(",")) break;
      this.#newlines();
    }
    [this.#noGreater, this.#noIn] = [saved, savedIn];
    this.#need(")");
    return args;
  }

  #getline(): Expr {
    const target = this.#optionalLvalue();
    if (!this.#take("<")) return { type: "getline", from: "input", target };
    return { type: "getline", from: "file", source: this.#postfix(), target };
  }

  #optionalLvalue(): Lvalue | undefined {
    if (this.#token.kind !== "name" && !this.#is("$")) return undefined;
    const target = this.#primary();
    if (!isLvalue(target)) this.#fail();
    return target;
  }
}

function isLvalue(expr: Expr): expr is Lvalue {
  return expr.type === "var" || expr.type === "field" || expr.type === "index";
}
