/**
 * The expansion of words, in bash's order: braces, tilde, parameters,
 * substitutions and arithmetic, splitting, globbing, removal of quotes.
 *
 * Most words of a running script are plain or made of plain parts and simple
 * parameters. Those have a *plan*, worked out once for each word of the tree
 * and run without any generator; the others go through the general way.
 */
import type { Arith, ArithSub, Part, Word } from "../syntax/mod.ts";
import { type ArithScope, evaluate, evaluateTree, parseCached } from "./arith.ts";
import { expandBraces } from "./brace.ts";
import { type ExpandConfig, ExpansionError, type Run, type Sink, type WordExpander } from "./config.ts";
import { expandGlob } from "./glob.ts";
import { expandParam } from "./param.ts";
import { hasGlob } from "./pattern.ts";
import { type Field, FieldSink, PatternSink, RegexSink, TextSink } from "./sink.ts";
import { ASSOC, scalarOf } from "./variable.ts";

/** What the expander keeps about a word. */
interface Memo {
  plan?: Plan | null;
  braces?: readonly Word[];
  arith?: Arith;
}

type Segment = string | { readonly param: string; readonly quoted: boolean } | { readonly arith: Word };

interface Plan {
  readonly segments: readonly Segment[];
  /** Something in it is quoted or literal: the word is a field even when empty. */
  readonly solid: boolean;
  readonly unquoted: boolean;
}

