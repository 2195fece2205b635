/**
 * Writes a tree as JavaScript source, in the plainest form: no flag i, no
 * named groups, and, where asked, no bounded repeats (they are written out, so
 * that V8's linear engine takes the pattern over when backtracking gets out of
 * hand). A group that is written out several times has several numbers;
 * `slots` tells which belong to which.
 */
import { wordEdge } from "./analyse.ts";
import type { CharSet, Node, Tree } from "./ast.ts";

/** Anchors in `source` are placeholders until `settleAnchors`. */
interface Emitted {
  readonly source: string;
  /** For each group of the tree, the groups of the source, in order; undefined where they are the same. */
  readonly slots: readonly (readonly number[])[] | undefined;
}

/** Which of V8's abilities the source may use. */
interface EmitOptions {
  /** For V8's flag u. */
  readonly unicode: boolean;
  /** Write bounded repeats out. */
  readonly expand: boolean;
}

/** More than this many parts are not written out. */
const EXPAND_LIMIT = 4000;

/** Answers undefined where the pattern would get too large when written out. */
export function emit(tree: Tree, options: EmitOptions): Emitted | undefined {
  const emitter = new Emitter(tree, options);
  const source = emitter.node(tree.root);
  if (emitter.size > EXPAND_LIMIT && options.expand) return undefined;
  return { source, slots: emitter.copied ? emitter.slots : undefined };
}

class Emitter {
  size = 0;
  copied = false;
  #next = 0;
  readonly slots: number[][];

  constructor(tree: Tree, readonly options: EmitOptions) {
    this.slots = Array.from({ length: tree.groups + 1 }, () => []);
  }

  node(node: Node, before?: Node, after?: Node): string {
    this.size++;
    switch (node.type) {
      case "empty":
        return "(?:)";
      case "char":
        return literal(node.code, this.options.unicode);
      case "set":
        return set(node.set, this.options.unicode);
      case "cat":
        return node.items.map((item, i) => {
          const text = this.node(item, node.items[i - 1] ?? before, node.items[i + 1] ?? after);
          return item.type === "alt" ? `(?:${text})` : text;
        }).join("");
      case "alt":
        return node.items.map((item) => this.node(item, before, after)).join("|");
      case "group": {
        const number = ++this.#next;
        const known = this.slots[node.index];
        known.push(number);
        if (known.length > 1 || number !== node.index) this.copied = true;
        return `(${this.node(node.body, before, after)})`;
      }
      case "repeat":
        return this.#repeat(node);
      case "look":
        return `(?${node.ahead ? "" : "<"}${node.negated ? "!" : "="}${this.node(node.body)})`;
      case "atomic":
        throw new Error("atomic groups have no form in JavaScript");
      case "backref": {
        const known = this.slots[node.index];
        return known.length === 0 ? "(?:)" : `(?:\\${known[known.length - 1]})`;
      }
      case "assert":
        return assertion(node, before, after);
    }
  }

  #repeat(node: Extract<Node, { type: "repeat" }>): string {
    const { body, min, max } = node;
    const lazy = node.lazy ? "?" : "";
    const plain = (min === 0 && (max === Infinity || max === 1)) || (min === 1 && max === Infinity);
    if (plain) return this.#unit(body) + (max === 1 ? "?" : min === 0 ? "*" : "+") + lazy;
    if (max === 0) return "(?:)";
    if (!this.options.expand) {
      return `${this.#unit(body)}{${min}${max === min ? "" : max === Infinity ? "," : "," + max}}${lazy}`;
    }
    let out = "";
    for (let i = 0; i < min - (max === Infinity ? 1 : 0); i++) {
      out += this.#unit(body);
      if (this.size > EXPAND_LIMIT) return "";
    }
    if (max === Infinity) return out + this.#unit(body) + "+" + lazy;
    // Nested, so that a later copy is tried only after the one before it.
    for (let i = min; i < max; i++) {
      out += "(?:" + this.#unit(body);
      if (this.size > EXPAND_LIMIT) return "";
    }
    return out + (")?" + lazy).repeat(max - min);
  }

  #unit(node: Node): string {
    const text = this.node(node);
    if (node.type === "set" || node.type === "group") return text;
    if (node.type === "char" && (node.code <= 0xffff || this.options.unicode)) return text;
    return `(?:${text})`;
  }
}

function assertion(node: Extract<Node, { type: "assert" }>, before?: Node, after?: Node): string {
  switch (node.kind) {
    case "line_start":
      return node.multiline ? "(?:^)" : START;
    case "line_end":
      return node.multiline ? "(?:$)" : END;
    case "text_start":
      return START;
    case "text_end":
      return END;
    case "text_end_newline":
      return `(?=\\n?${END})`;
    case "word_edge":
      return "\\b";
    case "no_word_edge":
      return "\\B";
    // A plain edge is the same where the neighbour is surely part of a word, and leaves the pattern linear.
    case "word_start":
      return wordEdge(after, "first") ? "\\b" : "\\b(?=\\w)";
    case "word_end":
      return wordEdge(before, "last") ? "\\b" : "\\b(?<=\\w)";
  }
}

/** Placeholders: whether `^` means the text's start depends on the flag m, which is known when all is written. */
const START = "\u0001^";
const END = "\u0001$";

/** Settles the anchors and says whether the flag m is needed. */
export function settleAnchors(source: string): { source: string; multiline: boolean } {
  const multiline = source.includes("(?:^)") || source.includes("(?:$)");
  return {
    source: source
      // First: a repeated `^` of the text is `(?:^)*` in the end, and that must stay.
      .replaceAll("(?:^)", "^")
      .replaceAll("(?:$)", "$")
      .replaceAll(START, multiline ? "(?<![^])" : "^")
      .replaceAll(END, multiline ? "(?![^])" : "$"),
    multiline,
  };
}

const SPECIAL = /[\\^$.*+?()[\]{}|/]/;

function literal(code: number, unicode: boolean): string {
  if (code > 0xffff) return unicode ? `\\u{${code.toString(16)}}` : String.fromCodePoint(code);
  if (
    code < 0x20 || code === 0x7f || code >= 0xd800 && code <= 0xdfff || code === 0x2028 || code === 0x2029
  ) return hex(code);
  const char = String.fromCharCode(code);
  return SPECIAL.test(char) ? "\\" + char : char;
}

function hex(code: number): string {
  return "\\u" + code.toString(16).padStart(4, "0");
}

function set(value: CharSet, unicode: boolean): string {
  const { ranges, properties, negated } = value;
  if (ranges.length === 0 && properties.length === 0) return negated ? "[^]" : "[]";
  if (
    negated && properties.length === 0 && ranges.length === 1 && ranges[0][0] === 10 && ranges[0][1] === 10
  ) return "[^\\n]";
  const member = (code: number) =>
    code > 0xffff ? (unicode ? `\\u{${code.toString(16)}}` : "\\uffff") : bracketChar(code);
  const body = ranges.filter(([low]) => unicode || low <= 0xffff)
    .map(([low, high]) => low === high ? member(low) : `${member(low)}-${member(high)}`).join("");
  return `[${negated ? "^" : ""}${body}${properties.join("")}]`;
}

function bracketChar(code: number): string {
  const alnum = code >= 0x30 && code <= 0x39 || code >= 0x41 && code <= 0x5a || code >= 0x61 && code <= 0x7a;
  return alnum ? String.fromCharCode(code) : hex(code);
}
