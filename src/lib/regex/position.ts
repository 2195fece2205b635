/**
 * Assertions about a place in a text, for the engines that are not V8's.
 */
import type { Node } from "./ast.ts";

/** Whether it holds between the units at `at - 1` and `at`. */
export function asserted(node: Extract<Node, { type: "assert" }>, text: string, at: number): boolean {
  switch (node.kind) {
    case "line_start":
      return at === 0 || (node.multiline && text.charCodeAt(at - 1) === 10);
    case "line_end":
      return at === text.length || (node.multiline && text.charCodeAt(at) === 10);
    case "text_start":
      return at === 0;
    case "text_end":
      return at === text.length;
    case "text_end_newline":
      return at === text.length || (at === text.length - 1 && text.charCodeAt(at) === 10);
    case "word_edge":
      return wordAt(text, at - 1) !== wordAt(text, at);
    case "no_word_edge":
      return wordAt(text, at - 1) === wordAt(text, at);
    case "word_start":
      return !wordAt(text, at - 1) && wordAt(text, at);
    case "word_end":
      return wordAt(text, at - 1) && !wordAt(text, at);
  }
}

function wordAt(text: string, at: number): boolean {
  if (at < 0 || at >= text.length) return false;
  const code = text.charCodeAt(at);
  return code >= 0x61 && code <= 0x7a || code >= 0x41 && code <= 0x5a || code >= 0x30 && code <= 0x39 ||
    code === 0x5f;
}
