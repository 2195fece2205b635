/** Evaluation of `[[ … ]]`. */
import type { Regex } from "../../lib/regex.ts";
import { ExpansionError, type Run, wait } from "../expand/config.ts";
import { compilePattern } from "../expand/pattern.ts";
import { IndexedArray } from "../expand/variable.ts";
import type { Cond } from "../syntax/mod.ts";
import type { Shell } from "./shell.ts";
import { binary, unary } from "./test.ts";
import { trace } from "./xtrace.ts";

export function* evaluateCond(sh: Shell, e: Cond, not = ""): Run<boolean> {
  switch (e.kind) {
    case "and":
      return (yield* evaluateCond(sh, e.left)) && (yield* evaluateCond(sh, e.right));
    case "or":
      return (yield* evaluateCond(sh, e.left)) || (yield* evaluateCond(sh, e.right));
    case "not":
      return !(yield* evaluateCond(sh, e.operand, "! "));
    case "parens":
      return yield* evaluateCond(sh, e.operand);
    case "unary": {
      const arg = sh.expander.quickText(e.operand) ?? (yield* sh.expander.text(e.operand));
      if (sh.options.xtrace) trace(sh, `[[ ${not}${e.op} ${shown(arg)} ]]`);
      return unary(sh, e.op, arg);
    }
  }
  const left = sh.expander.quickText(e.left) ?? (yield* sh.expander.text(e.left));
  const fold = sh.options.nocasematch;
  switch (e.op) {
    case "=":
    case "==":
    case "!=": {
      const pattern = yield* sh.expander.pattern(e.right);
      if (sh.options.xtrace) trace(sh, `[[ ${not}${shown(left)} ${e.op} ${shown(pattern)} ]]`);
      return compilePattern(pattern, true, fold).matches(left) === (e.op !== "!=");
    }
    case "=~": {
      const source = yield* sh.expander.regex(e.right);
      if (sh.options.xtrace) trace(sh, `[[ ${not}${shown(left)} =~ ${shown(source)} ]]`);
      // The engine is loaded for scripts that match something.
      engine ??= yield* wait(import("../../lib/regex.ts"));
      return matchRegex(sh, engine, left, source, fold);
    }
  }
  const right = sh.expander.quickText(e.right) ?? (yield* sh.expander.text(e.right));
  if (sh.options.xtrace) trace(sh, `[[ ${not}${shown(left)} ${e.op} ${shown(right)} ]]`);
  try {
    return binary(sh, e.op, left, right, true);
  } catch (error) {
    // A wrong number makes the condition false, not the line end.
    if (!(error instanceof ExpansionError) || error.exits) throw error;
    sh.warn(`[[: ${error.message}`);
    return false;
  }
}

/** An operand in a trace: as it is. */
function shown(text: string): string {
  return text === "" ? "''" : text;
}

/** Thrown for a regular expression that is none: `[[` then has status 2. */
export class BadRegex extends Error {
  override readonly name = "BadRegex";
}

let engine: typeof import("../../lib/regex.ts") | undefined;

function matchRegex(
  sh: Shell,
  { compileRegex, RegexError }: NonNullable<typeof engine>,
  text: string,
  source: string,
  fold: boolean,
): boolean {
  const key = (fold ? "i" : "-") + source;
  let regex = cache.get(key);
  if (regex === undefined) {
    try {
      regex = compileRegex(source, { syntax: "extended", ignoreCase: fold, poll: () => {} });
    } catch (error) {
      if (error instanceof RegexError) throw new BadRegex(error.message);
      throw error;
    }
    if (cache.size > 200) cache.clear();
    cache.set(key, regex);
  }
  const m = regex.exec(text);
  sh.vars.setValue("BASH_REMATCH", new IndexedArray(m === undefined ? [] : m.map((g) => g ?? "")));
  return m !== undefined;
}

const cache = new Map<string, Regex>();
