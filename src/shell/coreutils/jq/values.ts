/** What jq does with values: operators, indexes, paths. */
import { COMPACT, compare, equal, type Json, print, typeOf } from "./json.ts";

/** An error that `try` catches; it carries a value. */
export class JqError extends Error {
  constructor(readonly value: Json) {
    super(typeof value === "string" ? value : print(value, COMPACT));
  }
}

export type Path = readonly Json[];

export function truth(value: Json): boolean {
  return value !== null && value !== false;
}

export function short(value: Json): string {
  const text = print(value, COMPACT);
  return text.length > 11 ? text.slice(0, 10) + "..." : text;
}

/** `number (5)`, as messages have it. */
export function describe(value: Json): string {
  return value === null ? "null (null)" : `${typeOf(value)} (${short(value)})`;
}

export function* recurse(value: Json): Generator<Json> {
  yield value;
  if (Array.isArray(value)) { for (const each of value) yield* recurse(each); }
  else if (value instanceof Map) { for (const each of value.values()) yield* recurse(each); }
}

export function* recursePaths(path: Path, value: Json): Generator<[Path, Json]> {
  yield [path, value];
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) yield* recursePaths([...path, i], value[i]);
  } else if (value instanceof Map) {
    for (const [key, each] of value) yield* recursePaths([...path, key], each);
  }
}

export function* items(value: Json): Generator<Json> {
  if (Array.isArray(value)) yield* value;
  else if (value instanceof Map) yield* value.values();
  else throw new JqError(`Cannot iterate over ${describe(value)}`);
}

export function index(value: Json, key: Json): Json {
  if (typeof key === "string" && value instanceof Map) return value.get(key) ?? null;
  if (typeof key === "number" && Array.isArray(value)) {
    if (Number.isNaN(key)) return null;
    const i = Math.floor(key);
    return value[i < 0 ? i + value.length : i] ?? null;
  }
  if (value === null && (typeof key === "string" || typeof key === "number" || key === null)) return null;
  if (key instanceof Map) return slice(value, key.get("start") ?? null, key.get("end") ?? null);
  if (Array.isArray(key) && Array.isArray(value)) {
    const out: Json[] = [];
    for (let i = 0; i + key.length <= value.length; i++) {
      if (key.length > 0 && key.every((each, k) => equal(value[i + k], each))) out.push(i);
    }
    return out;
  }
  if (typeof key === "string") throw new JqError(`Cannot index ${typeOf(value)} with "${key}"`);
  throw new JqError(`Cannot index ${typeOf(value)} with ${typeOf(key)}`);
}

function bounds(from: Json, to: Json, length: number): [number, number] {
  const place = (value: Json, fallback: number, round: (n: number) => number): number => {
    if (value === null) return fallback;
    if (typeof value !== "number") {
      throw new JqError("Start and end indices of an array slice must be numbers");
    }
    const i = round(value);
    return Math.max(0, Math.min(length, i < 0 ? i + length : i));
  };
  const start = place(from, 0, Math.floor);
  return [start, Math.max(start, place(to, length, Math.ceil))];
}

export function slice(value: Json, from: Json, to: Json): Json {
  if (value === null) return null;
  if (typeof value === "string") {
    const chars = [...value];
    return chars.slice(...bounds(from, to, chars.length)).join("");
  }
  if (!Array.isArray(value)) throw new JqError(`Cannot index ${typeOf(value)} with object`);
  return value.slice(...bounds(from, to, value.length));
}

export function getPath(value: Json, path: Path): Json {
  if (!Array.isArray(path)) throw new JqError("Path must be specified as an array");
  let at = value;
  for (const key of path) {
    if (at === null) return null;
    at = index(at, key);
  }
  return at;
}

const MAX_INDEX = 50_000_000;

export function setPath(value: Json, path: Path, to: Json): Json {
  if (!Array.isArray(path)) throw new JqError("Path must be specified as an array");
  if (path.length === 0) return to;
  const [key, ...rest] = path;
  if (typeof key === "string") {
    if (value !== null && !(value instanceof Map)) {
      throw new JqError(`Cannot index ${typeOf(value)} with "${key}"`);
    }
    const out = new Map(value);
    out.set(key, setPath(out.get(key) ?? null, rest, to));
    return out;
  }
  if (typeof key === "number") {
    if (value !== null && !Array.isArray(value)) {
      throw new JqError(`Cannot index ${typeOf(value)} with number`);
    }
    const out = value ? [...value] : [];
    let i = Math.floor(key);
    if (i < 0) i += out.length;
    if (i < 0) throw new JqError("Out of bounds negative array index");
    if (i > MAX_INDEX) throw new JqError("Array index too large");
    const member = setPath(out[i] ?? null, rest, to);
    while (out.length < i) out.push(null);
    out[i] = member;
    return out;
  }
  if (key instanceof Map) {
    if (value !== null && !Array.isArray(value)) {
      throw new JqError(`Cannot update field at object index of ${typeOf(value)}`);
    }
    const list = value ?? [];
    const [start, end] = bounds(key.get("start") ?? null, key.get("end") ?? null, list.length);
    const part = setPath(list.slice(start, end), rest, to);
    if (!Array.isArray(part)) throw new JqError("A slice of an array can only be assigned another array");
    return [...list.slice(0, start), ...part, ...list.slice(end)];
  }
  throw new JqError(`Invalid path component ${describe(key)}`);
}

