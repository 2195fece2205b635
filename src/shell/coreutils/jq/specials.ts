/** jq's builtins that are more than functions of values: they take filters, or speak with the world. */
import type { Ast } from "./parse.ts";
import { COMPACT, compare, type Json, print, typeOf } from "./json.ts";
import { CompileError, type Env } from "./scope.ts";
import { deletePaths, getPath, JqError, type Path, setPath, truth } from "./values.ts";
import type { World } from "./world.ts";

/** What they ask of whoever evaluates. */
export interface Work {
  readonly world: World;
  eval(ast: Ast, input: Json, env: Env): Generator<Json>;
  paths(ast: Ast, path: Path, input: Json, env: Env): Generator<[Path, Json]>;
  tick(): void;
}

/** What is more than a function of values. */
export function* special(
  work: Work,
  key: string,
  args: readonly Ast[],
  input: Json,
  env: Env,
): Generator<Json> {
  const [first, second, third] = args;
  switch (key) {
    case "empty/0":
      return;
    case "error/0":
      throw new JqError(input);
    case "error/1":
      for (const value of work.eval(first, input, env)) throw new JqError(value);
      return;
    case "path/1":
      for (const [path] of work.paths(first, [], input, env)) yield [...path];
      return;
    case "range/1":
      for (const to of work.eval(first, input, env)) yield* range(work, 0, number(to), 1);
      return;
    case "range/2":
      for (const from of work.eval(first, input, env)) {
        for (const to of work.eval(second, input, env)) yield* range(work, number(from), number(to), 1);
      }
      return;
    case "range/3":
      for (const from of work.eval(first, input, env)) {
        for (const to of work.eval(second, input, env)) {
          for (const by of work.eval(third, input, env)) {
            yield* range(work, number(from), number(to), number(by));
          }
        }
      }
      return;
    case "first/1":
      for (const value of work.eval(first, input, env)) {
        yield value;
        return;
      }
      return;
    case "last/1": {
      let last: Json | undefined;
      for (const value of work.eval(first, input, env)) last = value;
      if (last !== undefined) yield last;
      return;
    }
    case "limit/2":
      for (const count of work.eval(first, input, env)) {
        let left = number(count);
        if (left <= 0) continue;
        for (const value of work.eval(second, input, env)) {
          yield value;
          if (--left <= 0) break;
        }
      }
      return;
    case "skip/2":
      for (const count of work.eval(first, input, env)) {
        let left = number(count);
        for (const value of work.eval(second, input, env)) if (left-- <= 0) yield value;
      }
      return;
    case "until/2": {
      let value = input;
      for (;;) {
        work.tick();
        if (truth(one(work, first, value, env))) break;
        value = one(work, second, value, env);
      }
      yield value;
      return;
    }
    case "isempty/1": {
      for (const _ of work.eval(first, input, env)) {
        yield false;
        return;
      }
      yield true;
      return;
    }
    case "any/2":
    case "all/2": {
      const any = key === "any/2";
      for (const each of work.eval(first, input, env)) {
        for (const value of work.eval(second, each, env)) {
          if (truth(value) !== any) continue;
          yield any;
          return;
        }
      }
      yield !any;
      return;
    }
    case "sort_by/1":
    case "group_by/1":
    case "unique_by/1":
    case "min_by/1":
    case "max_by/1":
      yield by(work, key, first, input, env);
      return;
    case "input/0": {
      const value = work.world.next();
      if (value === undefined) throw new JqError("No more inputs");
      yield value;
      return;
    }
    case "inputs/0":
      for (let value = work.world.next(); value !== undefined; value = work.world.next()) yield value;
      return;
    case "debug/0":
      work.world.debug(print(["DEBUG:", input], COMPACT));
      yield input;
      return;
    case "debug/1":
      for (const value of work.eval(first, input, env)) {
        work.world.debug(print(["DEBUG:", value], COMPACT));
      }
      yield input;
      return;
    case "stderr/0":
      work.world.debug(print(input, COMPACT));
      yield input;
      return;
    case "getpath/1":
      for (const path of work.eval(first, input, env)) yield getPath(input, path as Json[]);
      return;
    case "delpaths/1":
      for (const paths of work.eval(first, input, env)) yield deletePaths(input, paths as Json[][]);
      return;
    case "setpath/2":
      for (const path of work.eval(first, input, env)) {
        for (const value of work.eval(second, input, env)) {
          yield setPath(input, path as Json[], value);
        }
      }
      return;
    case "del/1": {
      const paths: Json[][] = [];
      for (const [path] of work.paths(first, [], input, env)) paths.push([...path]);
      yield deletePaths(input, paths);
      return;
    }
    case "env/0":
      yield work.world.env;
      return;
    case "input_filename/0":
      yield work.world.filename;
      return;
  }
  throw new CompileError(`${key} is not defined`);
}

function one(work: Work, ast: Ast, input: Json, env: Env): Json {
  for (const value of work.eval(ast, input, env)) return value;
  return null;
}

function* range(work: Work, from: number, to: number, by: number): Generator<Json> {
  if (by === 0) throw new JqError("Range step cannot be zero");
  for (let i = from; by > 0 ? i < to : i > to; i += by) {
    work.tick();
    yield i;
  }
}

function by(work: Work, key: string, ast: Ast, input: Json, env: Env): Json {
  if (!Array.isArray(input)) throw new JqError(`Cannot index ${typeOf(input)} with number`);
  const rows = input.map((value, i) => ({ value, i, key: [...work.eval(ast, value, env)] as Json[] }));
  if (key === "min_by/1" || key === "max_by/1") {
    if (rows.length === 0) return null;
    return rows.reduce((best, row) => {
      const order = compare(row.key, best.key);
      return key === "min_by/1" ? (order < 0 ? row : best) : order >= 0 ? row : best;
    }).value;
  }
  rows.sort((a, b) => compare(a.key, b.key) || a.i - b.i);
  if (key === "sort_by/1") return rows.map(({ value }) => value);
  const groups: { key: Json[]; values: Json[] }[] = [];
  for (const row of rows) {
    const last = groups[groups.length - 1];
    if (last && compare(last.key, row.key) === 0) last.values.push(row.value);
    else groups.push({ key: row.key, values: [row.value] });
  }
  return key === "group_by/1" ? groups.map(({ values }) => values) : groups.map(({ values }) => values[0]);
}

/** A bound of a range or a count. */
export function number(value: Json): number {
  if (typeof value !== "number") throw new JqError("Range bounds must be numeric");
  return value;
}
