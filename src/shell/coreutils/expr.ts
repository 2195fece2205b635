/** expr: evaluates an expression. */
import type { UtilityContext } from "../builtin.ts";
import { posixBasic } from "../../lib/regex.ts";
import { Failure, UsageError } from "./shared/options.ts";
import { cite } from "./shared/report.ts";

export async function run(context: UtilityContext): Promise<number> {
  const args = context.args[0] === "--" ? context.args.slice(1) : context.args;
  if (args.length === 0) throw new UsageError("missing operand", 2);
  const parser = new Parser(args);
  const value = parser.parse();
  await context.stdout.print(value + "\n");
  return truth(value) ? 0 : 1;
}

function truth(value: string): boolean {
  return value !== "" && !/^-?0+$/.test(value);
}

function integer(value: string): bigint {
  if (!/^-?\d+$/.test(value)) throw new Failure("non-integer argument", 2);
  return BigInt(value);
}

class Parser {
  #at = 0;
  #depth = 0;
  constructor(readonly args: readonly string[]) {}

  parse(): string {
    const value = this.#or();
    if (this.#at < this.args.length) {
      throw new Failure(`syntax error: unexpected argument ${cite(this.args[this.#at])}`, 2);
    }
    return value;
  }

  #is(...texts: string[]): boolean {
    return this.#at < this.args.length && texts.includes(this.args[this.#at]);
  }

  #or(): string {
    let left = this.#and();
    while (this.#is("|")) {
      this.#at++;
      const right = this.#and();
      left = truth(left) ? left : truth(right) ? right : "0";
    }
    return left;
  }

  #and(): string {
    let left = this.#compare();
    while (this.#is("&")) {
      this.#at++;
      const right = this.#compare();
      left = truth(left) && truth(right) ? left : "0";
    }
    return left;
  }

  #compare(): string {
    let left = this.#sum();
    while (this.#is("<", "<=", "=", "==", "!=", ">=", ">")) {
      const op = this.args[this.#at++];
      const right = this.#sum();
      const both = /^-?\d+$/.test(left) && /^-?\d+$/.test(right);
      const a = both ? BigInt(left) : left, b = both ? BigInt(right) : right;
      const result = op === "<"
        ? a < b
        : op === "<="
        ? a <= b
        : op === ">"
        ? a > b
        : op === ">="
        ? a >= b
        : op === "!="
        ? a !== b
        : a === b;
      left = result ? "1" : "0";
    }
    return left;
  }

  #sum(): string {
    let left = this.#product();
    while (this.#is("+", "-")) {
      const op = this.args[this.#at++];
      const right = this.#product();
      left = String(op === "+" ? integer(left) + integer(right) : integer(left) - integer(right));
    }
    return left;
  }

  #product(): string {
    let left = this.#match();
    while (this.#is("*", "/", "%")) {
      const op = this.args[this.#at++];
      const a = integer(left), b = integer(this.#match());
      if (op !== "*" && b === 0n) throw new Failure("division by zero", 2);
      left = String(op === "*" ? a * b : op === "/" ? a / b : a % b);
    }
    return left;
  }

  #match(): string {
    let left = this.#term();
    while (this.#is(":")) {
      this.#at++;
      left = match(left, this.#term());
    }
    return left;
  }

  #next(): string {
    if (this.#at >= this.args.length) {
      throw new Failure(`syntax error: missing argument after ${cite(this.args[this.#at - 1] ?? "")}`, 2);
    }
    return this.args[this.#at++];
  }

  #term(): string {
    if (++this.#depth > 500) throw new Failure("expression too deeply nested", 2);
    try {
      const arg = this.#next();
      switch (arg) {
        case "(": {
          const value = this.#or();
          if (!this.#is(")")) {
            const before = this.args[this.#at - 1];
            throw new Failure(
              this.#at < this.args.length
                ? `syntax error: expecting ')' instead of ${cite(this.args[this.#at])}`
                : `syntax error: expecting ')' after ${cite(before)}`,
              2,
            );
          }
          this.#at++;
          return value;
        }
        case ")":
          throw new Failure("syntax error: unexpected ')'", 2);
        case "+":
          return this.#next();
        case "match":
          return match(this.#term(), this.#term());
        case "length":
          return String([...this.#term()].length);
        case "index": {
          const text = [...this.#term()], chars = this.#term();
          return String(text.findIndex((c) => chars.includes(c)) + 1);
        }
        case "substr": {
          const text = [...this.#term()], start = Number(this.#term()), length = Number(this.#term());
          return start >= 1 && length >= 1 ? text.slice(start - 1, start - 1 + length).join("") : "";
        }
        default:
          return arg;
      }
    } finally {
      this.#depth--;
    }
  }
}

/** The match at the start: its first group, or its length. */
function match(text: string, pattern: string): string {
  const regex = posixBasic(pattern.startsWith("^") ? pattern : "^" + pattern);
  const found = regex.exec(text);
  if (regex.groups > 0) return found?.[1] ?? "";
  return String(found ? [...found[0]!].length : 0);
}
