/**
 * A backtracking engine that counts its steps, for patterns with look-around,
 * back-references or atomic groups that V8 might never finish: it gives up
 * with a reason when the budget of one search is spent.
 */
import { type CharSet, inSet, type Node, type Tree } from "./ast.ts";
import { RegexError } from "./error.ts";
import { asserted } from "./position.ts";

type Continue = (at: number) => boolean;
/** Matches at a place and goes on with the continuation; false where neither worked. */
type Matcher = (at: number, next: Continue) => boolean;

const MAX_RECURSION = 4000;

/** One for a pattern; keeps the state of the search that runs, so never two at once. */
export class BacktrackProgram {
  readonly linear = false;
  #text = "";
  #saves = new Int32Array(0);
  #spend: (steps: number) => void = () => {};
  #recursion = 0;
  readonly #root: Matcher;
  readonly #slots: number;

  constructor(tree: Tree) {
    this.#slots = (tree.groups + 1) * 2;
    this.#root = this.#compile(tree.root, true);
  }

  run(text: string, from: number, spend: (steps: number) => void): Int32Array | undefined {
    this.#text = text;
    this.#spend = spend;
    for (let at = from; at <= text.length; at++) {
      const saves = this.#saves = new Int32Array(this.#slots).fill(-1);
      this.#recursion = 0;
      const matched = this.#root(at, (end) => {
        saves[1] = end;
        return true;
      });
      if (matched) {
        saves[0] = at;
        return saves;
      }
    }
    return undefined;
  }

  #guard(matcher: Matcher): Matcher {
    return (at, next) => {
      this.#spend(1);
      if (++this.#recursion > MAX_RECURSION) {
        throw new RegexError("refused", "regular expression needs too much memory on this text");
      }
      const done = matcher(at, next);
      this.#recursion--;
      return done;
    };
  }

  /** `forward` is false inside look-behind, where the text is read from right to left. */
  #compile(node: Node, forward: boolean): Matcher {
    switch (node.type) {
      case "empty":
        return (at, next) => next(at);
      case "char":
      case "set": {
        const width = single(node);
        return forward
          ? (at, next) => {
            const n = width(this.#text, at);
            return n > 0 && next(at + n);
          }
          : (at, next) => {
            const n = widthBefore(width, this.#text, at);
            return n > 0 && next(at - n);
          };
      }
      case "cat": {
        const parts = node.items.map((item) => this.#compile(item, forward));
        if (!forward) parts.reverse();
        return parts.reduceRight<Matcher | undefined>(
          (rest, part) => rest ? (at, next) => part(at, (mid) => rest(mid, next)) : part,
          undefined,
        )!;
      }
      case "alt": {
        const parts = node.items.map((item) => this.#compile(item, forward));
        return this.#guard((at, next) => parts.some((part) => part(at, next)));
      }
      case "group": {
        const body = this.#compile(node.body, forward);
        const slot = node.index * 2;
        return (at, next) => {
          const saves = this.#saves;
          const [low, high] = [saves[slot], saves[slot + 1]];
          const done = body(at, (end) => {
            const [l, h] = [saves[slot], saves[slot + 1]];
            saves[slot] = Math.min(at, end);
            saves[slot + 1] = Math.max(at, end);
            if (next(end)) return true;
            saves[slot] = l;
            saves[slot + 1] = h;
            return false;
          });
          if (!done) {
            saves[slot] = low;
            saves[slot + 1] = high;
          }
          return done;
        };
      }
      case "repeat":
        return this.#repeat(node, forward);
      case "look": {
        const body = this.#compile(node.body, node.ahead);
        return this.#guard((at, next) => {
          const saved = this.#saves.slice();
          const seen = body(at, () => true);
          if (seen === node.negated) {
            this.#saves.set(saved);
            return false;
          }
          if (node.negated) this.#saves.set(saved);
          if (next(at)) return true;
          this.#saves.set(saved);
          return false;
        });
      }
      case "atomic": {
        const body = this.#compile(node.body, forward);
        return this.#guard((at, next) => {
          const saved = this.#saves.slice();
          let end = -1;
          const done = body(at, (place) => {
            end = place;
            return true;
          });
          if (done && next(end)) return true;
          this.#saves.set(saved);
          return false;
        });
      }
      case "backref":
        return this.#guard((at, next) => {
          const [low, high] = [this.#saves[node.index * 2], this.#saves[node.index * 2 + 1]];
          if (low < 0 || high < 0) return next(at);
          const length = high - low;
          const start = forward ? at : at - length;
          if (start < 0) return false;
          let part = this.#text.slice(start, start + length);
          let want = this.#text.slice(low, high);
          if (node.ignoreCase) {
            part = part.toLowerCase();
            want = want.toLowerCase();
          }
          return part === want && next(forward ? at + length : start);
        });
      case "assert":
        return (at, next) => asserted(node, this.#text, at) && next(at);
    }
  }

  #repeat(node: Extract<Node, { type: "repeat" }>, forward: boolean): Matcher {
    const { min, max, lazy } = node;
    if (node.body.type === "char" || node.body.type === "set") {
      const width = single(node.body);
      const step = forward
        ? (at: number) => width(this.#text, at)
        : (at: number) => -widthBefore(width, this.#text, at);
      // One character: no recursion, so that `.*` runs over long texts.
      return this.#guard((at, next) => {
        const places = [at];
        let place = at;
        while (places.length - 1 < max) {
          if (lazy && places.length - 1 >= min && next(place)) return true;
          this.#spend(1);
          const n = step(place);
          if (n === 0) break;
          place += n;
          places.push(place);
        }
        if (lazy) return places.length - 1 >= min && places.length - 1 === max && next(place);
        for (let i = places.length - 1; i >= min; i--) {
          this.#spend(1);
          if (next(places[i])) return true;
        }
        return false;
      });
    }
    const body = this.#compile(node.body, forward);
    const attempt = (count: number, at: number, next: Continue): boolean => {
      this.#spend(1);
      if (++this.#recursion > MAX_RECURSION) {
        throw new RegexError("refused", "regular expression needs too much memory on this text");
      }
      try {
        const more = () =>
          count < max && body(at, (end) => (end !== at || count < min) && attempt(count + 1, end, next));
        if (count < min) return more();
        return lazy ? next(at) || more() : more() || next(at);
      } finally {
        this.#recursion--;
      }
    };
    return (at, next) => attempt(0, at, next);
  }
}

/** Length of the one character at a place, 0 where it does not fit. */
function single(node: Extract<Node, { type: "char" | "set" }>): (text: string, at: number) => number {
  const fits = node.type === "char" ? (code: number) => code === node.code : test(node.set);
  return (text, at) => {
    if (at >= text.length) return 0;
    const code = text.codePointAt(at)!;
    return fits(code) ? (code > 0xffff ? 2 : 1) : 0;
  };
}

function test(set: CharSet): (code: number) => boolean {
  const ascii = Uint8Array.from({ length: 128 }, (_, code) => inSet(set, code) ? 1 : 0);
  return (code) => code < 128 ? ascii[code] === 1 : inSet(set, code);
}

function widthBefore(width: (text: string, at: number) => number, text: string, at: number): number {
  if (at <= 0) return 0;
  const pair = at > 1 && (text.charCodeAt(at - 1) & 0xfc00) === 0xdc00 &&
    (text.charCodeAt(at - 2) & 0xfc00) === 0xd800;
  const n = pair ? 2 : 1;
  return width(text, at - n) === n ? n : 0;
}
