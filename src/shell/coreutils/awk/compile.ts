/**
 * Turns the tree of an awk program into JavaScript functions, so that it runs
 * at the engine's speed. What may have to wait (output, getline, commands) is
 * found beforehand: functions that hold none of it are plain, the others are
 * async but wait only when they must. Nothing from the program gets into the
 * source but numbers, JSON strings and names with a prefix. It is one piece
 * because it is one case for each form of the tree.
 */
import { compileRegex, type Regex, RegexError } from "../../../lib/regex.ts";
import { Failure } from "../shared/options.ts";
import type { Expr, FunctionDef, Lvalue, Program, Redirect, Stmt } from "./ast.ts";
import { walkExpr, walkStmt } from "./walk.ts";

/** Variables that the runtime keeps. */
export const SPECIAL = new Set([
  "NR",
  "NF",
  "FNR",
  "FS",
  "OFS",
  "ORS",
  "RS",
  "RT",
  "SUBSEP",
  "FILENAME",
  "RSTART",
  "RLENGTH",
  "CONVFMT",
  "OFMT",
  "ENVIRON",
  "ARGC",
  "ARGV",
  "PROCINFO",
  "IGNORECASE",
  "FIELDWIDTHS",
  "FPAT",
]);
const SPECIAL_ARRAYS = new Set(["ENVIRON", "ARGV", "PROCINFO"]);

export interface Compiled {
  begin(): Promise<void> | void;
  record(): Promise<void> | void;
  end(): Promise<void> | void;
  setVar(name: string, value: unknown): void;
  readonly hasBegin: boolean;
  readonly hasRecord: boolean;
  readonly hasEnd: boolean;
}

export function compileProgram(program: Program, runtime: unknown): Compiled {
  const compiler = new Compiler(program);
  const source = compiler.source();
  const make = new Function("rt", "R", '"use strict";\n' + source);
  const functions = make(runtime, compiler.regexes) as Omit<Compiled, "hasBegin" | "hasRecord" | "hasEnd">;
  return {
    ...functions,
    hasBegin: program.rules.some(({ pattern }) => pattern.type === "begin"),
    hasRecord: program.rules.some(({ pattern }) => pattern.type !== "begin" && pattern.type !== "end"),
    hasEnd: program.rules.some(({ pattern }) => pattern.type === "end"),
  };
}

/** Where names mean what. */
interface Scope {
  readonly def: FunctionDef | undefined;
  readonly params: ReadonlySet<string>;
  /** Whether `await` may be written here. */
  readonly async: boolean;
}

type Kind = "n" | "s" | "v" | "b";

interface Code {
  readonly code: string;
  readonly kind: Kind;
}

class Compiler {
  readonly regexes: Regex[] = [];
  readonly #regexIndex = new Map<string, number>();
  readonly #globals = new Set<string>();
  /** `name` for globals, `function/name` for parameters. */
  readonly #arrays = new Set<string>();
  readonly #waiting = new Set<string>();
  /** The program sets IGNORECASE, so every match asks for it. */
  #folds = false;
  #ranges = 0;
  #temps = 0;

  constructor(readonly program: Program) {
    this.#check();
    this.#inferArrays();
    this.#inferWaiting();
  }

