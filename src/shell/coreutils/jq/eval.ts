/**
 * Evaluates jq programs: every filter is a generator of values. Path
 * expressions, on which assignments rest, are a second generator that yields
 * paths along with values. Both are one case for each form of the tree, which
 * is why they stand together.
 */
import { type Ast, parseDefs, type Pattern } from "./parse.ts";
import { COMPACT, type Json, print, typeOf } from "./json.ts";
import {
  deletePaths,
  describe,
  getPath,
  index,
  items,
  JqError,
  operate,
  type Path,
  recurse,
  recursePaths,
  setPath,
  short,
  slice,
  truth,
} from "./values.ts";
import { formatText } from "./formats.ts";
import { natives } from "./natives.ts";
import { Break, type Closure, CompileError, define, type Env, lookup, namesOf } from "./scope.ts";
import { number, special, type Work } from "./specials.ts";
import type { Native, World } from "./world.ts";
import { PRELUDE } from "./prelude.ts";

/** Items that one array may be given by its brackets. */
const MAX_ITEMS = 10_000_000;

export class Interpreter {
  #prelude: Env;
  #turns = 0;
  readonly #work: Work;

  constructor(readonly world: World) {
    this.#work = {
      world,
      eval: (ast, input, env) => this.#eval(ast, input, env),
      paths: (ast, path, input, env) => this.#paths(ast, path, input, env),
      tick: () => this.#tick(),
    };
    for (const def of parseDefs(PRELUDE)) this.#prelude = define(def, this.#prelude);
    // The library's functions see each other, whatever their order.
    for (let at = this.#prelude; at; at = at.parent) (at.value as Closure).env = this.#prelude;
  }

  run(ast: Ast, input: Json, variables: ReadonlyMap<string, Json>): Generator<Json> {
    let env = this.#prelude;
    for (const [name, value] of variables) env = { kind: "var", name, value, parent: env };
    return this.#eval(ast, input, env);
  }

