/**
 * What an engine must know about a tree before it dares to run it. Every
 * answer is on the safe side: a pattern called risky may well be harmless, one
 * called harmless cannot take exponential time.
 */
import { type CharSet, inSet, type Node, walk, WORD } from "./ast.ts";

/** What decides between the engines. */
interface Traits {
  /** Has look-around (of which a linear engine knows nothing). */
  readonly look: boolean;
  readonly backref: boolean;
  /** Has atomic groups or possessive repeats, which JavaScript has no form for. */
  readonly atomic: boolean;
  /** Backtracking may take exponential time, or polynomial time of a high degree. */
  readonly risky: boolean;
  /** Needs V8's flag u: Unicode properties, or characters beyond U+FFFF in a set. */
  readonly unicode: boolean;
}

/** Looks at the tree alone and never runs the pattern. */
export function analyse(root: Node): Traits {
  let look = false, backref = false, atomic = false, unicode = false, risky = false, open = 0;
  walk(root, (node) => {
    if (node.type === "look") look = true;
    else if (node.type === "backref") backref = true;
    else if (node.type === "atomic") atomic = true;
    else if (node.type === "set") unicode ||= beyond(node.set);
    else if (node.type === "repeat" && node.max > 1) {
      if (node.max === Infinity) open++;
      if (node.max - node.min > 0 && ambiguous(node.body)) risky = true;
      else if (node.max > 1 && node.min === node.max && !simple(node.body) && variable(node.body)) {
        risky = true;
      }
    }
  });
  return { look, backref, atomic, unicode, risky: risky || open > 3 };
}

/** Whether a repeat without an end (or with a far one) can start at each place of a text. */
export function repeatsOpenly(root: Node): boolean {
  let open = false;
  walk(root, (node) => {
    if (node.type === "repeat" && node.max > 64) open = true;
  });
  return open;
}

/** A text that every match holds; empty where none is known. */
export function neededText(node: Node): string {
  switch (node.type) {
    case "char":
      return String.fromCodePoint(node.code);
    case "group":
    case "atomic":
      return neededText(node.body);
    case "repeat":
      return node.min > 0 ? neededText(node.body) : "";
    case "cat": {
      let best = "";
      let run = "";
      for (const item of node.items) {
        if (item.type === "char") run += String.fromCodePoint(item.code);
        else {
          run = "";
          const inner = neededText(item);
          if (inner.length > best.length) best = inner;
        }
        // Among equals the last: what a search runs out of is mostly what comes late.
        if (run.length >= best.length) best = run;
      }
      return best;
    }
    default:
      return "";
  }
}

/** Characters of code and prose, the most frequent first. */
const FREQUENT = " etaroinslcdup(.)m_,;=fh\"g'b0y1v-:/w>{}2*kx";

/** The character of a text that texts hold least often. */
export function rarestOf(text: string): string {
  let best = "";
  let rank = -1;
  for (const char of text) {
    const place = FREQUENT.indexOf(char);
    const own = place < 0 ? FREQUENT.length : place;
    if (own > rank) [best, rank] = [char, own];
  }
  return best;
}

function beyond(set: CharSet): boolean {
  return set.properties.length > 0 || (!set.negated && set.ranges.some(([, high]) => high > 0xffff));
}

function simple(node: Node): boolean {
  return node.type === "char" || node.type === "set";
}

/** Whether a body can match one text in more than one way when it is repeated. */
function ambiguous(node: Node): boolean {
  if (simple(node)) return false;
  return variable(node);
}

/** Whether a node holds anything that lets it match texts in several ways: repeats of no fixed count, or alternatives that may start alike. */
function variable(node: Node): boolean {
  switch (node.type) {
    case "repeat":
      return node.min !== node.max || variable(node.body);
    case "alt":
      return node.items.some(variable) || !distinctStarts(node.items);
    case "cat":
      return node.items.some(variable);
    case "backref":
      return true;
    case "group":
    case "atomic":
      return variable(node.body);
    default:
      return false;
  }
}

function distinctStarts(items: readonly Node[]): boolean {
  const seen: (number | CharSet)[] = [];
  for (const item of items) {
    const start = firstOf(item);
    if (start === undefined) return false;
    for (const other of seen) if (meets(start, other)) return false;
    seen.push(start);
  }
  return true;
}

function firstOf(node: Node): number | CharSet | undefined {
  if (node.type === "char") return node.code;
  if (node.type === "set") return node.set;
  if (node.type === "cat") return firstOf(node.items[0]);
  if (node.type === "group") return firstOf(node.body);
  return undefined;
}

function meets(a: number | CharSet, b: number | CharSet): boolean {
  if (typeof a === "number") return typeof b === "number" ? a === b : inSet(b, a);
  if (typeof b === "number") return inSet(a, b);
  if (a.negated || b.negated || a.properties.length > 0 || b.properties.length > 0) return true;
  return a.ranges.some(([low, high]) => b.ranges.some(([l, h]) => low <= h && l <= high));
}

const word: CharSet = { ranges: WORD, properties: [], negated: false };

/** Whether whatever the node matches surely starts (or ends) with a character of a word. */
export function wordEdge(node: Node | undefined, side: "first" | "last"): boolean {
  if (!node) return false;
  switch (node.type) {
    case "char":
      return inSet(word, node.code);
    case "set":
      return !node.set.negated && node.set.properties.length === 0 && node.set.ranges.length > 0 &&
        node.set.ranges.every(([low, high]) => WORD.some(([l, h]) => low >= l && high <= h));
    case "cat":
      return wordEdge(side === "first" ? node.items[0] : node.items[node.items.length - 1], side);
    case "alt":
      return node.items.every((item) => wordEdge(item, side));
    case "group":
    case "atomic":
      return wordEdge(node.body, side);
    case "repeat":
      return node.min > 0 && wordEdge(node.body, side);
    default:
      return false;
  }
}