const SAFE = /^[A-Za-z0-9_.\/:=,+%@^#{}-]*$/;
const UNPLANNED = /[*?[\]{}~\\]|[@+!]\(/;

export class Expander implements WordExpander {
  constructor(readonly config: ExpandConfig, readonly scope: ArithScope) {}

  /** The fields of words, synchronously where nothing has to wait. */
  fields(words: readonly Word[], from = 0): string[] | Run<string[]> {
    const out: string[] = [];
    for (let i = from; i < words.length; i++) {
      const word = words[i];
      if (word.plain !== undefined) {
        out.push(word.plain);
        continue;
      }
      const quick = this.quick(word);
      if (quick === undefined) return this.#rest(words, i, out);
      if (quick !== null) out.push(quick);
    }
    return out;
  }

  *#rest(words: readonly Word[], from: number, out: string[]): Run<string[]> {
    for (let i = from; i < words.length; i++) {
      const word = words[i];
      if (word.plain !== undefined) out.push(word.plain);
      else {
        const quick = this.quick(word);
        if (quick === undefined) yield* this.#fieldsOf(word, out);
        else if (quick !== null) out.push(quick);
      }
    }
    return out;
  }

  /** A word's text without splitting and globbing, at once; undefined where the general way is needed. */
  quickText(word: Word): string | undefined {
    if (word.plain !== undefined) return word.plain;
    const plan = this.#plan(word);
    if (plan === null) return undefined;
    const out = this.#runPlan(plan, false);
    return out === undefined ? undefined : out;
  }

  /** A word's only field, null for none, undefined where the general way is needed. */
  quick(word: Word): string | null | undefined {
    const plan = this.#plan(word);
    if (plan === null) return undefined;
    if (plan.unquoted) {
      const ifs = this.config.ifs;
      if (ifs !== undefined && ifs !== " \t\n") return undefined;
    }
    const out = this.#runPlan(plan, true);
    return out === "" && !plan.solid ? null : out;
  }

  #runPlan(plan: Plan, split: boolean): string | undefined {
    let out = "";
    for (const segment of plan.segments) {
      if (typeof segment === "string") {
        out += segment;
        continue;
      }
      if ("arith" in segment) {
        const value = this.quickArith(segment.arith);
        if (value === undefined) return undefined;
        out += value;
        continue;
      }
      const value = this.#simple(segment.param);
      if (value === undefined) {
        if (this.config.option("nounset")) return undefined;
        continue;
      }
      if (split && !segment.quoted && !SAFE.test(value)) return undefined;
      out += value;
    }
    return out;
  }

  #simple(name: string): string | undefined {
    const first = name.charCodeAt(0);
    if (first >= 65) {
      const variable = this.config.vars.get(name);
      return variable === undefined ? undefined : scalarOf(variable.value);
    }
    if (first >= 49 && first <= 57) return this.config.params[Number(name) - 1];
    return this.config.special(name);
  }

  #plan(word: Word, quoted = false): Plan | null {
    const memo = (word.memo ??= {}) as Memo;
    if (memo.plan === undefined) memo.plan = planOf(word, quoted);
    return memo.plan;
  }

  *#fieldsOf(word: Word, out: string[]): Run<void> {
    const memo = (word.memo ??= {}) as Memo;
    memo.braces ??= expandBraces(word);
    if (memo.braces.length === 1 && memo.braces[0] === word || !this.config.option("braceexpand")) {
      return yield* this.#fieldsOfOne(word, out);
    }
    for (const w of memo.braces) {
      if (w.plain !== undefined) out.push(w.plain);
      else yield* this.#fieldsOfOne(w, out);
    }
  }

  *#fieldsOfOne(word: Word, out: string[]): Run<void> {
    const sink = new FieldSink(this.config.ifs ?? " \t\n", () => this.config.poll());
    yield* this.#parts(word.parts, false, sink, {
      tilde: true,
      assign: /^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(word.text) && !this.config.option("posix"),
    });
    this.#glob(sink.finish(), out);
  }

  #glob(fields: readonly Field[], out: string[]): void {
    for (const field of fields) {
      if (field.pattern === undefined || !hasGlob(field.pattern) || this.config.option("noglob")) {
        out.push(field.text);
        continue;
      }
      const found = expandGlob(this.config, field.pattern);
      if (found.length > 0) { for (const path of found) out.push(path); }
      else if (this.config.option("failglob")) throw new ExpansionError(`no match: ${field.text}`);
      else if (!this.config.option("nullglob")) out.push(field.text);
    }
  }

  *text(word: Word): Run<string> {
    const quick = this.quickText(word);
    if (quick !== undefined) return quick;
    const sink = new TextSink();
    yield* this.#parts(word.parts, false, sink, { tilde: true });
    return sink.value;
  }

  /** The value of an assignment: tildes expand after each colon too. */
  *assigned(word: Word): Run<string> {
    const quick = this.quickText(word);
    if (quick !== undefined) return quick;
    const sink = new TextSink();
    yield* this.#parts(word.parts, false, sink, { tilde: true, assign: true, value: true });
    return sink.value;
  }

  /** A here-document's body and the like: no tilde. */
  *quotedText(word: Word): Run<string> {
    const sink = new TextSink();
    yield* this.#parts(word.parts, false, sink, {});
    return sink.value;
  }

  *pattern(word: Word): Run<string> {
    if (word.plain !== undefined && !word.plain.includes("(")) return word.plain;
    const sink = new PatternSink();
    yield* this.#parts(word.parts, false, sink, { tilde: true });
    return sink.value;
  }

  *regex(word: Word): Run<string> {
    const sink = new RegexSink();
    yield* this.#parts(word.parts, false, sink, { tilde: true });
    return sink.value;
  }

  *into(word: Word, quoted: boolean, sink: Sink): Run<void> {
    if (word.parts.length === 0) {
      if (quoted) sink.quoted("");
      return;
    }
    yield* this.#parts(word.parts, quoted, sink, { tilde: !quoted, operand: true });
  }

  /** A word redirected to: one field, or undefined where it is several. */
  *target(word: Word): Run<string | undefined> {
    const out: string[] = [];
    yield* this.#fieldsOf(word, out);
    return out.length === 1 ? out[0] : undefined;
  }

  quickArith(word: Word): number | bigint | undefined {
    const memo = (word.memo ??= {}) as Memo;
    if (memo.arith !== undefined) return this.#tree(memo.arith, word.text);
    let text = staticText(word.parts);
    if (text !== undefined) {
      try {
        memo.arith = parseCached(text);
      } catch {
        // The evaluation below words the error.
      }
    } else {
      const plan = this.#plan(word, true);
      if (plan === null) return undefined;
      text = this.#runPlan(plan, false);
      if (text === undefined) return undefined;
    }
    return evaluate(text, this.scope);
  }

  #tree(tree: Arith, text: string): number | bigint {
    try {
      return evaluateTree(tree, this.scope, 0);
    } catch (error) {
      if (error instanceof Error && error.name === "ArithError") {
        throw new ExpansionError(`${text.replace(/^[ \t\n]+/, "")}: ${error.message}`);
      }
      throw error;
    }
  }

  *arith(word: Word): Run<number | bigint> {
    const quick = this.quickArith(word);
    if (quick !== undefined) return quick;
    const sink = new TextSink();
    yield* this.#parts(word.parts, true, sink, {});
    return evaluate(sink.value, this.scope);
  }

  *key(name: string, word: Word): Run<string | number> {
    const variable = this.config.vars.get(name);
    if (variable !== undefined && (variable.value instanceof Map || (variable.flags & ASSOC) !== 0)) {
      return word.plain ?? (yield* this.text(word));
    }
    if (word.parts.length === 0) throw new ExpansionError(`${name}[]: bad array subscript`);
    if (word.text.includes("'") && /(^|[^$\\])'/.test(word.text.replace(/\$\([^)]*\)|"[^"]*"/g, ""))) {
      throw new ExpansionError(
        `${word.text}: syntax error: operand expected (error token is "${word.text}")`,
      );
    }
    const text = word.plain ?? (yield* this.text(word));
    return Number(evaluate(text, this.scope));
  }

  *#parts(parts: readonly Part[], quoted: boolean, sink: Sink, mode: PartsMode): Run<void> {
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i];
      switch (part.kind) {
        case "lit": {
          if (quoted) {
            sink.quoted(part.text);
            break;
          }
          let text = part.text;
          if (mode.tilde && text.includes("~")) {
            text = this.#tildes(text, i === 0, i === parts.length - 1, mode, sink);
            if (text === "") break;
          }
          if (mode.operand) sink.split(text);
          else sink.literal(text);
          break;
        }
        case "quoted":
          sink.quoted(part.text);
          break;
        case "dquote":
          if (part.parts.length === 0) sink.quoted("");
          else yield* this.#parts(part.parts, true, sink, {});
          break;
        case "param":
          yield* expandParam(this, part, quoted, sink);
          break;
        case "command": {
          const output = this.config.commandOutput(part);
          const text = typeof output === "string" ? output : yield* output;
          if (quoted) sink.quoted(text);
          else sink.split(text);
          break;
        }
        case "arith": {
          const value = String(yield* this.arith(part.expr));
          if (quoted) sink.quoted(value);
          else sink.split(value);
          break;
        }
        case "process": {
          const path = this.config.processPath(part);
          sink.quoted(typeof path === "string" ? path : yield* path);
          break;
        }
      }
    }
  }

  /** Expands the tildes of a literal part into the sink; answers the text that is left. */
  #tildes(text: string, first: boolean, last: boolean, mode: PartsMode, sink: Sink): string {
    let at = 0;
    let start = first && text[0] === "~" ? 0 : -1;
    if (start === -1 && mode.assign && !mode.value) {
      const eq = text.indexOf("=");
      if (eq !== -1 && text[eq + 1] === "~") start = eq + 1;
    }
    if (start === -1 && mode.assign) start = nextColonTilde(text, 0);
    while (start !== -1) {
      const m = /^~([^\/:\\]*)/.exec(text.slice(start))!;
      const end = start + m[0].length;
      const complete = end < text.length ? (text[end] === "/" || (text[end] === ":" && mode.assign)) : last;
      const home = complete ? this.config.home(m[1]) : undefined;
      if (home !== undefined) {
        if (start > at) sink.literal(text.slice(at, start));
        // A home that ends in a slash does not double it.
        sink.quoted(home.endsWith("/") && text[end] === "/" ? home.slice(0, -1) : home);
        at = end;
      }
      start = mode.assign ? nextColonTilde(text, end) : -1;
    }
    return text.slice(at);
  }
}

