/**
 * Our own engines behind a budget: each step of theirs is paid for, so that
 * every search ends, with an answer or with the reason why there is none.
 */
import type { Tree } from "./ast.ts";
import { type Regex, type RegexMatch, withIndex } from "./engine.ts";
import { RegexError } from "./error.ts";

/** Steps that one search may take in the engines that count. */
const BUDGET = 20_000_000;
/** What the linear engine may spend on top of that for each character of a text. */
const CHARACTER_BUDGET = 2000;
/** Steps after which whoever waits is asked whether to go on. */
const POLL_STEPS = 20_000;

/** An engine: reports its steps to `spend`, which throws once they are too many. */
interface Program {
  /** Whether its steps are in proportion to the text's length: then a long text is no reason to give up. */
  readonly linear: boolean;
  /** Start and end of each group, -1 where it took no part; undefined: no match at or after `from`. */
  run(text: string, from: number, spend: (steps: number) => void): Int32Array | undefined;
}

/** `poll` is called now and then while a search goes on; it may throw to end it. */
export class CountedRegex implements Regex {
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;

  constructor(
    readonly source: string,
    tree: Tree,
    readonly program: Program,
    readonly poll: () => void = () => {},
  ) {
    this.groups = tree.groups;
    this.names = tree.names;
  }

  spans(text: string, from = 0): Int32Array | undefined {
    let left = BUDGET + (this.program.linear ? text.length * CHARACTER_BUDGET : 0);
    let unpolled = 0;
    return this.program.run(text, from, (steps) => {
      left -= steps;
      if ((unpolled += steps) > POLL_STEPS) {
        unpolled = 0;
        this.poll();
      }
      if (left < 0) {
        throw new RegexError("refused", "regular expression takes too long on this text", {
          hint: "Write it without nested repeats, look-around or back-references.",
        });
      }
    });
  }

  exec(text: string, from = 0): RegexMatch | undefined {
    const spans = this.spans(text, from);
    if (!spans) return undefined;
    const values: (string | undefined)[] = [];
    for (let i = 0; i < spans.length; i += 2) {
      values.push(spans[i] < 0 || spans[i + 1] < 0 ? undefined : text.slice(spans[i], spans[i + 1]));
    }
    return withIndex(values, spans[0]);
  }

  find(text: string, from = 0): number {
    return this.spans(text, from)?.[1] ?? -1;
  }

  test(text: string): boolean {
    return this.spans(text) !== undefined;
  }
}
