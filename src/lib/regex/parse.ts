/**
 * Reads the three syntaxes of regular expressions into one tree: `perl` (what
 * JavaScript, PCRE and models write), `basic` and `extended` (POSIX with GNU's
 * additions). Case is folded here, into sets, so that no engine needs a flag
 * for it. Depth and size are bounded; every fault is a RegexError with the
 * text that the GNU tools print. The syntaxes share nearly every production
 * and differ in the spelling of a few.
 */
import {
  type AssertKind,
  caseVariants,
  type CharSet,
  charSet,
  DIGIT,
  foldRanges,
  type Node,
  POSIX_CLASSES,
  SPACE,
  type Tree,
  WORD,
} from "./ast.ts";
import { readBracket } from "./bracket.ts";
import { Cursor } from "./cursor.ts";
import { RegexError } from "./error.ts";
import { numericCode, perlCode, property, propertyName } from "./escapes.ts";

/** Who wrote the pattern: the perl family (JavaScript and PCRE too), or POSIX in one of its two forms. */
export type Syntax = "perl" | "basic" | "extended";

/** As `RegexOptions` explains them, all said. */
interface ParseOptions {
  readonly syntax: Syntax;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  /** Nothing in the pattern matches a newline. */
  readonly lines: boolean;
  /** POSIX syntaxes only: `\n`, `\t`, `\xHH`, `\dNNN`, `\oNNN`, `\cX` are understood, in brackets too (sed, awk). */
  readonly escapes: boolean;
  readonly extended: boolean;
  readonly strict: boolean;
  readonly lenient: boolean;
}

const MAX_DEPTH = 200;
const MAX_LENGTH = 100_000;
const MAX_BOUND = 32_767;
interface Flags {
  ignoreCase: boolean;
  multiline: boolean;
  dotAll: boolean;
  extended: boolean;
}

/** Reads a whole pattern. Throws {@link RegexError}. */
export function parse(source: string, options: ParseOptions): Tree {
  if (source.length > MAX_LENGTH) throw new RegexError("refused", "Regular expression too big");
  return new Parser(source, options).parse();
}

class Parser extends Cursor {
  #groups = 0;
  #depth = 0;
  #flags: Flags;
  readonly #names = new Map<string, number>();
  readonly #pendingNames: { node: { index: number }; name: string }[] = [];
  #highestBackref = 0;
  readonly #closed = new Set<number>();

  constructor(source: string, readonly options: ParseOptions) {
    super(source);
    const { ignoreCase, multiline, dotAll, extended } = options;
    this.#flags = { ignoreCase, multiline, dotAll, extended };
  }

  parse(): Tree {
    const root = this.#alternatives();
    if (this.at < this.source.length) {
      throw new RegexError("invalid", this.options.syntax === "perl" ? "Unmatched )" : "Unmatched ) or \\)");
    }
    for (const { node, name } of this.#pendingNames) {
      const index = this.#names.get(name);
      if (index === undefined) {
        throw new RegexError("invalid", `reference to a group that does not exist: ${name}`);
      }
      node.index = index;
    }
    if (this.#highestBackref > this.#groups) throw new RegexError("invalid", "Invalid back reference");
    return { root, groups: this.#groups, names: this.#names };
  }

  get #basic(): boolean {
    return this.options.syntax === "basic";
  }
  get #perl(): boolean {
    return this.options.syntax === "perl";
  }