export function deletePaths(value: Json, paths: readonly Path[]): Json {
  let out = value;
  // From the back, so that indexes stay right.
  for (const path of [...paths].sort((a, b) => compare([...b], [...a]))) out = deletePath(out, path);
  return out;
}

function deletePath(value: Json, path: Path): Json {
  if (path.length === 0 || value === null) return null;
  const [key, ...rest] = path;
  if (rest.length > 0) {
    const member = index(value, key);
    return member === null ? value : setPath(value, [key], deletePath(member, rest));
  }
  if (value instanceof Map && typeof key === "string") {
    const out = new Map(value);
    out.delete(key);
    return out;
  }
  if (Array.isArray(value) && typeof key === "number") {
    const i = key < 0 ? key + value.length : key;
    return value.filter((_, at) => at !== i);
  }
  if (Array.isArray(value) && key instanceof Map) {
    const [start, end] = bounds(key.get("start") ?? null, key.get("end") ?? null, value.length);
    return [...value.slice(0, start), ...value.slice(end)];
  }
  throw new JqError(
    `Cannot delete field at ${typeof key === "string" ? "object" : "array"} index of ${typeOf(value)}`,
  );
}

export function operate(op: string, left: Json, right: Json): Json {
  switch (op) {
    case "==":
      return equal(left, right);
    case "!=":
      return !equal(left, right);
    case "<":
      return compare(left, right) < 0;
    case "<=":
      return compare(left, right) <= 0;
    case ">":
      return compare(left, right) > 0;
    case ">=":
      return compare(left, right) >= 0;
    case "+":
      if (left === null) return right;
      if (right === null) return left;
      if (typeof left === "number" && typeof right === "number") return left + right;
      if (typeof left === "string" && typeof right === "string") return left + right;
      if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
      if (left instanceof Map && right instanceof Map) return new Map([...left, ...right]);
      throw new JqError(`${describe(left)} and ${describe(right)} cannot be added`);
    case "-":
      if (typeof left === "number" && typeof right === "number") return left - right;
      if (Array.isArray(left) && Array.isArray(right)) {
        return left.filter((each) => !right.some((other) => equal(each, other)));
      }
      throw new JqError(`${describe(left)} and ${describe(right)} cannot be subtracted`);
    case "*":
      if (typeof left === "number" && typeof right === "number") return left * right;
      if (left instanceof Map && right instanceof Map) return mergeDeep(left, right);
      if (typeof left === "string" && typeof right === "number") return repeatText(left, right);
      if (typeof left === "number" && typeof right === "string") return repeatText(right, left);
      throw new JqError(`${describe(left)} and ${describe(right)} cannot be multiplied`);
    case "/":
      if (typeof left === "number" && typeof right === "number") {
        if (right === 0) {
          throw new JqError(
            `${describe(left)} and ${describe(right)} cannot be divided because the divisor is zero`,
          );
        }
        return left / right;
      }
      if (typeof left === "string" && typeof right === "string") {
        return left === "" ? [] : right === "" ? [...left] : left.split(right);
      }
      throw new JqError(`${describe(left)} and ${describe(right)} cannot be divided`);
    case "%": {
      if (typeof left !== "number" || typeof right !== "number") {
        throw new JqError(`${describe(left)} and ${describe(right)} cannot be divided`);
      }
      const divisor = Math.trunc(Math.abs(right));
      if (!(divisor > 0)) {
        throw new JqError(
          `${describe(left)} and ${describe(right)} cannot be divided because the divisor is zero`,
        );
      }
      return Math.trunc(left) % divisor + 0;
    }
    case "//":
      return truth(left) ? left : right;
  }
  throw new Error(`unknown operator ${op}`);
}

function repeatText(text: string, count: number): Json {
  if (count <= 0) return null;
  const times = Math.max(1, Math.ceil(count));
  if (text.length * times > 1 << 28) throw new JqError("Repeat string result too long");
  return text.repeat(count < 1 ? 1 : Math.floor(count) || 1);
}

function mergeDeep(left: Map<string, Json>, right: Map<string, Json>): Map<string, Json> {
  const out = new Map(left);
  for (const [key, value] of right) {
    const old = out.get(key);
    out.set(key, old instanceof Map && value instanceof Map ? mergeDeep(old, value) : value);
  }
  return out;
}
