/**
 * A pattern that matches in the same lines with as little as possible: where
 * only the question is whether there is a match, what may follow at its end
 * need not be looked for. V8 searches twice as fast for a pattern of bounded
 * length.
 */
import type { Node } from "./ast.ts";

/** The same pattern without what is optional at its end. Not for patterns with back-references. */
export function shorten(node: Node): Node {
  switch (node.type) {
    case "cat": {
      const items = [...node.items];
      while (items.length > 0) {
        const last = shorten(items.pop()!);
        if (last.type === "empty") continue;
        items.push(last);
        break;
      }
      return items.length === 0 ? { type: "empty" } : items.length === 1 ? items[0] : { type: "cat", items };
    }
    case "alt":
      return { type: "alt", items: node.items.map(shorten) };
    case "group":
      return { ...node, body: shorten(node.body) };
    case "repeat":
      if (node.min === 0) return { type: "empty" };
      return node.min === 1 ? shorten(node.body) : { ...node, max: node.min };
    default:
      return node;
  }
}
