/**
 * The grammar of commands, by recursive descent. It reads one complete line
 * of statements at a time ({@link Parser.next}), because what a line does (an
 * alias, `shopt -s extglob`) may change how the next one reads.
 *
 * It is one piece because the productions call each other all the way round:
 * a list holds commands that hold lists.
 */
import type {
  ArrayItem,
  Assign,
  CaseArm,
  Command,
  If,
  Pipeline,
  Redirect,
  RedirectOp,
  Simple,
  Statement,
  Word,
} from "./ast.ts";
import { readCond } from "./cond.ts";
import { ShellSyntaxError } from "./errors.ts";
import { type HeredocWarning, readHeredocs } from "./heredoc.ts";
import { isMeta, Reader } from "./lexer.ts";
import { readBraceParam, readSubscript } from "./param.ts";
import { readArith, readWord, type WordContext } from "./word.ts";

export interface ParseOptions {
  readonly line?: number;
  /** Value of an alias; absent: none are expanded. */
  readonly alias?: (name: string) => string | undefined;
  /** Whether aliases are expanded just now. */
  readonly aliasing?: () => boolean;
  readonly extglob?: () => boolean;
  readonly onWarning?: (warning: HeredocWarning) => void;
}

const RESERVED =
  /(?:if|then|elif|else|fi|for|do|done|while|until|case|esac|select|function|time|coproc|\{|\}|!|\[\[|in)(?=[\s|&;()<>]|$)/y;
const ENDING = new Set(["then", "elif", "else", "fi", "do", "done", "esac", "}", "in"]);
const REDIRECT =
  /([0-9]+|\{[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]\s{}]+\])?\})?(<<<|<<-|&>>|<<|>>|<&|>&|<>|>\||&>|[<>](?!\())/y;
const ASSIGN = /[A-Za-z_][A-Za-z0-9_]*(?:\+?=|\[)/y;
const DECLARING = new Set(["declare", "typeset", "local", "export", "readonly"]);
/** Builtins before which bash's reader takes `name=(…)` as one word, too; what it means is their own matter. */
const TAKES_LISTS = new Set(["let", "eval", "alias"]);
const LIST = /[A-Za-z_][A-Za-z0-9_]*\+?=\(/y;
const NEVER_PLAIN = /[\s|&;()<>'"\\$`]/;

export class Parser {
  readonly reader: Reader;
  readonly #ctx: WordContext;
  readonly #options: ParseOptions;
  #pending: Redirect[] = [];
  /** Aliases being expanded: name to the length of text that remained after the expansion. */
  #active: { name: string; rest: number }[] = [];

  constructor(text: string, options: ParseOptions = {}) {
    this.#options = options;
    this.reader = new Reader(text, options.line ?? 1);
    this.#ctx = this.#context(this.reader);
  }

  #context(reader: Reader, parser: Parser = this): WordContext {
    return {
      reader,
      extglob: this.#options.extglob?.() ?? true,
      readCommands: () => parser.#inParens(),
      readBraceParam,
      nested: (inner) => Parser.#over(inner, this.#options).#ctx,
    };
  }

  /** A parser that goes on with a reader's text. */
  static #over(reader: Reader, options: ParseOptions): Parser {
    const parser = new Parser(reader.text, { ...options, line: reader.line() });
    parser.reader.depth = reader.depth;
    return parser;
  }

  /** The grammar of words over this text, for texts that are no commands. */
  get words(): WordContext {
    return this.#ctx;
  }

  /** The statements of the next complete line; undefined at the end of the text. */
  next(): readonly Statement[] | undefined {
    const r = this.reader;
    this.#ctx.extglob = this.#options.extglob?.() ?? true;
    this.#skipNewlines();
    if (r.atEnd) return undefined;
    const out: Statement[] = [];
    for (;;) {
      out.push(this.#statement());
      r.skipBlanks();
      if (r.atEnd) {
        this.#heredocs();
        return out;
      }
      if (r.char() === "\n") {
        this.#newline();
        return out;
      }
      if (!this.#ended) throw this.#unexpected();
    }
  }

  /** All statements of the text. */
  all(): readonly Statement[] {
    const out: Statement[] = [];
    for (let line = this.next(); line !== undefined; line = this.next()) out.push(...line);
    return out;
  }

  #ended = false;

  #newline(): void {
    this.reader.pos++;
    this.#heredocs();
  }

  #heredocs(): void {
    if (this.#pending.length === 0) return;
    const pending = this.#pending;
    this.#pending = [];
    const warning = readHeredocs(this.#ctx, pending, pending[0].line);
    if (warning !== undefined) this.#options.onWarning?.(warning);
  }

  #skipNewlines(): void {
    const r = this.reader;
    for (;;) {
      r.skipBlanks();
      if (r.char() === "\r" && r.char(1) === "") r.pos++;
      if (r.char() !== "\n") return;
      this.#newline();
    }
  }

  /** Text of a `$( )` or `<( )` up to its closing parenthesis. */
  #inParens(): readonly Statement[] {
    const outer = this.#pending;
    this.#pending = [];
    const body = this.#statements();
    if (this.#pending.length > 0) this.#heredocs();
    this.#pending = outer;
    if (!this.reader.atEnd && this.reader.char() !== ")") throw this.#unexpected();
    return body;
  }

  /** Statements up to a closing token, which stays unread. */
  #statements(): Statement[] {
    const out: Statement[] = [];
    const r = this.reader;
    r.enter();
    for (;;) {
      this.#skipNewlines();
      if (r.atEnd || this.#atClosing()) break;
      out.push(this.#statement());
      r.skipBlanks();
      if (!this.#ended && !r.atEnd && r.char() !== "\n" && !this.#atClosing()) throw this.#unexpected();
    }
    r.leave();
    return out;
  }

  #atClosing(): boolean {
    const r = this.reader;
    const c = r.char();
    if (c === ")") return true;
    if (c === ";") return r.startsWith(";;") || r.startsWith(";&");
    if (this.#options.aliasing?.()) this.#expandAlias();
    return ENDING.has(this.#peekReserved());
  }

  #peekReserved(): string {
    RESERVED.lastIndex = this.reader.pos;
    const m = RESERVED.exec(this.reader.text);
    return m === null ? "" : m[0];
  }

  #isReserved(word: string): boolean {
    this.reader.skipBlanks();
    return this.#peekReserved() === word;
  }

  #expect(word: string): void {
    this.#skipNewlines();
    if (this.#peekReserved() !== word) throw this.#unexpected();
    this.reader.pos += word.length;
  }

  #unexpected(at?: number): ShellSyntaxError {
    const r = this.reader;
    if (at !== undefined) r.pos = at;
    r.skipBlanks();
    if (r.atEnd) {
      const line = r.line(r.text.length) + (r.text.endsWith("\n") ? 0 : 1);
      return new ShellSyntaxError("syntax error: unexpected end of file", line, true);
    }
    const op = r.operator();
    let token = op;
    if (op === "\n") token = "newline";
    else if (op === "") {
      const word = /[^\s|&;()<>]+/y;
      word.lastIndex = r.pos;
      token = word.exec(r.text)?.[0] ?? r.char();
    }
    return new ShellSyntaxError(
      `syntax error near unexpected token \`${token}'`,
      r.line(),
      false,
      r.sourceLine(r.pos),
    );
  }

  /** At the end of the text a token was still wanted: bash names the newline it adds. */
  #unexpectedHere(): ShellSyntaxError {
    const r = this.reader;
    r.skipBlanks();
    if (!r.atEnd) return this.#unexpected();
    return new ShellSyntaxError(
      "syntax error near unexpected token `newline'",
      r.line(),
      false,
      r.sourceLine(r.pos),
    );
  }

  #statement(): Statement {
    const r = this.reader;
    const first = this.#pipeline();
    const line = first.line;
    let rest: { op: "&&" | "||"; pipeline: Pipeline }[] | undefined;
    this.#ended = false;
    for (;;) {
      r.skipBlanks();
      const c = r.char();
      if (c === "&" && r.char(1) === "&" || c === "|" && r.char(1) === "|") {
        const op = (c + c) as "&&";
        r.pos += 2;
        this.#skipNewlines();
        if (r.atEnd) throw this.#unexpected();
        (rest ??= []).push({ op, pipeline: this.#pipeline() });
        continue;
      }
      if (c === ";" && r.char(1) !== ";" && r.char(1) !== "&") {
        r.pos++;
        this.#ended = true;
        return { first, rest: rest ?? NONE, background: false, line };
      }
      if (c === "&" && r.char(1) !== "&") {
        r.pos++;
        this.#ended = true;
        return { first, rest: rest ?? NONE, background: true, line };
      }
      return { first, rest: rest ?? NONE, background: false, line };
    }
  }

  #pipeline(): Pipeline {
    const r = this.reader;
    r.skipBlanks();
    const line = r.line();
    let negated = false;
    let timed: Pipeline["timed"] = "";
    for (;;) {
      const word = this.#peekReserved();
      if (word === "!") {
        r.pos++;
        negated = !negated;
      } else if (word === "time" && timed === "") {
        r.pos += 4;
        timed = "time";
        r.skipBlanks();
        if (/^-p(?=[\s;&|)]|$)/.test(r.text.slice(r.pos, r.pos + 3))) {
          r.pos += 2;
          timed = "time -p";
        }
        r.skipBlanks();
        if (/^--(?=[\s;&|)]|$)/.test(r.text.slice(r.pos, r.pos + 3))) r.pos += 2;
      } else break;
      r.skipBlanks();
    }
    const commands: Command[] = [];
    const both: boolean[] = [];
    if ((timed !== "" || negated) && (r.atEnd || "\n;&)".includes(r.char()))) {
      return { negated, timed, commands, both, line };
    }
    for (;;) {
      commands.push(this.#command());
      r.skipBlanks();
      if (r.char() !== "|" || r.char(1) === "|") break;
      both.push(r.char(1) === "&");
      r.pos += r.char(1) === "&" ? 2 : 1;
      this.#skipNewlines();
      if (r.atEnd) throw this.#unexpected();
    }
    return { negated, timed, commands, both, line };
  }

  #command(): Command {
    const r = this.reader;
    r.skipBlanks();
    if (this.#options.aliasing?.()) this.#expandAlias();
    const line = r.line();
    const c = r.char();
    if (c === "(") return this.#parens(line);
    const word = this.#peekReserved();
    switch (word) {
      case "":
        return this.#simple(line);
      case "{": {
        r.pos++;
        const body = this.#body();
        this.#expect("}");
        return this.#finish({ kind: "group", body, redirects: NONE, line });
      }
      case "if":
        return this.#if(line);
      case "for":
        return this.#for(line);
      case "select":
        r.pos += 6;
        return this.#forWords("select", line);
      case "while":
      case "until": {
        r.pos += 5;
        const test = this.#body();
        this.#expect("do");
        const body = this.#body();
        this.#expect("done");
        return this.#finish({ kind: "while", until: word === "until", test, body, redirects: NONE, line });
      }
      case "case":
        return this.#case(line);
      case "[[": {
        r.pos += 2;
        const extglob = this.#ctx.extglob;
        this.#ctx.extglob = true;
        const expr = readCond(this.#ctx, extglob);
        this.#ctx.extglob = extglob;
        return this.#finish({ kind: "cond", expr, redirects: NONE, line });
      }
      case "function":
        return this.#functionKeyword(line);
      case "coproc":
        return this.#coproc(line);
      case "!":
      case "time":
      case "in":
        return this.#simple(line);
    }
    throw this.#unexpected();
  }

  /** A body that must not be empty. */
  #body(): Statement[] {
    const body = this.#statements();
    if (body.length === 0) throw this.#unexpected();
    return body;
  }

  #finish<C extends Command>(command: C): C {
    const redirects: Redirect[] = [];
    for (let next = this.#redirect(); next !== undefined; next = this.#redirect()) redirects.push(next);
    return redirects.length === 0 ? command : { ...command, redirects };
  }

  #parens(line: number): Command {
    const r = this.reader;
    if (r.char(1) === "(") {
      const start = r.pos;
      r.pos += 2;
      let expr: Word | undefined;
      let failure: unknown;
      try {
        expr = readArith(this.#ctx);
      } catch (error) {
        failure = error;
      }
      if (expr !== undefined && r.startsWith("))")) {
        r.pos += 2;
        return this.#finish({ kind: "arith", expr, redirects: NONE, line });
      }
      if (failure === undefined && r.atEnd) throw r.unterminated(")", start);
      r.pos = start;
    }
    r.pos++;
    const body = this.#statements();
    if (body.length === 0 || r.char() !== ")") throw this.#unexpected();
    r.pos++;
    return this.#finish({ kind: "subshell", body, redirects: NONE, line });
  }

  #if(line: number): Command {
    const r = this.reader;
    r.pos += 2;
    const arms: If["arms"][number][] = [];
    let otherwise: Statement[] | undefined;
    for (;;) {
      const test = this.#body();
      this.#expect("then");
      arms.push({ test, body: this.#body() });
      this.#skipNewlines();
      const word = this.#peekReserved();
      if (word === "elif") {
        r.pos += 4;
        continue;
      }
      if (word === "else") {
        r.pos += 4;
        otherwise = this.#body();
      }
      this.#expect("fi");
      return this.#finish({ kind: "if", arms, otherwise, redirects: NONE, line });
    }
  }

  #for(line: number): Command {
    const r = this.reader;
    r.pos += 3;
    r.skipBlanks();
    if (!r.startsWith("((")) return this.#forWords("for", line);
    const opened = r.pos;
    r.pos += 2;
    const init = readArith(this.#ctx, ";)");
    if (r.char() !== ";") throw r.atEnd ? r.unterminated(")", opened) : this.#unexpected();
    r.pos++;
    const test = readArith(this.#ctx, ";)");
    if (r.char() !== ";") throw r.atEnd ? r.unterminated(")", opened) : this.#unexpected();
    r.pos++;
    const step = readArith(this.#ctx, ";)");
    if (!r.startsWith("))")) throw r.atEnd ? r.unterminated(")", opened) : this.#unexpected();
    r.pos += 2;
    r.skipBlanks();
    if (r.char() === ";" && r.char(1) !== ";") r.pos++;
    const body = this.#doBody();
    return this.#finish({ kind: "for_arith", init, test, step, body, redirects: NONE, line });
  }

  #doBody(): Statement[] {
    this.#skipNewlines();
    if (this.#isReserved("{")) {
      this.reader.pos++;
      const body = this.#body();
      this.#expect("}");
      return body;
    }
    this.#expect("do");
    const body = this.#body();
    this.#expect("done");
    return body;
  }

  #forWords(kind: "for" | "select", line: number): Command {
    const r = this.reader;
    r.skipBlanks();
    const variable = readWord(this.#ctx);
    if (variable === undefined) throw this.#unexpectedHere();
    const name = variable.text;
    this.#skipNewlinesOrSemicolon();
    let words: Word[] | undefined;
    if (this.#peekReserved() === "in") {
      r.pos += 2;
      words = [];
      for (;;) {
        r.skipBlanks();
        const w = readWord(this.#ctx);
        if (w === undefined) break;
        words.push(w);
      }
      if (r.char() === ";") r.pos++;
      else if (r.char() !== "\n") throw this.#unexpected();
    }
    const body = this.#doBody();
    return this.#finish({ kind, name, words, body, redirects: NONE, line });
  }

  #skipNewlinesOrSemicolon(): void {
    const r = this.reader;
    r.skipBlanks();
    if (r.char() === ";" && r.char(1) !== ";") {
      const at = r.pos++;
      this.#skipNewlines();
      if (this.#peekReserved() === "in") throw this.#unexpected(at);
      return;
    }
    this.#skipNewlines();
  }

  #case(line: number): Command {
    const r = this.reader;
    r.pos += 4;
    r.skipBlanks();
    const subject = readWord(this.#ctx);
    if (subject === undefined) throw this.#unexpectedHere();
    this.#expect("in");
    const arms: CaseArm[] = [];
    r.enter();
    for (;;) {
      this.#skipNewlines();
      if (r.atEnd) throw this.#unexpected();
      if (this.#peekReserved() === "esac") break;
      if (r.char() === "(") {
        r.pos++;
        r.skipBlanks();
      }
      const patterns: Word[] = [];
      for (;;) {
        r.skipBlanks();
        const p = readWord(this.#ctx);
        if (p === undefined) throw this.#unexpected();
        patterns.push(p);
        r.skipBlanks();
        if (r.char() === "|") {
          r.pos++;
          continue;
        }
        if (r.char() !== ")") throw this.#unexpected();
        r.pos++;
        break;
      }
      const body = this.#statements();
      this.#skipNewlines();
      let end: CaseArm["end"] = ";;";
      if (r.startsWith(";;&")) end = ";;&";
      else if (r.startsWith(";&")) end = ";&";
      else if (!r.startsWith(";;")) {
        if (this.#peekReserved() !== "esac") throw this.#unexpected();
        arms.push({ patterns, body, end });
        break;
      }
      r.pos += end.length;
      arms.push({ patterns, body, end });
    }
    r.leave();
    this.#expect("esac");
    return this.#finish({ kind: "case", subject, arms, redirects: NONE, line });
  }

  #functionKeyword(line: number): Command {
    const r = this.reader;
    r.pos += 8;
    r.skipBlanks();
    const name = readWord(this.#ctx);
    if (name === undefined) throw this.#unexpectedHere();
    r.skipBlanks();
    if (r.char() === "(") {
      const at = r.pos++;
      r.skipBlanks();
      if (r.char() === ")") r.pos++;
      else r.pos = at;
    }
    return this.#functionBody(name.text, line, true);
  }

  #functionBody(name: string, line: number, keyword: boolean): Command {
    this.#skipNewlines();
    const r = this.reader;
    const word = this.#peekReserved();
    const compound = r.char() === "(" ||
      ["{", "if", "for", "select", "while", "until", "case", "[["].includes(word);
    if (!compound) throw this.#unexpected();
    const body = this.#command();
    return { kind: "function", name, body, redirects: NONE, line, keyword };
  }

  #coproc(line: number): Command {
    const r = this.reader;
    r.pos += 6;
    r.skipBlanks();
    const at = r.pos;
    const name = r.name();
    if (name !== "" && this.#peekReserved() === "") {
      r.pos += name.length;
      const blank = r.char() === " " || r.char() === "\t";
      r.skipBlanks();
      const word = this.#peekReserved();
      if (
        blank &&
        (r.char() === "(" || ["{", "if", "for", "select", "while", "until", "case", "[["].includes(word))
      ) {
        return { kind: "coproc", name, body: this.#command(), redirects: NONE, line };
      }
      r.pos = at;
    }
    return { kind: "coproc", name: "COPROC", body: this.#command(), redirects: NONE, line };
  }

  /** Expands an alias at the position, as often as the result begins with one. */
  #expandAlias(): boolean {
    const r = this.reader;
    let blank = false;
    for (;;) {
      r.skipBlanks();
      this.#active = this.#active.filter((a) => r.text.length - r.pos > a.rest);
      const word = /[^\s|&;()<>'"\\$`]+/y;
      word.lastIndex = r.pos;
      const m = word.exec(r.text);
      if (m === null) return blank;
      const after = r.text.charCodeAt(r.pos + m[0].length);
      if (!Number.isNaN(after) && !isMeta(after) && after !== 13) return blank;
      const name = m[0];
      if (this.#active.some((a) => a.name === name)) return blank;
      const value = this.#options.alias?.(name);
      if (value === undefined) return blank;
      const start = r.pos;
      const rest = r.text.length - start - name.length;
      r.pos += name.length;
      // Tokens do not grow together across the end of an alias.
      r.splice(start, value);
      this.#active.push({ name, rest });
      blank = /[ \t]$/.test(value);
      if (blank) {
        // The word after a value that ends in a blank is looked up as well.
        const end = start + value.length;
        const saved = r.pos;
        r.pos = end;
        this.#blankEnds.add(r.text.length - end);
        r.pos = saved;
      }
    }
  }

  /** Remaining lengths of text at which a word is looked up as an alias too. */
  readonly #blankEnds = new Set<number>();

  #simple(line: number): Command {
    const r = this.reader;
    const assigns: Assign[] = [];
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    let declaring = false;
    // bash gives a command the line that its reader is on when it has seen the first assignment or redirection,
    // or the word after the command's name.
    let at: number | undefined;
    for (;;) {
      if (at === undefined && (assigns.length + redirects.length > 0 || words.length > 1)) at = r.line();
      const before = r.pos;
      r.skipBlanks();
      if (words.length > 0 && this.#blankEnds.size > 0) {
        for (let p = before; p <= r.pos; p++) {
          if (this.#blankEnds.delete(r.text.length - p)) {
            this.#expandAlias();
            break;
          }
        }
      } else if (
        words.length === 0 && assigns.length + redirects.length > 0
      ) {
        if (this.#options.aliasing?.()) this.#expandAlias();
      }
      const redirect = this.#redirect();
      if (redirect !== undefined) {
        redirects.push(redirect);
        continue;
      }
      if (words.length === 0) {
        const assign = this.#assign();
        if (assign !== undefined) {
          assigns.push(assign);
          continue;
        }
      } else if (declaring) {
        const start = r.pos;
        const assign = this.#assign();
        if (assign !== undefined) {
          words.push(this.#assignWord(assign, start));
          continue;
        }
      }
      if (words.length > 0 && TAKES_LISTS.has(words[0].plain ?? "")) {
        LIST.lastIndex = r.pos;
        if (LIST.test(r.text)) {
          const start = r.pos;
          this.#assign();
          const text = r.text.slice(start, r.pos);
          words.push({ parts: [{ kind: "quoted", text }], text, line: r.line(start), plain: text });
          continue;
        }
      }
      const word = readWord(this.#ctx);
      if (word === undefined) break;
      words.push(word);
      if (words.length === 1) {
        if (word.plain !== undefined) declaring = DECLARING.has(word.plain);
        if (assigns.length === 0 && redirects.length === 0 && this.#atFunctionParens(word)) {
          return this.#functionBody(word.text, line, false);
        }
      }
    }
    if (assigns.length === 0 && words.length === 0 && redirects.length === 0) throw this.#unexpected();
    if (r.char() === "(") throw this.#unexpected();
    const simple: Simple = {
      kind: "simple",
      assigns,
      words,
      redirects: redirects.length === 0 ? NONE : redirects,
      line: at ?? line,
    };
    return simple;
  }

  #atFunctionParens(word: Word): boolean {
    const r = this.reader;
    const at = r.pos;
    r.skipBlanks();
    if (r.char() !== "(") {
      r.pos = at;
      return false;
    }
    const open = r.pos++;
    r.skipBlanks();
    if (r.char() !== ")") {
      if (r.atEnd) throw this.#unexpectedHere();
      throw this.#unexpected(/^[\w]/.test(r.char()) || r.char() === "\n" ? undefined : open);
    }
    if (NEVER_PLAIN.test(word.text)) throw this.#unexpected(open);
    r.pos++;
    return true;
  }

  /** A word that is an assignment as well: its parts give the text when the command turns out to declare nothing. */
  #assignWord(assign: Assign, start: number): Word {
    const text = this.reader.text.slice(start, this.reader.pos);
    return { parts: [{ kind: "lit", text }], text, line: this.reader.line(start), plain: undefined, assign };
  }

  #assign(): Assign | undefined {
    const r = this.reader;
    ASSIGN.lastIndex = r.pos;
    const m = ASSIGN.exec(r.text);
    if (m === null) return undefined;
    const start = r.pos;
    const name = r.name();
    r.pos += name.length;
    let index: Assign["index"];
    if (r.char() === "[") {
      try {
        index = readSubscript(this.#ctx);
      } catch (error) {
        if (!(error instanceof ShellSyntaxError)) throw error;
      }
      if (index === undefined && r.atEnd) throw r.unterminated("]", start);
      if (index === undefined || !(r.char() === "=" || r.startsWith("+="))) {
        r.pos = start;
        return undefined;
      }
    }
    const append = r.char() === "+";
    r.pos += append ? 2 : 1;
    if (r.char() === "(") {
      const array = this.#array();
      return { name, index, append, array, text: r.text.slice(start, r.pos) };
    }
    const at = r.pos;
    const value = readWord(this.#ctx) ??
      { parts: NONE, text: "", line: r.line(at), plain: "" };
    return { name, index, append, value, text: r.text.slice(start, r.pos) };
  }

  #array(): ArrayItem[] {
    const r = this.reader;
    const opened = r.pos++;
    const items: ArrayItem[] = [];
    r.enter();
    for (;;) {
      this.#skipNewlines();
      if (r.atEnd) throw r.unterminated(")", opened);
      if (r.char() === ")") break;
      if (r.char() === "[") {
        const start = r.pos;
        const index = readSubscript(this.#ctx);
        if (index !== undefined && (r.char() === "=" || r.startsWith("+="))) {
          const append = r.char() === "+";
          r.pos += append ? 2 : 1;
          const value = readWord(this.#ctx) ?? { parts: NONE, text: "", line: r.line(), plain: "" };
          items.push({ index, append, value });
          continue;
        }
        r.pos = start;
      }
      const value = readWord(this.#ctx);
      if (value === undefined) throw this.#unexpected();
      items.push({ append: false, value });
    }
    r.leave();
    r.pos++;
    return items;
  }

  #redirect(): Redirect | undefined {
    const r = this.reader;
    r.skipBlanks();
    REDIRECT.lastIndex = r.pos;
    const m = REDIRECT.exec(r.text);
    if (m === null) return undefined;
    const op = m[2] as RedirectOp;
    if ((op === "&>" || op === "&>>") && m[1] !== undefined) return undefined;
    const line = r.line();
    r.pos += m[0].length;
    r.skipBlanks();
    const target = readWord(this.#ctx);
    if (target === undefined) throw this.#unexpectedHere();
    const prefix = m[1];
    const variable = prefix !== undefined && prefix[0] === "{" ? prefix.slice(1, -1) : undefined;
    const fd = prefix !== undefined && variable === undefined ? Number(prefix) : undefined;
    const redirect: Redirect = { op, fd, variable, target, line };
    if (op === "<<" || op === "<<-") this.#pending.push(redirect);
    return redirect;
  }
}

const NONE: readonly never[] = [];

/** Parses a whole text. Throws {@link ShellSyntaxError}. */
export function parse(text: string, options: ParseOptions = {}): readonly Statement[] {
  return new Parser(text, options).all();
}