  #alternatives(): Node {
    if (++this.#depth > MAX_DEPTH) throw new RegexError("refused", "Regular expression too deeply nested");
    const items = [this.#sequence()];
    const bar = this.#basic ? "\\|" : "|";
    while (this.take(bar)) items.push(this.#sequence());
    this.#depth--;
    return items.length === 1 ? items[0] : { type: "alt", items };
  }

  #sequence(): Node {
    const items: Node[] = [];
    for (;;) {
      if (this.at >= this.source.length) break;
      if (this.#basic ? this.looking("\\|") || this.looking("\\)") : this.looking("|")) break;
      if (!this.#basic && this.looking(")") && !this.#strayClose) break;
      const start = this.at;
      const atom = this.#atom(items.length === 0);
      if (atom === "keep") {
        // Everything so far is only looked at: `\K` starts the match here.
        const seen = items.splice(0);
        items.push({ type: "look", ahead: false, negated: false, body: cat(seen) });
        continue;
      }
      if (!atom) continue;
      items.push(this.#quantified(atom, start));
    }
    return cat(items);
  }

  #quantified(atom: Node, start: number): Node {
    // POSIX: a star that follows an anchor stands for itself.
    if (this.#basic && atom.type === "assert" && atom.kind === "line_start") return atom;
    let node = atom;
    for (let count = 0;; count++) {
      const bounds = this.#bounds();
      if (!bounds) return node;
      if (atom.type === "assert" && !this.#perl) {
        if (!this.#basic && !this.options.lenient) {
          throw new RegexError("invalid", "Invalid preceding regular expression");
        }
        // GNU: a repeated anchor is as good as one that may be left out or once.
        if (bounds.min > 0) continue;
      }
      if (this.#perl && atom.type === "assert" && atom.kind !== "word_edge") {
        throw new RegexError("invalid", `nothing to repeat at ${start}`);
      }
      if (count > 20) throw new RegexError("refused", "Regular expression too deeply nested");
      let lazy = false;
      if (this.#perl) {
        if (this.take("?")) lazy = true;
        else if (this.take("+")) {
          node = { type: "atomic", body: { type: "repeat", body: node, ...bounds, lazy } };
          continue;
        }
      }
      if (
        node.type === "repeat" && !lazy && bounds.max === Infinity && node.max === Infinity &&
        bounds.min <= 1 && node.min <= 1
      ) {
        // `a**`, `(a+)*` without a group: one repeat says the same and cannot blow up.
        node = { ...node, min: Math.min(bounds.min, node.min) };
        continue;
      }
      node = { type: "repeat", body: node, ...bounds, lazy };
    }
  }

  #bounds(): { min: number; max: number } | undefined {
    if (this.#flags.extended) this.#skipSpace();
    if (this.take("*")) return { min: 0, max: Infinity };
    if (this.#basic) {
      if (this.take("\\+")) return { min: 1, max: Infinity };
      if (this.take("\\?")) return { min: 0, max: 1 };
      if (!this.looking("\\{")) return undefined;
    } else {
      if (this.take("+")) return { min: 1, max: Infinity };
      if (this.take("?")) return { min: 0, max: 1 };
      if (!this.looking("{")) return undefined;
    }
    const open = this.#basic ? 2 : 1;
    const rest = this.source.slice(this.at + open, this.at + open + 24);
    const match = /^(\d*)(,?)(\d*)/.exec(rest)!;
    const close = this.#basic ? "\\}" : "}";
    const valid = rest.startsWith(close, match[0].length) &&
      (match[1] !== "" || (match[2] !== "" && !this.#perl));
    if (!valid) {
      if (!this.#basic) return undefined;
      throw new RegexError(
        "invalid",
        this.source.indexOf("\\}", this.at) < 0 ? "Unmatched \\{" : "Invalid content of \\{\\}",
      );
    }
    const min = match[1] === "" ? 0 : Number(match[1]);
    const max = match[2] === "" ? min : match[3] === "" ? Infinity : Number(match[3]);
    if (max < min) throw new RegexError("invalid", "Invalid content of \\{\\}");
    if (min > MAX_BOUND || (max !== Infinity && max > MAX_BOUND)) {
      throw new RegexError("invalid", "Regular expression too big");
    }
    this.at += open + match[0].length + close.length;
    return { min, max };
  }

  #skipSpace(): void {
    for (;;) {
      const c = this.source[this.at];
      if (c === " " || c === "\t" || c === "\n" || c === "\r") this.at++;
      else if (c === "#") {
        while (this.at < this.source.length && this.source[this.at] !== "\n") this.at++;
      } else return;
    }
  }

  #atom(first: boolean): Node | "keep" | undefined {
    if (this.#flags.extended) {
      this.#skipSpace();
      if (this.at >= this.source.length || this.looking("|") || this.looking(")")) return undefined;
    }
    const c = this.source[this.at];
    if (c === "\\") return this.#escape();
    if (c === "[") {
      const dialect = { perl: this.#perl, escapes: this.options.escapes };
      const { ranges, negated, properties } = readBracket(this, dialect);
      return this.#set(ranges, negated, properties);
    }
    if (c === ".") {
      this.at++;
      const no = this.options.lines || !this.#flags.dotAll;
      return { type: "set", set: charSet(no ? [[10, 10]] : [], true) };
    }
    if (c === "^") {
      if (!this.#basic || first) {
        this.at++;
        return this.#assert("line_start");
      }
    } else if (c === "$") {
      const next = this.at + 1;
      const last = next >= this.source.length || this.source.startsWith("\\)", next) ||
        this.source.startsWith("\\|", next);
      if (!this.#basic || last) {
        this.at++;
        return this.#assert("line_end");
      }
    } else if (c === "(" && !this.#basic) {
      this.at++;
      return this.#group();
    } else if (!this.#basic && (c === "*" || c === "+" || c === "?")) {
      if (this.#perl) throw new RegexError("invalid", `nothing to repeat at ${this.at}`);
      if (!this.options.lenient) throw new RegexError("invalid", "Invalid preceding regular expression");
      this.at++;
      return undefined;
    } else if (!this.#basic && c === "{" && !this.#perl && first && this.#bounds()) {
      throw new RegexError("invalid", "Invalid preceding regular expression");
    }
    return this.#literal(this.code());
  }

  /** Whether a closing parenthesis here closes nothing and stands for itself. */
  get #strayClose(): boolean {
    return this.options.syntax === "extended" && !this.options.strict && this.#depth <= 1;
  }

  #assert(kind: AssertKind): Node {
    return { type: "assert", kind, multiline: this.#flags.multiline };
  }

  #literal(code: number): Node {
    if (this.#flags.ignoreCase) {
      const variants = caseVariants(code);
      if (variants.length > 1) {
        return {
          type: "set",
          set: charSet(variants.map((v) => [v, v] as [number, number])),
        };
      }
    }
    return { type: "char", code };
  }

  #set(ranges: [number, number][], negated: boolean, properties: string[] = []): Node {
    let set: CharSet = charSet(this.#flags.ignoreCase ? foldRanges(ranges) : ranges, negated, properties);
    if (this.options.lines) {
      set = negated
        ? charSet([...set.ranges, [10, 10]], true, properties)
        : charSet(set.ranges.flatMap(([low, high]) => without(low, high, 10)), false, properties);
    }
    return { type: "set", set };
  }

  /** After the opening parenthesis. */
  #group(): Node | undefined {
    const saved = this.#flags;
    if (!this.#perl || !this.looking("?")) return this.#capture(undefined, saved);
    this.at++;
    if (this.take("#")) {
      const end = this.source.indexOf(")", this.at);
      if (end < 0) throw new RegexError("invalid", "Unmatched (");
      this.at = end + 1;
      return undefined;
    }
    if (this.take(":")) return this.#close(this.#alternatives(), saved);
    if (this.take(">")) return { type: "atomic", body: this.#close(this.#alternatives(), saved) };
    for (
      const [text, ahead, negated] of [["=", true, false], ["!", true, true], ["<=", false, false], [
        "<!",
        false,
        true,
      ]] as const
    ) {
      if (this.take(text)) {
        return { type: "look", ahead, negated, body: this.#close(this.#alternatives(), saved) };
      }
    }
    const named = this.match(/^(?:P?<([A-Za-z_$][\w$]*)>|'([A-Za-z_]\w*)')/, 200);
    if (named) return this.#capture(named[1] ?? named[2], saved);
    const again = this.match(/^P=(\w+)\)/, 200);
    if (again) return this.#namedBackref(again[1]);
    const flags = this.match(/^([imsxu]*)(?:-([imsxu]+))?([:)])/, 40);
    if (!flags) {
      throw new RegexError(
        "invalid",
        `unrecognized character after (?: ${this.source.slice(this.at, this.at + 1)}`,
      );
    }
    const next = { ...this.#flags };
    for (const [letters, value] of [[flags[1], true], [flags[2] ?? "", false]] as const) {
      if (letters.includes("i")) next.ignoreCase = value;
      if (letters.includes("m")) next.multiline = value;
      if (letters.includes("s")) next.dotAll = value;
      if (letters.includes("x")) next.extended = value;
    }
    this.#flags = next;
    if (flags[3] === ")") return undefined;
    return this.#close(this.#alternatives(), saved);
  }

  #capture(name: string | undefined, saved: Flags): Node {
    const index = ++this.#groups;
    if (name !== undefined) {
      if (this.#names.has(name)) throw new RegexError("invalid", `two groups have the name ${name}`);
      this.#names.set(name, index);
    }
    const body = this.#close(this.#alternatives(), saved);
    this.#closed.add(index);
    return { type: "group", index, body };
  }

  #close(body: Node, saved: Flags): Node {
    if (!this.take(this.#basic ? "\\)" : ")")) {
      throw new RegexError("invalid", this.#perl ? "missing closing parenthesis" : "Unmatched ( or \\(");
    }
    this.#flags = saved;
    return body;
  }

  #namedBackref(name: string): Node {
    const node = { type: "backref" as const, index: 0, ignoreCase: this.#flags.ignoreCase };
    this.#pendingNames.push({ node, name });
    return node;
  }

  #backref(index: number): Node {
    if (!this.#perl && !this.#closed.has(index)) throw new RegexError("invalid", "Invalid back reference");
    this.#highestBackref = Math.max(this.#highestBackref, index);
    return { type: "backref", index, ignoreCase: this.#flags.ignoreCase };
  }

  #escape(): Node | "keep" | undefined {
    if (this.at + 1 >= this.source.length) throw new RegexError("invalid", "Trailing backslash");
    const c = this.source[this.at + 1];
    this.at += 2;
    if (this.#basic) {
      if (c === "(") {
        const saved = this.#flags;
        return this.#capture(undefined, saved);
      }
      if (c === "{") {
        throw new RegexError("invalid", "Invalid preceding regular expression");
      }
      if (c === "+" || c === "?") return this.#literal(c.charCodeAt(0));
    }
    switch (c) {
      case "w":
        return this.#set(WORD, false);
      case "W":
        return this.#set(WORD, true);
      case "s":
        return this.#set(this.#perl ? SPACE : POSIX_CLASSES.space, false);
      case "S":
        return this.#set(this.#perl ? SPACE : POSIX_CLASSES.space, true);
      case "b":
        return this.#assert("word_edge");
      case "B":
        return this.#assert("no_word_edge");
    }
    if (c >= "1" && c <= "9") {
      const digits = this.#perl ? this.match(/^\d*/, 2)![0] : "";
      return this.#backref(Number(c + digits));
    }
    if (this.#perl) return this.#perlEscape(c);
    switch (c) {
      case "<":
        return this.#assert("word_start");
      case ">":
        return this.#assert("word_end");
      case "`":
        return { type: "assert", kind: "text_start", multiline: false };
      case "'":
        return { type: "assert", kind: "text_end", multiline: false };
    }
    if (this.options.escapes) {
      const code = numericCode(this, c);
      if (code !== undefined) return this.#literal(code);
    }
    const code = this.source.codePointAt(this.at - 1)!;
    if (code > 0xffff) this.at++;
    return this.#literal(code);
  }

  #perlEscape(c: string): Node | "keep" | undefined {
    switch (c) {
      case "d":
        return this.#set(DIGIT, false);
      case "D":
        return this.#set(DIGIT, true);
      case "h":
        return this.#set([[9, 9], [32, 32], [0xa0, 0xa0]], false);
      case "H":
        return this.#set([[9, 9], [32, 32], [0xa0, 0xa0]], true);
      case "N":
        return { type: "set", set: charSet([[10, 10]], true) };
      case "R":
        return {
          type: "alt",
          items: [cat([{ type: "char", code: 13 }, { type: "char", code: 10 }]), {
            type: "set",
            set: charSet([[10, 13], [0x85, 0x85], [0x2028, 0x2029]]),
          }],
        };
      case "A":
        return { type: "assert", kind: "text_start", multiline: false };
      case "z":
        return { type: "assert", kind: "text_end", multiline: false };
      case "Z":
        return { type: "assert", kind: "text_end_newline", multiline: false };
      case "K":
        return "keep";
      case "Q": {
        const end = this.source.indexOf("\\E", this.at);
        const text = this.source.slice(this.at, end < 0 ? undefined : end);
        this.at = end < 0 ? this.source.length : end + 2;
        return cat([...text].map((each) => this.#literal(each.codePointAt(0)!)));
      }
      case "E":
        return undefined;
      case "k":
      case "g": {
        const match = this.match(/^(?:<([\w$]+)>|\{([\w$]+)\}|'([\w$]+)'|(\d+))/, 100);
        if (!match) break;
        const name = match[1] ?? match[2] ?? match[3] ?? match[4];
        return /^\d+$/.test(name) ? this.#backref(Number(name)) : this.#namedBackref(name);
      }
      case "p":
      case "P": {
        const { negated, name } = propertyName(this);
        return { type: "set", set: charSet([], negated, [property(c, name)]) };
      }
    }
    return this.#literal(perlCode(this, c));
  }
}

function without(low: number, high: number, hole: number): [number, number][] {
  if (hole < low || hole > high) return [[low, high]];
  const out: [number, number][] = [];
  if (low < hole) out.push([low, hole - 1]);
  if (hole < high) out.push([hole + 1, high]);
  return out;
}

function cat(items: readonly Node[]): Node {
  return items.length === 0 ? { type: "empty" } : items.length === 1 ? items[0] : { type: "cat", items };
}
