/**
 * Rewrites of a tree before an engine is chosen: what the options of grep ask
 * for, and the order of alternatives that POSIX wants.
 */
import type { Node, Tree } from "./ast.ts";
import type { Syntax } from "./parse.ts";

/** What surrounds the pattern. */
interface Decoration {
  readonly multiline: boolean;
  readonly whole: boolean;
  readonly word: boolean;
}

/** The tree with what `whole` (the whole line) or else `word` (no part of a longer word) asks for around it. */
export function decorate(tree: Tree, { multiline, whole, word }: Decoration): Tree {
  let root = tree.root;
  if (whole) {
    root = {
      type: "cat",
      items: [{ type: "assert", kind: "line_start", multiline }, root, {
        type: "assert",
        kind: "line_end",
        multiline,
      }],
    };
  } else if (word) {
    const part: Node = {
      type: "set",
      set: { ranges: [[48, 57], [65, 90], [95, 95], [97, 122]], properties: [], negated: false },
    };
    const edge = (ahead: boolean): Node => ({ type: "look", ahead, negated: true, body: part });
    root = isWord(root)
      ? {
        type: "cat",
        items: [{ type: "assert", kind: "word_start", multiline }, root, {
          type: "assert",
          kind: "word_end",
          multiline,
        }],
      }
      : { type: "cat", items: [edge(false), root, edge(true)] };
  }
  return root === tree.root ? tree : { ...tree, root };
}

/** Whether the pattern is a plain word, at whose edges `\b` is enough. */
function isWord(node: Node): boolean {
  if (node.type === "char") return /\w/.test(String.fromCodePoint(node.code));
  return node.type === "cat" && isWord(node.items[0]) && isWord(node.items[node.items.length - 1]);
}

/**
 * POSIX wants the longest of all matches, V8 takes the first alternative that
 * fits. So alternatives that can match more are tried first, which is the same
 * where all are fixed texts, and near it elsewhere; where one holds what has no
 * length to be told (a back-reference), the order stays.
 */
export function longestFirst(tree: Tree, syntax: Syntax): Tree {
  if (syntax === "perl") return tree;
  /** The most characters that it can match; NaN where that cannot be told. */
  const longest = (node: Node): number => {
    if (node.type === "char" || node.type === "set") return 1;
    if (node.type === "cat") return node.items.reduce((sum, item) => sum + longest(item), 0);
    if (node.type === "empty" || node.type === "assert") return 0;
    if (node.type === "group") return longest(node.body);
    if (node.type === "repeat") {
      return node.min === node.max
        ? node.min * longest(node.body)
        : node.max === Infinity
        ? 1e6
        : node.max * longest(node.body);
    }
    if (node.type === "alt") return Math.max(...node.items.map(longest));
    return NaN;
  };
  const order = (node: Node): Node => {
    if (node.type === "cat") return { ...node, items: node.items.map(order) };
    if (node.type === "group" || node.type === "repeat" || node.type === "atomic" || node.type === "look") {
      return { ...node, body: order(node.body) };
    }
    if (node.type !== "alt") return node;
    const items = node.items.map(order);
    const lengths = items.map(longest);
    if (lengths.some(Number.isNaN)) return { ...node, items };
    const indexes = items.map((_, i) => i).sort((a, b) => lengths[b] - lengths[a] || a - b);
    return { ...node, items: indexes.map((i) => items[i]) };
  };
  const root = order(tree.root);
  return { ...tree, root };
}