  #break(name: string, env: Env): Error {
    const label = lookup("label", name, env);
    return label ? new Break(label.value as object) : new CompileError(`$*label-${name} is not defined`);
  }

  /** An array as long as memory would end the whole program. */
  #collect(body: Ast, input: Json, env: Env): Json[] {
    const items: Json[] = [];
    for (const item of this.#eval(body, input, env)) {
      if (items.push(item) > MAX_ITEMS) throw new JqError("Array too large: cannot allocate memory");
    }
    return items;
  }

  #tick(): void {
    if ((++this.#turns & 1023) === 0) this.world.poll();
  }

  *#eval(ast: Ast, input: Json, env: Env): Generator<Json> {
    this.#tick();
    switch (ast.type) {
      case "identity":
        yield input;
        return;
      case "literal":
        yield ast.value;
        return;
      case "recurse":
        yield* recurse(input);
        return;
      case "pipe":
        for (const value of this.#eval(ast.left, input, env)) yield* this.#eval(ast.right, value, env);
        return;
      case "comma":
        yield* this.#eval(ast.left, input, env);
        yield* this.#eval(ast.right, input, env);
        return;
      case "index":
        for (const target of this.#eval(ast.target, input, env)) {
          for (const key of this.#eval(ast.key, input, env)) yield index(target, key);
        }
        return;
      case "slice":
        for (const target of this.#eval(ast.target, input, env)) {
          for (const to of ast.to ? this.#eval(ast.to, input, env) : [null]) {
            for (const from of ast.from ? this.#eval(ast.from, input, env) : [null]) {
              yield slice(target, from, to);
            }
          }
        }
        return;
      case "iterate":
        for (const target of this.#eval(ast.target, input, env)) yield* items(target);
        return;
      case "try":
        yield* this.#try(
          this.#eval(ast.body, input, env),
          (error) => ast.handler ? this.#eval(ast.handler, error, env) : [],
        );
        return;
      case "if":
        for (const test of this.#eval(ast.test, input, env)) {
          if (truth(test)) yield* this.#eval(ast.yes, input, env);
          else if (ast.no) yield* this.#eval(ast.no, input, env);
          else yield input;
        }
        return;
      case "array":
        yield ast.body ? this.#collect(ast.body, input, env) : [];
        return;
      case "object":
        yield* this.#object(ast.entries, 0, new Map(), input, env);
        return;
      case "string":
        yield* this.#string(ast.parts, 0, "", ast.format, input, env);
        return;
      case "format":
        yield formatText(ast.name, input);
        return;
      case "negate":
        for (const value of this.#eval(ast.operand, input, env)) {
          if (typeof value !== "number") throw new JqError(`${describe(value)} cannot be negated`);
          yield -value;
        }
        return;
      case "binary":
        yield* this.#binary(ast, input, env);
        return;
      case "var":
        yield this.#variable(ast.name, env);
        return;
      case "as":
        for (const value of this.#eval(ast.source, input, env)) {
          yield* this.#destructured(ast, value, input, env, (inner) => this.#eval(ast.body, input, inner));
        }
        return;
      case "reduce":
        yield* this.#reduce(ast, input, env);
        return;
      case "foreach":
        for (const init of this.#eval(ast.init, input, env)) {
          let state = init;
          for (const value of this.#eval(ast.source, input, env)) {
            for (const inner of this.#bind(ast.pattern, value, input, env)) {
              for (const next of this.#eval(ast.update, state, inner)) {
                state = next;
                if (ast.extract) yield* this.#eval(ast.extract, state, inner);
                else yield state;
              }
            }
          }
        }
        return;
      case "def":
        yield* this.#eval(ast.body, input, define(ast.def, env));
        return;
      case "label": {
        const label = {};
        try {
          yield* this.#eval(ast.body, input, { kind: "label", name: ast.name, value: label, parent: env });
        } catch (error) {
          if (!(error instanceof Break) || error.label !== label) throw error;
        }
        return;
      }
      case "break":
        throw this.#break(ast.name, env);
      case "assign":
        yield* this.#assign(ast, input, env);
        return;
      case "call":
        yield* this.#call(ast.name, ast.args, input, env);
        return;
    }
  }

  *#try(body: Generator<Json>, handler: (error: Json) => Iterable<Json>): Generator<Json> {
    try {
      for (const value of body) yield value;
    } catch (error) {
      if (!(error instanceof JqError)) throw error;
      // `error(break)` of jq's own leaves through the handler.
      if (error.value instanceof Map && error.value.get("__jq") !== undefined) throw error;
      yield* handler(error.value);
    }
  }

  *#object(
    entries: readonly (readonly [Ast, Ast])[],
    at: number,
    made: Map<string, Json>,
    input: Json,
    env: Env,
  ): Generator<Json> {
    if (at === entries.length) {
      yield made;
      return;
    }
    const [keyAst, valueAst] = entries[at];
    for (const key of this.#eval(keyAst, input, env)) {
      if (typeof key !== "string") throw new JqError(`Object keys must be strings`);
      for (const value of this.#eval(valueAst, input, env)) {
        const next = new Map(made);
        next.set(key, value);
        yield* this.#object(entries, at + 1, next, input, env);
      }
    }
  }

  *#string(
    parts: readonly (string | Ast)[],
    at: number,
    made: string,
    format: string | undefined,
    input: Json,
    env: Env,
  ): Generator<Json> {
    if (at === parts.length) {
      yield made;
      return;
    }
    const part = parts[at];
    if (typeof part === "string") {
      yield* this.#string(parts, at + 1, made + part, format, input, env);
      return;
    }
    for (const value of this.#eval(part, input, env)) {
      const text = format
        ? formatText(format, value)
        : typeof value === "string"
        ? value
        : print(value, COMPACT);
      yield* this.#string(parts, at + 1, made + text, format, input, env);
    }
  }

  *#binary(ast: Extract<Ast, { type: "binary" }>, input: Json, env: Env): Generator<Json> {
    switch (ast.op) {
      case "and":
      case "or":
        for (const left of this.#eval(ast.left, input, env)) {
          if (truth(left) === (ast.op === "or")) yield ast.op === "or";
          else for (const right of this.#eval(ast.right, input, env)) yield truth(right);
        }
        return;
      case "//": {
        let any = false;
        for (const left of this.#try(this.#eval(ast.left, input, env), () => [])) {
          if (!truth(left)) continue;
          any = true;
          yield left;
        }
        if (!any) yield* this.#eval(ast.right, input, env);
        return;
      }
    }
    for (const right of this.#eval(ast.right, input, env)) {
      for (const left of this.#eval(ast.left, input, env)) yield operate(ast.op, left, right);
    }
  }

  #variable(name: string, env: Env): Json {
    const found = lookup("var", name, env);
    if (found) return found.value as Json;
    if (name === "ENV") return this.world.env;
    if (name === "__prog_args") return this.world.arguments;
    throw new JqError(`$${name} is not defined`);
  }

  *#destructured(
    ast: Extract<Ast, { type: "as" }>,
    value: Json,
    input: Json,
    env: Env,
    body: (inner: Env) => Generator<Json>,
  ): Generator<Json> {
    const { patterns } = ast;
    // With alternatives, all their variables exist, null where another pattern has them.
    let base = env;
    if (patterns.length > 1) {
      for (const name of new Set(patterns.flatMap(namesOf))) {
        base = { kind: "var", name, value: null, parent: base };
      }
    }
    for (let i = 0; i < patterns.length; i++) {
      try {
        for (const inner of this.#bind(patterns[i], value, input, base)) yield* body(inner);
        return;
      } catch (error) {
        if (!(error instanceof JqError) || i === patterns.length - 1) throw error;
      }
    }
  }

  *#bind(pattern: Pattern, value: Json, input: Json, env: Env): Generator<Env> {
    switch (pattern.type) {
      case "var":
        yield { kind: "var", name: pattern.name, value, parent: env };
        return;
      case "array":
        if (value !== null && !Array.isArray(value)) {
          throw new JqError(`Cannot index ${typeOf(value)} with number`);
        }
        yield* this.#bindAll(
          pattern.items.map((item, i) => [item, (value as Json[] | null)?.[i] ?? null] as const),
          0,
          input,
          env,
        );
        return;
      case "object":
        yield* this.#bindEntries(pattern.entries, 0, value, input, env);
    }
  }

  *#bindAll(pairs: readonly (readonly [Pattern, Json])[], at: number, input: Json, env: Env): Generator<Env> {
    if (at === pairs.length) {
      yield env;
      return;
    }
    for (const inner of this.#bind(pairs[at][0], pairs[at][1], input, env)) {
      yield* this.#bindAll(pairs, at + 1, input, inner);
    }
  }

  *#bindEntries(
    entries: Extract<Pattern, { type: "object" }>["entries"],
    at: number,
    value: Json,
    input: Json,
    env: Env,
  ): Generator<Env> {
    if (at === entries.length) {
      yield env;
      return;
    }
    const entry = entries[at];
    for (const key of this.#eval(entry.key, input, env)) {
      if (typeof key !== "string") throw new JqError(`Cannot index object with ${typeOf(key)}`);
      const member = index(value, key);
      const own: Env = entry.variable === undefined
        ? env
        : { kind: "var", name: entry.variable, value: member, parent: env };
      for (const inner of entry.value ? this.#bind(entry.value, member, input, own) : [own]) {
        yield* this.#bindEntries(entries, at + 1, value, input, inner);
      }
    }
  }

  *#reduce(ast: Extract<Ast, { type: "reduce" }>, input: Json, env: Env): Generator<Json> {
    for (const init of this.#eval(ast.init, input, env)) {
      let state = init;
      for (const value of this.#eval(ast.source, input, env)) {
        for (const inner of this.#bind(ast.pattern, value, input, env)) {
          let last: Json = null;
          for (const next of this.#eval(ast.update, state, inner)) last = next;
          state = last;
        }
      }
      yield state;
    }
  }

  *#assign(ast: Extract<Ast, { type: "assign" }>, input: Json, env: Env): Generator<Json> {
    if (ast.op === "|=") {
      let out = input;
      const gone: Json[][] = [];
      for (const [path] of this.#paths(ast.left, [], input, env)) {
        let found = false;
        for (const value of this.#eval(ast.right, getPath(out, path), env)) {
          out = setPath(out, path, value);
          found = true;
          break;
        }
        if (!found) gone.push([...path]);
      }
      yield deletePaths(out, gone);
      return;
    }
    for (const value of this.#eval(ast.right, input, env)) {
      let out = input;
      for (const [path] of this.#paths(ast.left, [], input, env)) {
        const old = getPath(out, path);
        if (ast.op === "=") out = setPath(out, path, value);
        else if (ast.op === "//=") out = truth(old) ? out : setPath(out, path, value);
        else out = setPath(out, path, operate(ast.op.slice(0, -1), old, value));
      }
      yield out;
    }
  }

  *#call(name: string, args: readonly Ast[], input: Json, env: Env): Generator<Json> {
    const key = `${name}/${args.length}`;
    const found = lookup("function", key, env);
    if (found) {
      for (const inner of this.#enter(found.value as Closure, args, input, env)) {
        yield* this.#eval((found.value as Closure).body, input, inner);
      }
      return;
    }
    const eager = natives.get(key);
    if (eager) {
      yield* this.#eager(eager, args, 0, [], input, env);
      return;
    }
    yield* special(this.#work, key, args, input, env);
  }

  /** All arguments' values, in all combinations, later ones outermost. */
  *#eager(
    native: Native,
    args: readonly Ast[],
    at: number,
    values: Json[],
    input: Json,
    env: Env,
  ): Generator<Json> {
    if (at === args.length) {
      yield native(input, values, this.world);
      return;
    }
    const i = args.length - 1 - at;
    for (const value of this.#eval(args[i], input, env)) {
      yield* this.#eager(native, args, at + 1, [value, ...values], input, env);
    }
  }

  /** The scope of a function's body. */
  *#enter(
    closure: Closure,
    args: readonly Ast[],
    input: Json,
    env: Env,
    at = 0,
    made: Env = closure.env,
  ): Generator<Env> {
    if (at === args.length) {
      yield made;
      return;
    }
    const param = closure.params[at];
    const value: Closure = { params: [], body: args[at], env };
    if (!param.startsWith("$")) {
      yield* this.#enter(closure, args, input, env, at + 1, {
        kind: "function",
        name: `${param}/0`,
        value,
        parent: made,
      });
      return;
    }
    const name = param.slice(1);
    for (const each of this.#eval(args[at], input, env)) {
      const variable: Env = { kind: "var", name, value: each, parent: made };
      yield* this.#enter(closure, args, input, env, at + 1, {
        kind: "function",
        name: `${name}/0`,
        value,
        parent: variable,
      });
    }
  }

  /** Paths to what an expression picks, and the values there. */
  *#paths(ast: Ast, path: Path, input: Json, env: Env): Generator<[Path, Json]> {
    this.#tick();
    switch (ast.type) {
      case "identity":
        yield [path, input];
        return;
      case "recurse":
        yield* recursePaths(path, input);
        return;
      case "pipe":
        for (const [at, value] of this.#paths(ast.left, path, input, env)) {
          yield* this.#paths(ast.right, at, value, env);
        }
        return;
      case "comma":
        yield* this.#paths(ast.left, path, input, env);
        yield* this.#paths(ast.right, path, input, env);
        return;
      case "index":
        for (const [at, value] of this.#paths(ast.target, path, input, env)) {
          for (const key of this.#eval(ast.key, input, env)) {
            yield [[...at, key], value === null ? null : index(value, key)];
          }
        }
        return;
      case "slice":
        for (const [at, value] of this.#paths(ast.target, path, input, env)) {
          for (const to of ast.to ? this.#eval(ast.to, input, env) : [null]) {
            for (const from of ast.from ? this.#eval(ast.from, input, env) : [null]) {
              yield [[...at, new Map<string, Json>([["start", from], ["end", to]])], slice(value, from, to)];
            }
          }
        }
        return;
      case "iterate":
        for (const [at, value] of this.#paths(ast.target, path, input, env)) {
          if (value === null) continue;
          if (Array.isArray(value)) { for (let i = 0; i < value.length; i++) yield [[...at, i], value[i]]; }
          else if (value instanceof Map) { for (const [key, each] of value) yield [[...at, key], each]; }
          else throw new JqError(`Cannot iterate over ${describe(value)}`);
        }
        return;
      case "try":
        try {
          for (const each of this.#paths(ast.body, path, input, env)) yield each;
        } catch (error) {
          if (!(error instanceof JqError)) throw error;
          if (ast.handler) yield* this.#paths(ast.handler, path, error.value, env);
        }
        return;
      case "if":
        for (const test of this.#eval(ast.test, input, env)) {
          if (truth(test)) yield* this.#paths(ast.yes, path, input, env);
          else if (ast.no) yield* this.#paths(ast.no, path, input, env);
          else yield [path, input];
        }
        return;
      case "binary":
        if (ast.op === "//") {
          let any = false;
          try {
            for (const each of this.#paths(ast.left, path, input, env)) {
              if (!truth(each[1])) continue;
              any = true;
              yield each;
            }
          } catch (error) {
            if (!(error instanceof JqError)) throw error;
          }
          if (!any) yield* this.#paths(ast.right, path, input, env);
          return;
        }
        break;
      case "as":
        for (const value of this.#eval(ast.source, input, env)) {
          for (const inner of this.#bind(ast.patterns[0], value, input, env)) {
            yield* this.#paths(ast.body, path, input, inner);
          }
        }
        return;
      case "reduce": {
        let state: [Path, Json] | undefined;
        for (const each of this.#paths(ast.init, path, input, env)) state = each;
        for (const value of this.#eval(ast.source, input, env)) {
          for (const inner of this.#bind(ast.pattern, value, input, env)) {
            let next: [Path, Json] | undefined;
            if (state) { for (const each of this.#paths(ast.update, state[0], state[1], inner)) next = each; }
            state = next;
          }
        }
        if (state) yield state;
        return;
      }
      case "foreach":
        for (const init of this.#paths(ast.init, path, input, env)) {
          let state = init;
          for (const value of this.#eval(ast.source, input, env)) {
            for (const inner of this.#bind(ast.pattern, value, input, env)) {
              for (const next of this.#paths(ast.update, state[0], state[1], inner)) {
                state = next;
                if (ast.extract) yield* this.#paths(ast.extract, state[0], state[1], inner);
                else yield state;
              }
            }
          }
        }
        return;
      case "def":
        yield* this.#paths(ast.body, path, input, define(ast.def, env));
        return;
      case "label": {
        const label = {};
        try {
          yield* this.#paths(ast.body, path, input, {
            kind: "label",
            name: ast.name,
            value: label,
            parent: env,
          });
        } catch (error) {
          if (!(error instanceof Break) || error.label !== label) throw error;
        }
        return;
      }
      case "break":
        throw this.#break(ast.name, env);
      case "literal":
        if (ast.value === null) {
          yield [path, null];
          return;
        }
        break;
      case "call": {
        const key = `${ast.name}/${ast.args.length}`;
        const found = lookup("function", key, env);
        if (found) {
          for (const inner of this.#enter(found.value as Closure, ast.args, input, env)) {
            yield* this.#paths((found.value as Closure).body, path, input, inner);
          }
          return;
        }
        if (key === "empty/0") return;
        if (key === "error/0" || key === "error/1") {
          yield* this.#eval(ast, input, env) as Generator<never>;
          return;
        }
        if (key === "first/1") {
          for (const each of this.#paths(ast.args[0], path, input, env)) {
            yield each;
            return;
          }
          return;
        }
        if (key === "last/1") {
          let last: [Path, Json] | undefined;
          for (const each of this.#paths(ast.args[0], path, input, env)) last = each;
          if (last) yield last;
          return;
        }
        if (key === "limit/2") {
          for (const count of this.#eval(ast.args[0], input, env)) {
            let left = number(count);
            if (left <= 0) continue;
            for (const each of this.#paths(ast.args[1], path, input, env)) {
              yield each;
              if (--left <= 0) break;
            }
          }
          return;
        }
        if (key === "getpath/1") {
          for (const inner of this.#eval(ast.args[0], input, env)) {
            let value: Json = null;
            try {
              value = getPath(input, inner as Json[]);
            } catch (error) {
              if (!(error instanceof JqError)) throw error;
            }
            yield [[...path, ...inner as Json[]], value];
          }
          return;
        }
      }
    }
    for (const value of this.#eval(ast, input, env)) {
      throw new JqError(`Invalid path expression with result ${short(value)}`);
    }
  }
}
