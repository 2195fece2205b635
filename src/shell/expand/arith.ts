/**
 * Arithmetic: 64-bit integers in two's complement. Values are numbers as long
 * as they are exact and big integers beyond, so that the common case is fast.
 * Evaluation is synchronous; a variable's text is parsed as an expression of
 * its own, with a bound on how deep that may go.
 */
import {
  type Arith,
  ArithError,
  type ArithVariable as VariableNode,
  type BinaryOp,
  type Int,
  parseArith,
} from "../syntax/mod.ts";
import { ExpansionError } from "./config.ts";
import { scalarOf, type Variable } from "./variable.ts";

export interface ArithScope {
  get(name: string): Variable | undefined;
  target(name: string): string;
  /** Reads an element by the raw text of its subscript. */
  element(name: string, index: string, depth: number): string | undefined;
  assign(name: string, value: string): void;
  assignElementText(name: string, index: string, value: string, depth: number): void;
  /** Whether an unset variable is an error (`set -u`). */
  readonly nounset: boolean;
}

const cache = new Map<string, Arith>();
const CACHE_SIZE = 2000;
const MAX_RECURSION = 500;

/** Parses with a cache over the text. Throws {@link ArithError}. */
export function parseCached(text: string): Arith {
  let tree = cache.get(text);
  if (tree === undefined) {
    tree = parseArith(text);
    if (cache.size >= CACHE_SIZE) cache.clear();
    if (text.length < 500) cache.set(text, tree);
  }
  return tree;
}

/** Value of an expression's text. Throws {@link ExpansionError} worded as bash does. */
export function evaluate(text: string, scope: ArithScope, depth = 0): Int {
  if (/^[1-9][0-9]{0,14}$/.test(text)) return Number(text);
  try {
    return evaluateTree(parseCached(text), scope, depth);
  } catch (error) {
    if (error instanceof ArithError) {
      throw new ExpansionError(`${text.replace(/^[ \t\n]+/, "")}: ${error.message}`);
    }
    throw error;
  }
}

export function evaluateTree(node: Arith, scope: ArithScope, depth: number): Int {
  switch (node.kind) {
    case "number":
      return node.value;
    case "variable":
      return read(node, scope, depth);
    case "unary": {
      const v = evaluateTree(node.operand, scope, depth);
      switch (node.op) {
        case "-":
          return typeof v === "number" ? (v === 0 ? 0 : -v) : fold(-v);
        case "+":
          return v;
        case "!":
          return isZero(v) ? 1 : 0;
        case "~":
          return typeof v === "number" && v === (v | 0) ? ~v : fold(~BigInt(v));
      }
      break;
    }
    case "step": {
      const old = read(node.target, scope, depth);
      const next = add(old, node.by);
      write(node.target, next, scope, depth);
      return node.prefix ? next : old;
    }
    case "binary":
      return binary(
        node.op,
        evaluateTree(node.left, scope, depth),
        evaluateTree(node.right, scope, depth),
        node.at,
      );
    case "logic": {
      const left = isZero(evaluateTree(node.left, scope, depth));
      if (node.op === "&&") return left ? 0 : isZero(evaluateTree(node.right, scope, depth)) ? 0 : 1;
      return left ? (isZero(evaluateTree(node.right, scope, depth)) ? 0 : 1) : 1;
    }
    case "choose":
      return evaluateTree(isZero(evaluateTree(node.test, scope, depth)) ? node.no : node.yes, scope, depth);
    case "assign": {
      let value = evaluateTree(node.value, scope, depth);
      if (node.op !== "") value = binary(node.op, read(node.target, scope, depth), value, node.at);
      write(node.target, value, scope, depth);
      return value;
    }
    case "comma":
      evaluateTree(node.left, scope, depth);
      return evaluateTree(node.right, scope, depth);
  }
}

export function isZero(v: Int): boolean {
  return v === 0 || v === 0n;
}