interface PartsMode {
  readonly tilde?: boolean;
  /** Tildes after `=` and colons too. */
  readonly assign?: boolean;
  /** The text is the value of an assignment itself. */
  readonly value?: boolean;
  /** The word of `${v:-word}`: its plain text is split. */
  readonly operand?: boolean;
}

function nextColonTilde(text: string, from: number): number {
  const at = text.indexOf(":~", from);
  return at === -1 ? -1 : at + 1;
}

function staticText(parts: readonly Part[]): string | undefined {
  if (parts.length === 1 && parts[0].kind === "lit") return parts[0].text;
  if (parts.length === 0) return "";
  return undefined;
}

/** The plan of a word, or null where only the general way will do. */
function planOf(word: Word, quotedWhole = false): Plan | null {
  const segments: Segment[] = [];
  let solid = false;
  let unquoted = false;
  let arith = false;
  const add = (part: Part, quoted: boolean): boolean => {
    switch (part.kind) {
      case "lit":
        if (!quoted && UNPLANNED.test(part.text)) return false;
        segments.push(part.text);
        solid = true;
        return true;
      case "quoted":
        segments.push(part.text);
        solid = true;
        return true;
      case "dquote":
        solid = true;
        return part.parts.every((p) => add(p, true));
      case "param":
        if (
          part.bad || part.index || part.op || part.length || part.indirect || part.name === "@" ||
          part.name === "*"
        ) return false;
        segments.push({ param: part.name, quoted });
        if (!quoted) unquoted = true;
        return true;
      case "arith":
        if (!isStaticArith(part)) return false;
        segments.push({ arith: part.expr });
        arith = true;
        if (!quoted) unquoted = true;
        return true;
    }
    return false;
  };
  for (const part of word.parts) if (!add(part, quotedWhole)) return null;
  // `"$@"` alone could be no field at all, which `add` has refused; a lone `""` is one.
  if (arith && segments.length > 1 && unquoted) return null;
  return { segments, solid: solid || arith, unquoted };
}

function isStaticArith(part: ArithSub): boolean {
  return planOf(part.expr, true) !== null;
}
