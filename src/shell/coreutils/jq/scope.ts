/** Names in scope while a jq program is evaluated: variables, functions and labels. */
import type { Ast, Def, Pattern } from "./parse.ts";
import type { Json } from "./json.ts";

/** Thrown by `break`, to the label that it names. */
export class Break extends Error {
  constructor(readonly label: object) {
    super("break");
  }
}

/** A function and the names that it sees. */
export interface Closure {
  readonly params: readonly string[];
  readonly body: Ast;
  /** Where it was defined; a function sees itself. */
  env: Env;
}

/** Names in scope, innermost first. */
export type Env = {
  readonly kind: "var" | "function" | "label";
  readonly name: string;
  readonly value: Json | Closure | object;
  readonly parent: Env;
} | undefined;

/** A function that does not exist: found when it is called, reported as jq's compiler does. */
export class CompileError extends Error {}

/** The scope with one more function, which sees itself. */
export function define(def: Def, env: Env): Env {
  const closure: Closure = { params: def.params, body: def.body, env };
  const own: Env = {
    kind: "function",
    name: `${def.name}/${def.params.length}`,
    value: closure,
    parent: env,
  };
  closure.env = own;
  return own;
}

/** The innermost name of that kind; undefined where there is none. */
export function lookup(kind: "var" | "function" | "label", name: string, env: Env): Env {
  for (let at = env; at; at = at.parent) if (at.name === name && at.kind === kind) return at;
  return undefined;
}

/** The variables that a pattern binds. */
export function namesOf(pattern: Pattern): string[] {
  if (pattern.type === "var") return [pattern.name];
  if (pattern.type === "array") return pattern.items.flatMap(namesOf);
  return pattern.entries.flatMap((
    entry,
  ) => [
    ...(entry.variable === undefined ? [] : [entry.variable]),
    ...(entry.value ? namesOf(entry.value) : []),
  ]);
}