function read(node: VariableNode, scope: ArithScope, depth: number): Int {
  let text: string | undefined;
  if (node.index === undefined) {
    const variable = scope.get(node.name);
    text = variable === undefined ? undefined : scalarOf(variable.value);
  } else {
    text = scope.element(node.name, node.index, depth);
  }
  if (text === undefined) {
    if (scope.nounset) throw new ExpansionError(`${node.name}: unbound variable`, true);
    return 0;
  }
  return ofText(text, scope, depth);
}

/** The integer a variable's text stands for. */
export function ofText(text: string, scope: ArithScope, depth: number): Int {
  if (text === "" || text === "0") return 0;
  if (text.length < 15) {
    const n = +text;
    if (n === (n | 0) && String(n) === text) return n;
  }
  if (depth >= MAX_RECURSION) {
    throw new ExpansionError(`${text}: expression recursion level exceeded (error token is "${text}")`);
  }
  return evaluate(text, scope, depth + 1);
}

function write(node: VariableNode, value: Int, scope: ArithScope, depth: number): void {
  if (node.index === undefined) scope.assign(node.name, String(value));
  else scope.assignElementText(node.name, node.index, String(value), depth);
}

function fold(v: bigint): Int {
  const wrapped = BigInt.asIntN(64, v);
  return wrapped >= -9007199254740991n && wrapped <= 9007199254740991n ? Number(wrapped) : wrapped;
}

function add(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return fold(BigInt(a) + BigInt(b));
}

const small = (v: Int): v is number => typeof v === "number" && v === (v | 0);

function binary(op: BinaryOp, a: Int, b: Int, at: string): Int {
  switch (op) {
    case "+":
      return add(a, b);
    case "-":
      if (typeof a === "number" && typeof b === "number" && Number.isSafeInteger(a - b)) return a - b;
      return fold(BigInt(a) - BigInt(b));
    case "*":
      if (typeof a === "number" && typeof b === "number" && Number.isSafeInteger(a * b)) return a * b + 0;
      return fold(BigInt(a) * BigInt(b));
    case "/":
    case "%":
      if (isZero(b)) throw new ArithError(`division by 0 (error token is "${at}")`);
      if (typeof a === "number" && typeof b === "number") {
        return op === "/" ? Math.trunc(a / b) + 0 : a % b + 0;
      }
      return fold(op === "/" ? BigInt(a) / BigInt(b) : BigInt(a) % BigInt(b));
    case "**":
      if (b < 0) throw new ArithError(`exponent less than 0 (error token is "${at}")`);
      return power(BigInt(a), BigInt(b));
    case "<<":
      if (small(a) && small(b) && b >= 0 && b < 31 && Math.abs(a) < 2 ** 22) return a * 2 ** b;
      return fold(BigInt(a) << (BigInt(b) & 63n));
    case ">>":
      if (small(a) && small(b) && b >= 0 && b < 32) return a >> b;
      return fold(BigInt(a) >> (BigInt(b) & 63n));
    case "<":
      return a < b ? 1 : 0;
    case ">":
      return a > b ? 1 : 0;
    case "<=":
      return a <= b ? 1 : 0;
    case ">=":
      return a >= b ? 1 : 0;
    case "==":
      return a == b ? 1 : 0;
    case "!=":
      return a == b ? 0 : 1;
    case "&":
      return small(a) && small(b) ? a & b : fold(BigInt(a) & BigInt(b));
    case "|":
      return small(a) && small(b) ? a | b : fold(BigInt(a) | BigInt(b));
    case "^":
      return small(a) && small(b) ? a ^ b : fold(BigInt(a) ^ BigInt(b));
  }
}

/** Square and multiply, wrapping at 64 bits on the way. */
function power(base: bigint, exponent: bigint): Int {
  let result = 1n;
  let factor = base;
  for (let e = exponent; e > 0n; e >>= 1n) {
    if (e & 1n) result = BigInt.asIntN(64, result * factor);
    factor = BigInt.asIntN(64, factor * factor);
  }
  return fold(result);
}
