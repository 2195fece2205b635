/**
 * V8 as an engine: runs the source that emit.ts has written for a tree, and
 * gives groups that were written out several times their own number back.
 */
import type { Tree } from "./ast.ts";
import { settleAnchors } from "./emit.ts";
import { type Regex, type RegexMatch, withIndex } from "./engine.ts";

let linear: boolean | undefined;

/**
 * Whether V8 changes to its linear engine when backtracking gets out of hand:
 * a flag of the process that cannot be asked for, so it is tried, on a pattern
 * that takes some 20 ms without it. One quick try is proof; a slow one may be
 * the machine's load, so it is tried again.
 */
export function linearFallback(): boolean {
  if (linear === undefined) {
    const text = "a".repeat(22) + "b";
    linear = false;
    for (let tries = 0; tries < 6 && !linear; tries++) {
      const start = performance.now();
      /^(a+)+$/.test(text);
      linear = performance.now() - start < 4;
    }
  }
  return linear;
}

/** `written` and `slots` are what `emit` answered for `tree`; `unicode`: with V8's flag u. */
export class V8Regex implements Regex {
  readonly #regex: RegExp;
  #spans: RegExp | undefined;
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;

  constructor(
    readonly source: string,
    tree: Tree,
    written: string,
    unicode: boolean,
    readonly slots: readonly (readonly number[])[] | undefined,
  ) {
    this.groups = tree.groups;
    this.names = tree.names;
    const settled = settleAnchors(written);
    this.#regex = new RegExp(settled.source, "g" + (settled.multiline ? "m" : "") + (unicode ? "u" : ""));
  }

  exec(text: string, from = 0): RegexMatch | undefined {
    this.#regex.lastIndex = from;
    const match = this.#regex.exec(text);
    if (!match) return undefined;
    return this.slots
      ? withIndex(
        this.slots.map((slots, i) => i === 0 ? match[0] : last(slots.map((slot) => match[slot]))),
        match.index,
      )
      : match;
  }

  /** V8's linear engine knows no indices: where a match is, the plain expression finds; the other one starts there. */
  spans(text: string, from = 0): Int32Array | undefined {
    this.#regex.lastIndex = from;
    const found = this.#regex.exec(text);
    if (!found) return undefined;
    if (this.groups === 0) return Int32Array.of(found.index, found.index + found[0].length);
    this.#spans ??= new RegExp(this.#regex.source, this.#regex.flags.replace("g", "y") + "d");
    this.#spans.lastIndex = found.index;
    const match = this.#spans.exec(text);
    if (!match) return undefined;
    const out = new Int32Array((this.groups + 1) * 2).fill(-1);
    for (let i = 0; i <= this.groups; i++) {
      const span = i === 0 || !this.slots
        ? match.indices![i]
        : last(this.slots[i].map((slot) => match.indices![slot]));
      if (span) out.set(span, i * 2);
    }
    return out;
  }

  find(text: string, from = 0): number {
    this.#regex.lastIndex = from;
    return this.#regex.test(text) ? this.#regex.lastIndex : -1;
  }

  test(text: string): boolean {
    this.#regex.lastIndex = 0;
    return this.#regex.test(text);
  }
}

function last<T>(values: readonly (T | undefined)[]): T | undefined {
  for (let i = values.length - 1; i >= 0; i--) if (values[i] !== undefined) return values[i];
  return undefined;
}
