/** Runs bc's statements. State: variables and arrays by name, `scale`, `ibase`, `obase`, `last`, the functions. */
import type { UtilityContext } from "../../builtin.ts";
import { arctangent, bessel, cosine, exponential, logarithm, sine } from "./functions.ts";
import {
  add,
  compare,
  digitCount,
  divide,
  formatNumber,
  int,
  multiply,
  negate,
  type Num,
  ONE,
  parseNumber,
  raise,
  remainder,
  squareRoot,
  whole,
  ZERO,
} from "./number.ts";
import type { Expr, Statement } from "./parse.ts";

/** Ends bc. */
export class Quit extends Error {}

/** Ends the line that runs. */
export class BcRuntimeError extends Error {}

type Define = Extract<Statement, { kind: "define" }>;
type Signal = "break" | "continue" | "return" | undefined;

const MAX_CALLS = 1500;
const MAX_SCALE = 100_000;
const MAX_EXPONENT = 10_000_000n;

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  q: '"',
  r: "\r",
  t: "\t",
  "\\": "\\",
};

export class Machine {
  readonly #values = new Map<string, Num>();
  #arrays = new Map<string, Map<string, Num>>();
  readonly #functions = new Map<string, Define>();
  #scale = 0;
  #ibase = 10;
  #obase = 10;
  #last = ZERO;
  #returned: Num = ZERO;
  #calls: string[] = [];
  #out = "";
  #column = 0;
  readonly #lineLength: number;

  constructor(readonly context: UtilityContext, readonly library: boolean) {
    if (library) this.#scale = 20;
    const length = Number(context.env.get("BC_LINE_LENGTH") ?? "70");
    this.#lineLength = length === 0 ? Infinity : length >= 3 ? length : 70;
  }

  run(statements: readonly Statement[]): void {
    this.#calls = [];
    for (const statement of statements) this.#statement(statement);
  }

  async flush(): Promise<void> {
    const text = this.#out;
    this.#out = "";
    if (text !== "") await this.context.stdout.print(text);
  }

