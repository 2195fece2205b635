/** `test`, `[`: conditions from arguments, by POSIX's rules for up to four of them. */
import type { LanguageBuiltin, Shell } from "../run/shell.ts";
import { binary, isBinary, isUnary, TestError, unary } from "../run/test.ts";

function evaluate(sh: Shell, name: string, args: readonly string[]): number {
  try {
    return new Conditions(sh, args).whole() ? 0 : 1;
  } catch (error) {
    if (!(error instanceof TestError)) throw error;
    sh.warn(`${name}: ${error.message}`);
    return 2;
  }
}

export const test: LanguageBuiltin = { name: "test", run: (sh, args) => evaluate(sh, "test", args) };
export const bracket: LanguageBuiltin = {
  name: "[",
  run(sh, args) {
    if (args[args.length - 1] !== "]") {
      sh.warn("[: missing `]'");
      return 2;
    }
    return evaluate(sh, "[", args.slice(0, -1));
  },
};

class Conditions {
  #at = 0;
  constructor(readonly sh: Shell, readonly args: readonly string[]) {}

  whole(): boolean {
    const a = this.args;
    switch (a.length) {
      case 0:
        return false;
      case 1:
        return a[0] !== "";
      case 2:
        return this.#two(a[0], a[1]);
      case 3:
        return this.#three(a);
      case 4:
        if (a[0] === "!") return !this.#three(a.slice(1));
        if (a[0] === "(" && a[3] === ")") return this.#two(a[1], a[2]);
    }
    const value = this.#or();
    if (this.#at < a.length) {
      throw new TestError(
        this.#at > 0 && isUnary(a[this.#at])
          ? "syntax error: `" + a[this.#at] + "' unexpected"
          : "too many arguments",
      );
    }
    return value;
  }

  #two(op: string, arg: string): boolean {
    if (op === "!") return arg === "";
    if (isUnary(op)) return unary(this.sh, op, arg);
    throw new TestError(`${op}: unary operator expected`);
  }

  #three(a: readonly string[]): boolean {
    if (isBinary(a[1])) return binary(this.sh, a[1], a[0], a[2], false);
    if (a[1] === "-a") return a[0] !== "" && a[2] !== "";
    if (a[1] === "-o") return a[0] !== "" || a[2] !== "";
    if (a[0] === "!") return !this.#two(a[1], a[2]);
    if (a[0] === "(" && a[2] === ")") return a[1] !== "";
    throw new TestError(`${a[1]}: binary operator expected`);
  }

  #or(): boolean {
    let value = this.#and();
    while (this.args[this.#at] === "-o") {
      this.#at++;
      const right = this.#and();
      value = value || right;
    }
    return value;
  }

  #and(): boolean {
    let value = this.#term();
    while (this.args[this.#at] === "-a") {
      this.#at++;
      const right = this.#term();
      value = value && right;
    }
    return value;
  }

  #term(): boolean {
    const a = this.args;
    const word = a[this.#at];
    if (word === undefined) throw new TestError("argument expected");
    if (word === "!") {
      this.#at++;
      return !this.#term();
    }
    if (word === "(") {
      this.#at++;
      const value = this.#or();
      if (a[this.#at] !== ")") throw new TestError("`)' expected");
      this.#at++;
      return value;
    }
    const op = a[this.#at + 1];
    if (op !== undefined && isBinary(op) && this.#at + 2 < a.length) {
      const value = binary(this.sh, op, word, a[this.#at + 2], false);
      this.#at += 3;
      return value;
    }
    if (isUnary(word) && this.#at + 1 < a.length && !(op === "-a" || op === "-o")) {
      this.#at += 2;
      return unary(this.sh, word, op);
    }
    this.#at++;
    return word !== "";
  }
}