  #check(): void {
    for (const def of this.program.functions.values()) {
      for (const param of def.params) {
        if (SPECIAL.has(param)) {
          throw new Failure(`function ${def.name}: parameter ${param} is a special variable`, 2);
        }
      }
    }
    this.#everywhere((node, def) => {
      if (node.type === "call") {
        const target = this.program.functions.get(node.name);
        if (!target) throw new Failure(`function ${node.name} is not defined (source line ${node.line})`, 2);
        if (node.args.length > target.params.length) {
          throw new Failure(
            `function ${node.name} is called with too many arguments (source line ${node.line})`,
            2,
          );
        }
      }
      if (node.type === "var" && node.name === "IGNORECASE") this.#folds = true;
      if (node.type === "var" && !SPECIAL.has(node.name) && !def?.params.includes(node.name)) {
        this.#globals.add(node.name);
      }
    });
    this.#arrayUses((name, def) => {
      if (!SPECIAL.has(name) && !def?.params.includes(name)) this.#globals.add(name);
    });
  }

  /** Calls `visit` for every expression, with the function it stands in. */
  #everywhere(visit: (node: Expr, def: FunctionDef | undefined) => void): void {
    for (const { pattern, body } of this.program.rules) {
      const each = (node: Expr) => visit(node, undefined);
      if (pattern.type === "expr") walkExpr(pattern.test, each);
      if (pattern.type === "range") {
        walkExpr(pattern.first, each);
        walkExpr(pattern.last, each);
      }
      if (body) { for (const stmt of body) walkStmt(stmt, each); }
    }
    for (const def of this.program.functions.values()) {
      for (const stmt of def.body) {
        walkStmt(stmt, (node) => visit(node, def));
      }
    }
  }

  #arrayUses(visit: (name: string, def: FunctionDef | undefined) => void): void {
    const statements = (stmts: readonly Stmt[], def: FunctionDef | undefined) => {
      for (const stmt of stmts) {
        walkStmt(stmt, () => {}, (inner) => {
          if (inner.type === "forin" || inner.type === "delete") visit(inner.array, def);
        });
      }
    };
    for (const { body } of this.program.rules) if (body) statements(body, undefined);
    for (const def of this.program.functions.values()) statements(def.body, def);
    this.#everywhere((node, def) => {
      if (node.type === "index" || node.type === "in") visit(node.array, def);
      if (node.type !== "builtin") return;
      const places = node.name === "split"
        ? [1, 3]
        : node.name === "match"
        ? [2]
        : node.name === "asort" || node.name === "asorti"
        ? [0, 1]
        : node.name === "isarray"
        ? []
        : [];
      for (const place of places) {
        const arg = node.args[place];
        if (arg?.type === "var") visit(arg.name, def);
      }
    });
  }

  #key(name: string, def: FunctionDef | undefined): string {
    return def?.params.includes(name) ? `${def.name}/${name}` : name;
  }

  #inferArrays(): void {
    this.#arrayUses((name, def) => this.#arrays.add(this.#key(name, def)));
    for (let changed = true; changed;) {
      changed = false;
      this.#everywhere((node, def) => {
        if (node.type !== "call") return;
        const target = this.program.functions.get(node.name)!;
        node.args.forEach((arg, i) => {
          if (arg.type !== "var") return;
          const mine = this.#key(arg.name, def), theirs = `${target.name}/${target.params[i]}`;
          if (this.#arrays.has(mine) === this.#arrays.has(theirs)) return;
          this.#arrays.add(mine);
          this.#arrays.add(theirs);
          changed = true;
        });
      });
    }
  }

  #isArray(name: string, scope: Scope): boolean {
    if (SPECIAL_ARRAYS.has(name) && !scope.params.has(name)) return true;
    return this.#arrays.has(this.#key(name, scope.def));
  }

  /** Functions that may wait: by what they hold, or by whom they call. */
  #inferWaiting(): void {
    for (let changed = true; changed;) {
      changed = false;
      for (const def of this.program.functions.values()) {
        if (!this.#waiting.has(def.name) && this.#waits(false, def.body)) {
          this.#waiting.add(def.name);
          changed = true;
        }
      }
    }
  }

  /**
   * Whether a body may have to wait. With `brief`, plain output outside of
   * loops does not count: there is a bounded amount of it for each record,
   * which the main loop waits for afterwards.
   */
  #waits(brief: boolean, body: readonly Stmt[] | undefined, ...exprs: Expr[]): boolean {
    let found = body === undefined && !brief;
    const expr = (node: Expr) => {
      if (node.type === "getline") found = true;
      if (node.type === "builtin" && ["system", "close", "fflush"].includes(node.name)) found = true;
      if (node.type === "call" && this.#waiting.has(node.name)) found = true;
    };
    for (const stmt of body ?? []) {
      walkStmt(stmt, expr, (inner) => {
        if (inner.type === "print" || inner.type === "printf") {
          found ||= !brief || inner.redirect !== undefined;
        }
        if (
          brief &&
          (inner.type === "while" || inner.type === "do" || inner.type === "for" || inner.type === "forin")
        ) found ||= this.#waits(false, [inner]);
      });
    }
    for (const each of exprs) walkExpr(each, expr);
    return found;
  }

  source(): string {
    const out: string[] = ["const {num, truth, Input} = rt.values;"];
    for (const name of this.#globals) {
      if (this.program.functions.has(name)) throw new Failure(`${name} is both a function and a variable`, 2);
      out.push(this.#arrays.has(name) ? `let v_${name} = new Map();` : `let v_${name};`);
    }
    for (const def of this.program.functions.values()) out.push(this.#function(def));
    out.push(
      this.#section("begin", (type) => type === "begin"),
      this.#section("end", (type) => type === "end"),
    );
    out.push(this.#records());
    const cases = [...this.#globals].filter((name) => !this.#arrays.has(name)).map((name) =>
      `case ${JSON.stringify(name)}: v_${name} = value; break;`
    );
    out.push(`function setVar(name, value) { switch (name) { ${cases.join(" ")} } }`);
    out.push("return {begin, record, end, setVar};");
    return out.join("\n");
  }

  #function(def: FunctionDef): string {
    const scope: Scope = { def, params: new Set(def.params), async: this.#waiting.has(def.name) };
    const params = def.params.map((name) => "v_" + name);
    const arrays = def.params.filter((name) => this.#arrays.has(`${def.name}/${name}`)).map((name) =>
      `if (v_${name} === undefined) v_${name} = new Map();`
    );
    return `${scope.async ? "async " : ""}function f_${def.name}(${
      params.join(", ")
    }) {\nrt.enter(); try {\n${arrays.join("\n")}\n${
      this.#block(def.body, scope)
    }\n} finally { rt.leave(); }\n}`;
  }

  #section(name: string, wanted: (type: string) => boolean): string {
    const bodies = this.program.rules.filter(({ pattern }) => wanted(pattern.type)).map(({ body }) => body!);
    const scope: Scope = {
      def: undefined,
      params: new Set(),
      async: bodies.some((body) => this.#waits(false, body)),
    };
    const code = bodies.map((body) => `{\n${this.#block(body, scope)}\n}`).join("\n");
    return `${scope.async ? "async " : ""}function ${name}() {\n${code}\n}`;
  }

  #records(): string {
    const rules = this.program.rules.filter(({ pattern }) =>
      pattern.type !== "begin" && pattern.type !== "end"
    );
    const async = rules.some(({ pattern, body }) =>
      this.#waits(
        true,
        body,
        ...(pattern.type === "expr"
          ? [pattern.test]
          : pattern.type === "range"
          ? [pattern.first, pattern.last]
          : []),
      )
    );
    const scope: Scope = { def: undefined, params: new Set(), async };
    const states: string[] = [];
    const code = rules.map(({ pattern, body }) => {
      const inner = body ? this.#block(body, scope) : this.#output("rt.record + rt.ORS", undefined, scope);
      if (pattern.type === "expr") return `if (${this.#truth(pattern.test, scope)}) {\n${inner}\n}`;
      if (pattern.type !== "range") return `{\n${inner}\n}`;
      const state = `range${this.#ranges++}`;
      states.push(`let ${state} = false;`);
      return `if (${state} || ${this.#truth(pattern.first, scope)}) {\n${state} = !(${
        this.#truth(pattern.last, scope)
      });\n${inner}\n}`;
    }).join("\n");
    return `${states.join(" ")}\n${async ? "async " : ""}function record() {\n${code}\n}`;
  }

  #block(body: readonly Stmt[], scope: Scope): string {
    return body.map((stmt) => this.#stmt(stmt, scope)).join("\n");
  }

  /** Writes a text. Where nothing may wait, output that cannot be taken at once is left to the main loop. */
  #output(text: string, target: string | undefined, scope: Scope): string {
    if (!scope.async) return `rt.put(${text});`;
    return `{ const w = rt.write(${text}, ${target ?? "undefined"}); if (w !== undefined) await w; }`;
  }

  #stmt(stmt: Stmt, scope: Scope): string {
    switch (stmt.type) {
      case "expr":
        return this.#expr(stmt.expr, scope).code + ";";
      case "print":
      case "printf": {
        const target = stmt.redirect ? this.#redirect(stmt.redirect, scope) : undefined;
        if (stmt.type === "printf") {
          if (stmt.args.length === 0) throw new Failure("syntax error: printf without a format", 2);
          const values = stmt.args.slice(1).map((arg) => this.#value(arg, scope));
          return this.#output(
            `rt.sprintf(${this.#string(stmt.args[0], scope)}, [${values.join(", ")}])`,
            target,
            scope,
          );
        }
        const parts = stmt.args.map((arg) => this.#shown(arg, scope));
        return this.#output(
          (parts.length === 0 ? "rt.record" : parts.join(" + rt.OFS + ")) + " + rt.ORS",
          target,
          scope,
        );
      }
      case "block":
        return `{\n${this.#block(stmt.body, scope)}\n}`;
      case "if":
        return `if (${this.#truth(stmt.test, scope)}) {\n${this.#stmt(stmt.yes, scope)}\n}` +
          (stmt.no ? ` else {\n${this.#stmt(stmt.no, scope)}\n}` : "");
      case "while":
        return `while (${this.#truth(stmt.test, scope)}) {\nrt.tick();\n${this.#stmt(stmt.body, scope)}\n}`;
      case "do":
        return `do {\nrt.tick();\n${this.#stmt(stmt.body, scope)}\n} while (${
          this.#truth(stmt.test, scope)
        });`;
      case "for": {
        // A step that is a statement of several would not fit into the head.
        const init = stmt.init ? this.#stmt(stmt.init, scope) : "";
        const test = stmt.test ? this.#truth(stmt.test, scope) : "true";
        const step = stmt.step
          ? (stmt.step.type === "expr" ? this.#expr(stmt.step.expr, scope).code : undefined)
          : "";
        if (step === undefined) {
          const first = `first${this.#temps++}`;
          return `${init}\nfor (let ${first} = true;;) {\nif (!${first}) { ${
            this.#stmt(stmt.step!, scope)
          } }\n${first} = false;\nif (!(${test})) break;\nrt.tick();\n${this.#stmt(stmt.body, scope)}\n}`;
        }
        return `${init}\nfor (; ${test}; ${step}) {\nrt.tick();\n${this.#stmt(stmt.body, scope)}\n}`;
      }
      case "forin": {
        const key = `key${this.#temps++}`;
        return `for (const ${key} of rt.keys(${this.#array(stmt.array, scope)})) {\nrt.tick();\n${
          this.#store(stmt.variable, `new Input(${key})`, scope)
        };\n${this.#stmt(stmt.body, scope)}\n}`;
      }
      case "switch": {
        const subject = `case${this.#temps++}`;
        const label = `pick${this.#temps++}`;
        const tests = stmt.cases.map(({ test }, i) => {
          if (!test) return undefined;
          if (test.type === "regex") return `R[${this.#regex(test.source)}].test(rt.str(${subject})) ? ${i}`;
          return `rt.compare(${subject}, ${this.#value(test, scope)}) === 0 ? ${i}`;
        }).filter((each) => each !== undefined);
        const fallback = stmt.cases.findIndex(({ test }) => !test);
        const arms = stmt.cases.map(({ body }, i) => `case ${i}:\n${this.#block(body, scope)}`);
        return `{ const ${subject} = ${this.#value(stmt.subject, scope)}; const ${label} = ${
          tests.map((each) => each + " : ").join("")
        }${fallback};\nswitch (${label}) {\n${arms.join("\n")}\n} }`;
      }
      case "break":
      case "continue":
        return stmt.type + ";";
      case "next":
      case "nextfile": {
        // Rules are one function, so leaving it is as good as an exception, and cheaper.
        return (stmt.type === "nextfile" ? "rt.skipFile(); " : "") +
          (scope.def ? "throw rt.next;" : "return;");
      }
      case "exit":
        return `rt.exit(${stmt.value ? this.#number(stmt.value, scope) : "undefined"});`;
      case "return":
        return stmt.value ? `return ${this.#value(stmt.value, scope)};` : "return;";
      case "delete": {
        const array = this.#array(stmt.array, scope);
        return stmt.subscript
          ? `${array}.delete(${this.#subscript(stmt.subscript, scope)});`
          : `${array}.clear();`;
      }
    }
  }

  #redirect(redirect: Redirect, scope: Scope): string {
    const kind = { ">": "file", ">>": "append", "|": "command" }[redirect.kind];
    return `rt.target(${JSON.stringify(kind)}, ${this.#string(redirect.target, scope)})`;
  }

  #regex(source: string): number {
    let index = this.#regexIndex.get(source);
    if (index === undefined) {
      try {
        index = this.regexes.push(
          compileRegex(source, { syntax: "extended", escapes: true, strict: true, poll: () => {} }),
        ) -
          1;
      } catch (error) {
        if (error instanceof RegexError) {
          throw new Failure(`regular expression /${source}/: ${error.message}`, 2);
        }
        throw error;
      }
      this.#regexIndex.set(source, index);
    }
    return index;
  }

  /** An expression as a regular expression: a literal one, or one that is made at run time. */
  #pattern(expr: Expr, scope: Scope): string {
    if (expr.type === "regex") return `R[${this.#regex(expr.source)}]`;
    if (expr.type === "group" && expr.body.type === "regex") return this.#pattern(expr.body, scope);
    return `rt.regex(${this.#string(expr, scope)})`;
  }

  #variable(name: string, scope: Scope): string {
    if (this.program.functions.has(name) && !scope.params.has(name)) {
      throw new Failure(`${name} is both a function and a variable`, 2);
    }
    if (this.#isArray(name, scope)) throw new Failure(`attempt to use array ${name} in a scalar context`, 2);
    return SPECIAL.has(name) && !scope.params.has(name) ? `rt.${name}` : `v_${name}`;
  }

  #array(name: string, scope: Scope): string {
    return SPECIAL.has(name) && !scope.params.has(name) ? `rt.${name}` : `v_${name}`;
  }

  #subscript(items: readonly Expr[], scope: Scope): string {
    return items.map((item) => this.#string(item, scope)).join(" + rt.SUBSEP + ");
  }

  #store(target: Lvalue, value: string, scope: Scope): string {
    switch (target.type) {
      case "var":
        return `(${this.#variable(target.name, scope)} = ${value})`;
      case "field":
        return `rt.setField(${this.#number(target.index, scope)}, ${value})`;
      case "index":
        return `rt.setItem(${this.#array(target.array, scope)}, ${
          this.#subscript(target.subscript, scope)
        }, ${value})`;
    }
  }

  #value(expr: Expr, scope: Scope): string {
    const { code, kind } = this.#expr(expr, scope);
    return kind === "b" ? `(${code} ? 1 : 0)` : code;
  }

  #number(expr: Expr, scope: Scope): string {
    const { code, kind } = this.#expr(expr, scope);
    return kind === "n" ? code : kind === "b" ? `(${code} ? 1 : 0)` : `num(${code})`;
  }

  #string(expr: Expr, scope: Scope): string {
    const { code, kind } = this.#expr(expr, scope);
    return kind === "s" ? code : kind === "b" ? `(${code} ? "1" : "0")` : `rt.str(${code})`;
  }

  /** As print shows it (by OFMT). */
  #shown(expr: Expr, scope: Scope): string {
    const { code, kind } = this.#expr(expr, scope);
    return kind === "s" ? code : kind === "b" ? `(${code} ? "1" : "0")` : `rt.shown(${code})`;
  }

  #truth(expr: Expr, scope: Scope): string {
    const { code, kind } = this.#expr(expr, scope);
    if (kind === "b") return code;
    return kind === "n" ? `(${code}) !== 0` : kind === "s" ? `(${code}) !== ""` : `truth(${code})`;
  }

  #expr(expr: Expr, scope: Scope): Code {
    switch (expr.type) {
      case "number":
        return { code: Number.isFinite(expr.value) ? String(expr.value) : "Infinity", kind: "n" };
      case "string":
        return { code: JSON.stringify(expr.value), kind: "s" };
      case "regex":
        return {
          code: this.#folds
            ? `rt.matches(rt.record, R[${this.#regex(expr.source)}])`
            : `R[${this.#regex(expr.source)}].test(rt.record)`,
          kind: "b",
        };
      case "group": {
        const inner = this.#expr(expr.body, scope);
        return { code: `(${inner.code})`, kind: inner.kind };
      }
      case "list":
        throw new Failure("syntax error: a list in parentheses stands only before `in` and after print", 2);
      case "var":
        return { code: this.#variable(expr.name, scope), kind: "v" };
      case "field":
        if (expr.index.type === "number" && expr.index.value === 0) return { code: "rt.field0()", kind: "v" };
        return { code: `rt.field(${this.#number(expr.index, scope)})`, kind: "v" };
      case "index":
        return {
          code: `rt.item(${this.#array(expr.array, scope)}, ${this.#subscript(expr.subscript, scope)})`,
          kind: "v",
        };
      case "assign": {
        if (expr.op === "=") {
          const value = this.#value(expr.value, scope);
          return { code: this.#store(expr.target, value, scope), kind: "v" };
        }
        const op = expr.op[0];
        const right = this.#number(expr.value, scope);
        if (expr.target.type === "index") {
          // The subscript is evaluated once.
          const place = `${this.#array(expr.target.array, scope)}, ${
            this.#subscript(expr.target.subscript, scope)
          }`;
          if (op === "+" || op === "-") {
            return { code: `rt.bump(${place}, ${op === "-" ? "-" : ""}(${right}))`, kind: "n" };
          }
          return {
            code: `rt.modify(${place}, (old) => ${this.#arithmetic(op, "old", "by")}, ${right})`.replace(
              "(old)",
              "(old, by)",
            ),
            kind: "n",
          };
        }
        return {
          code: this.#store(
            expr.target,
            this.#arithmetic(op, `num(${this.#expr(expr.target, scope).code})`, right),
            scope,
          ),
          kind: "v",
        };
      }
      case "cond":
        return {
          code: `(${this.#truth(expr.test, scope)} ? ${this.#value(expr.yes, scope)} : ${
            this.#value(expr.no, scope)
          })`,
          kind: "v",
        };
      case "binary":
        return this.#binary(expr, scope);
      case "unary":
        if (expr.op === "!") return { code: `!(${this.#truth(expr.operand, scope)})`, kind: "b" };
        return { code: `(${expr.op === "-" ? "-" : ""}(${this.#number(expr.operand, scope)}))`, kind: "n" };
      case "step": {
        if (expr.target.type === "index") {
          const by = expr.op === "++" ? "1" : "-1";
          const bumped = `rt.bump(${this.#array(expr.target.array, scope)}, ${
            this.#subscript(expr.target.subscript, scope)
          }, ${by})`;
          return { code: expr.prefix ? bumped : `(${bumped} - (${by}))`, kind: "n" };
        }
        const old = `num(${this.#expr(expr.target, scope).code})`;
        const sign = expr.op === "++" ? "+" : "-";
        const stored = this.#store(expr.target, `${old} ${sign} 1`, scope);
        if (expr.prefix) return { code: `num(${stored})`, kind: "n" };
        // What was stored, one step back.
        return { code: `(num(${stored}) ${expr.op === "++" ? "-" : "+"} 1)`, kind: "n" };
      }
      case "in":
        return {
          code: `${this.#array(expr.array, scope)}.has(${this.#subscript(expr.subscript, scope)})`,
          kind: "b",
        };
      case "call":
        return this.#call(expr, scope);
      case "builtin":
        return this.#builtin(expr.name, expr.args, expr.line, scope);
      case "getline":
        return this.#getline(expr, scope);
    }
  }

  #binary(expr: Extract<Expr, { type: "binary" }>, scope: Scope): Code {
    const { op, left, right } = expr;
    switch (op) {
      case "&&":
      case "||":
        return { code: `(${this.#truth(left, scope)} ${op} ${this.#truth(right, scope)})`, kind: "b" };
      case "~":
        return {
          code: `rt.matches(${this.#string(left, scope)}, ${this.#pattern(right, scope)})`,
          kind: "b",
        };
      case "!~":
        return {
          code: `!rt.matches(${this.#string(left, scope)}, ${this.#pattern(right, scope)})`,
          kind: "b",
        };
      case "concat":
        return { code: `(${this.#string(left, scope)} + ${this.#string(right, scope)})`, kind: "s" };
      case "<":
      case "<=":
      case "==":
      case "!=":
      case ">":
      case ">=": {
        const js = op === "==" ? "===" : op === "!=" ? "!==" : op;
        const a = this.#expr(left, scope), b = this.#expr(right, scope);
        if ((a.kind === "n" || a.kind === "b") && (b.kind === "n" || b.kind === "b")) {
          return { code: `(${this.#number(left, scope)} ${js} ${this.#number(right, scope)})`, kind: "b" };
        }
        if (a.kind === "s" || b.kind === "s") {
          return { code: `(${this.#string(left, scope)} ${js} ${this.#string(right, scope)})`, kind: "b" };
        }
        return {
          code: `(rt.compare(${this.#value(left, scope)}, ${this.#value(right, scope)}) ${js} 0)`,
          kind: "b",
        };
      }
      default:
        return {
          code: this.#arithmetic(op, this.#number(left, scope), this.#number(right, scope)),
          kind: "n",
        };
    }
  }

  #arithmetic(op: string, left: string, right: string): string {
    if (op === "/") return `rt.divide(${left}, ${right})`;
    if (op === "%") return `rt.modulo(${left}, ${right})`;
    if (op === "^") return `Math.pow(${left}, ${right})`;
    return `(${left} ${op} ${right})`;
  }

  #call(expr: Extract<Expr, { type: "call" }>, scope: Scope): Code {
    const target = this.program.functions.get(expr.name)!;
    const args = expr.args.map((arg, i) => {
      const array = this.#arrays.has(`${target.name}/${target.params[i]}`);
      if (!array) return this.#value(arg, scope);
      if (arg.type !== "var") {
        throw new Failure(`function ${expr.name}: argument ${i + 1} must be an array`, 2);
      }
      return this.#array(arg.name, scope);
    });
    const call = `f_${expr.name}(${args.join(", ")})`;
    return { code: this.#waiting.has(expr.name) ? `(await ${call})` : call, kind: "v" };
  }

  #getline(expr: Extract<Expr, { type: "getline" }>, scope: Scope): Code {
    const source = expr.source ? this.#string(expr.source, scope) : "undefined";
    const kind = JSON.stringify(expr.from);
    if (!expr.target) return { code: `(await rt.getlineRecord(${kind}, ${source}))`, kind: "n" };
    // The line is stored only where there is one.
    return {
      code: `((await rt.getlineText(${kind}, ${source})) > 0 ? (${
        this.#store(expr.target, "rt.line", scope)
      }, 1) : rt.lineStatus)`,
      kind: "n",
    };
  }

  #builtin(name: string, args: readonly Expr[], line: number, scope: Scope): Code {
    const few = (least: number, most: number) => {
      if (args.length < least || args.length > most) {
        throw new Failure(`wrong number of arguments to ${name} (source line ${line})`, 2);
      }
    };
    const n = (i: number) => this.#number(args[i], scope);
    const s = (i: number) => this.#string(args[i], scope);
    switch (name) {
      case "length": {
        few(0, 1);
        if (args.length === 0) return { code: "rt.lengthOf(rt.record)", kind: "n" };
        const arg = args[0];
        if (arg.type === "var" && this.#isArray(arg.name, scope)) {
          return { code: `${this.#array(arg.name, scope)}.size`, kind: "n" };
        }
        return { code: `rt.lengthOf(${s(0)})`, kind: "n" };
      }
      case "substr":
        few(2, 3);
        return { code: `rt.substr(${s(0)}, ${n(1)}${args.length > 2 ? ", " + n(2) : ""})`, kind: "s" };
      case "index":
        few(2, 2);
        return { code: `(${s(0)}.indexOf(${s(1)}) + 1)`, kind: "n" };
      case "split": {
        few(2, 4);
        const array = this.#arrayArgument(name, args[1], scope);
        const separator = args.length < 3
          ? "undefined"
          : args[2].type === "regex"
          ? `R[${this.#regex(args[2].source)}]`
          : this.#string(args[2], scope);
        const seps = args[3] ? this.#arrayArgument(name, args[3], scope) : "undefined";
        return { code: `rt.split(${s(0)}, ${array}, ${separator}, ${seps})`, kind: "n" };
      }
      case "sub":
      case "gsub": {
        few(2, 3);
        const target: Expr = args[2] ?? { type: "field", index: { type: "number", value: 0 } };
        const inner = target.type === "group" ? target.body : target;
        const call = `rt.substitute(${this.#pattern(args[0], scope)}, ${s(1)}, ${
          this.#string(inner, scope)
        }, ${name === "gsub"})`;
        const lvalue = inner.type === "var" || inner.type === "field" || inner.type === "index";
        if (!lvalue) return { code: call, kind: "n" };
        return {
          code: `(${call} > 0 ? (${this.#store(inner, "rt.result", scope)}, rt.count) : 0)`,
          kind: "n",
        };
      }
      case "gensub":
        few(3, 4);
        return {
          code: `rt.gensub(${this.#pattern(args[0], scope)}, ${s(1)}, ${s(2)}, ${
            args[3] ? s(3) : "rt.record"
          })`,
          kind: "s",
        };
      case "match":
        few(2, 3);
        return {
          code: `rt.match(${s(0)}, ${this.#pattern(args[1], scope)}${
            args[2] ? ", " + this.#arrayArgument(name, args[2], scope) : ""
          })`,
          kind: "n",
        };
      case "sprintf":
        few(1, 1000);
        return {
          code: `rt.sprintf(${s(0)}, [${args.slice(1).map((arg) => this.#value(arg, scope)).join(", ")}])`,
          kind: "s",
        };
      case "sin":
      case "cos":
      case "exp":
      case "log":
      case "sqrt":
        few(1, 1);
        return { code: `Math.${name}(${n(0)})`, kind: "n" };
      case "atan2":
        few(2, 2);
        return { code: `Math.atan2(${n(0)}, ${n(1)})`, kind: "n" };
      case "int":
        few(1, 1);
        return { code: `Math.trunc(${n(0)})`, kind: "n" };
      case "rand":
        return { code: "rt.rand()", kind: "n" };
      case "srand":
        return { code: `rt.srand(${args.length > 0 ? n(0) : "undefined"})`, kind: "n" };
      case "tolower":
      case "toupper":
        few(1, 1);
        return { code: `${s(0)}.${name === "tolower" ? "toLowerCase" : "toUpperCase"}()`, kind: "s" };
      case "system":
        few(1, 1);
        return { code: `(await rt.system(${s(0)}))`, kind: "n" };
      case "close":
        few(1, 2);
        return { code: `(await rt.close(${s(0)}))`, kind: "n" };
      case "fflush":
        return { code: `(await rt.flush(${args.length > 0 ? s(0) : "undefined"}))`, kind: "n" };
      case "strftime":
        few(0, 3);
        return {
          code: `rt.strftime(${
            args.map((arg, i) => i === 0 ? this.#string(arg, scope) : this.#number(arg, scope)).join(", ")
          })`,
          kind: "s",
        };
      case "systime":
        return { code: "rt.systime()", kind: "n" };
      case "mktime":
        few(1, 2);
        return { code: `rt.mktime(${s(0)})`, kind: "n" };
      case "and":
      case "or":
      case "xor":
      case "lshift":
      case "rshift":
        few(2, 100);
        return {
          code: `rt.bits(${JSON.stringify(name)}, [${args.map((_, i) => n(i)).join(", ")}])`,
          kind: "n",
        };
      case "compl":
        few(1, 1);
        return { code: `rt.bits("compl", [${n(0)}])`, kind: "n" };
      case "strtonum":
        few(1, 1);
        return { code: `rt.strtonum(${this.#value(args[0], scope)})`, kind: "n" };
      case "asort":
      case "asorti":
        few(1, 3);
        return {
          code: `rt.${name}(${this.#arrayArgument(name, args[0], scope)}, ${
            args[1] ? this.#arrayArgument(name, args[1], scope) : "undefined"
          }, ${args[2] ? s(2) : "undefined"})`,
          kind: "n",
        };
      case "typeof":
        few(1, 1);
        if (args[0].type === "var" && this.#isArray(args[0].name, scope)) {
          return { code: '"array"', kind: "s" };
        }
        return { code: `rt.typeOf(${this.#value(args[0], scope)})`, kind: "s" };
      case "isarray":
        few(1, 1);
        return { code: args[0].type === "var" && this.#isArray(args[0].name, scope) ? "1" : "0", kind: "n" };
    }
    throw new Failure(`function ${name} is not supported here`, 2);
  }

  #arrayArgument(name: string, arg: Expr, scope: Scope): string {
    if (arg.type !== "var") throw new Failure(`${name}: an array is needed here`, 2);
    return this.#array(arg.name, scope);
  }
}