  #fail(message: string): never {
    throw new BcRuntimeError(
      `Runtime error (func=${this.#calls[this.#calls.length - 1] ?? "(main)"}): ${message}`,
    );
  }

  /** Numbers are broken where the line is full. */
  #number(value: Num): void {
    for (const c of formatNumber(value, this.#obase)) {
      if (this.#column === this.#lineLength - 2) {
        this.#out += "\\\n";
        this.#column = 0;
      }
      this.#out += c;
      this.#column++;
    }
  }

  #text(text: string): void {
    this.#out += text;
    const at = text.lastIndexOf("\n");
    this.#column = at < 0 ? this.#column + text.length : text.length - at - 1;
  }

  #statement(statement: Statement): Signal {
    this.context.poll();
    switch (statement.kind) {
      case "expr": {
        const value = this.#value(statement.value);
        if (!statement.shown || (statement.value.kind === "call" && this.#quiet(statement.value.text))) {
          return;
        }
        this.#last = value;
        this.#number(value);
        this.#text("\n");
        return;
      }
      case "string":
        this.#text(statement.text);
        return;
      case "print":
        for (const item of statement.items) {
          if (typeof item === "string") {
            this.#text(item.replace(/\\(.)/g, (all, c: string) => ESCAPES[c] ?? all));
          } else {
            this.#last = this.#value(item);
            this.#number(this.#last);
          }
        }
        return;
      case "block":
        for (const each of statement.body) {
          const signal = this.#statement(each);
          if (signal) return signal;
        }
        return;
      case "if":
        if (this.#value(statement.test).digits !== 0n) return this.#statement(statement.then);
        return statement.otherwise && this.#statement(statement.otherwise);
      case "loop":
        if (statement.first) this.#value(statement.first);
        while (!statement.test || this.#value(statement.test).digits !== 0n) {
          const signal = this.#statement(statement.body);
          if (signal === "break") return;
          if (signal === "return") return signal;
          if (statement.step) this.#value(statement.step);
        }
        return;
      case "return":
        this.#returned = statement.value ? this.#value(statement.value) : ZERO;
        return "return";
      case "define":
        this.#functions.set(statement.name, statement);
        return;
      case "break":
      case "continue":
        return statement.kind;
      default:
        throw new Quit();
    }
  }

  #quiet(name: string): boolean {
    return this.#functions.get(name)?.quiet ?? false;
  }

  #array(name: string): Map<string, Num> {
    let array = this.#arrays.get(name);
    if (!array) this.#arrays.set(name, array = new Map());
    return array;
  }

  #get(target: Expr): Num {
    if (target.kind === "last") return this.#last;
    if (target.kind === "element") return this.#array(target.text).get(this.#index(target.index)) ?? ZERO;
    const name = (target as { text: string }).text;
    if (name === "scale") return int(this.#scale);
    if (name === "ibase") return int(this.#ibase);
    if (name === "obase") return int(this.#obase);
    return this.#values.get(name) ?? ZERO;
  }

  #index(expr: Expr): string {
    return whole(this.#value(expr)).toString();
  }

  #set(target: Expr, value: Num): void {
    if (target.kind === "last") this.#last = value;
    else if (target.kind === "element") this.#array(target.text).set(this.#index(target.index), value);
    else if (target.kind !== "name") this.#fail("not a variable");
    else {
      const number = Number(whole(value));
      const within = (low: number, high: number) => Math.min(high, Math.max(low, number));
      if (target.text === "scale") this.#scale = within(0, MAX_SCALE);
      else if (target.text === "ibase") this.#ibase = within(2, 16);
      else if (target.text === "obase") this.#obase = within(2, 999_999);
      else this.#values.set(target.text, value);
    }
  }

  #value(expr: Expr): Num {
    switch (expr.kind) {
      case "number":
        return parseNumber(expr.text, this.#ibase);
      case "name":
      case "element":
      case "last":
        return this.#get(expr);
      case "unary": {
        const inner = this.#value(expr.inner);
        return expr.op === "-" ? negate(inner) : expr.op === "!" ? inner.digits === 0n ? ONE : ZERO : inner;
      }
      case "step": {
        const old = this.#get(expr.target);
        const next = add(old, int(expr.by));
        this.#set(expr.target, next);
        return expr.before ? next : old;
      }
      case "assign": {
        const value = this.#value(expr.value);
        this.#set(
          expr.target,
          expr.op === "" ? value : this.#operate(expr.op, this.#get(expr.target), value),
        );
        return this.#get(expr.target);
      }
      case "binary":
        return this.#operate(expr.op, this.#value(expr.left), this.#value(expr.right));
      case "call":
        return this.#call(expr.text, expr.args);
      default:
        return this.#fail("an array is no number");
    }
  }

  #operate(op: string, a: Num, b: Num): Num {
    const truth = (value: boolean) => value ? ONE : ZERO;
    switch (op) {
      case "+":
        return add(a, b);
      case "-":
        return add(a, negate(b));
      case "*":
        return multiply(a, b, this.#scale);
      case "/":
        return divide(a, b, this.#scale) ?? this.#fail("Divide by zero");
      case "%":
        return remainder(a, b, this.#scale) ?? this.#fail("Modulo by zero");
      case "^": {
        const exponent = whole(b);
        if (exponent > MAX_EXPONENT || exponent < -MAX_EXPONENT) this.#fail("exponent too large in raise");
        return raise(a, Number(exponent), this.#scale) ?? this.#fail("divide by zero");
      }
      case "&&":
        return truth(a.digits !== 0n && b.digits !== 0n);
      case "||":
        return truth(a.digits !== 0n || b.digits !== 0n);
    }
    const order = compare(a, b);
    return truth(
      op === "=="
        ? order === 0
        : op === "!="
        ? order !== 0
        : op === "<"
        ? order < 0
        : op === ">"
        ? order > 0
        : op === "<="
        ? order <= 0
        : order >= 0,
    );
  }

  #call(name: string, args: readonly Expr[]): Num {
    const known = this.#functions.get(name);
    if (known) return this.#defined(known, args);
    const values = () => args.map((arg) => this.#value(arg));
    const poll = () => this.context.poll();
    if (args.length === 1) {
      if (name === "sqrt") {
        const [x] = values();
        if (x.digits < 0n) this.#fail("Square root of a negative number");
        return squareRoot(x, this.#scale);
      }
      if (name === "length") return int(digitCount(values()[0]));
      if (name === "scale") return int(values()[0].scale);
      const body = ({ e: exponential, l: logarithm, s: sine, c: cosine, a: arctangent } as Record<
        string,
        typeof sine
      >)[name];
      if (this.library && body) {
        const [x] = values();
        // What is nothing at nothing has no digits behind the point.
        return x.digits === 0n && (name === "s" || name === "a") ? ZERO : body(x, this.#scale, poll);
      }
    }
    if (this.library && name === "j" && args.length === 2) {
      const [order, x] = values();
      return bessel(order, x, this.#scale, poll);
    }
    return this.#fail(`Function ${name} not defined.`);
  }

  /** Parameters and autos hide what bears their name until the function returns, for those that it calls too. */
  #defined(definition: Define, args: readonly Expr[]): Num {
    const { name, params, autos } = definition;
    if (args.length !== params.length) this.#fail("Parameter number mismatch");
    if (this.#calls.length >= MAX_CALLS) this.#fail("functions are called too deeply");
    const given = args.map((arg) => arg.kind === "array" ? new Map(this.#array(arg.text)) : this.#value(arg));
    const saved = [...params, ...autos].map((each) =>
      [each, each.endsWith("[]") ? this.#arrays.get(each.slice(0, -2)) : this.#values.get(each)] as const
    );
    const put = (each: string, value: Num | Map<string, Num> | undefined) => {
      const key = each.replace("[]", "");
      if (value === undefined) {
        if (each.endsWith("[]")) this.#arrays.delete(key);
        else this.#values.delete(key);
      } else if (value instanceof Map) this.#arrays.set(key, value);
      else this.#values.set(key, value);
    };
    for (const each of autos) put(each, undefined);
    params.forEach((each, i) => put(each, given[i]));
    this.#calls.push(name);
    this.#returned = ZERO;
    try {
      const returned = this.#statement(definition.body) === "return";
      return returned ? this.#returned : ZERO;
    } finally {
      this.#calls.pop();
      for (const [each, value] of saved.toReversed()) put(each, value);
    }
  }
}
