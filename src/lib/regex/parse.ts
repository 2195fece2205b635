/**
 * Reads the three syntaxes of regular expressions into one tree: `perl` (what
 * JavaScript, PCRE and models write), `basic` and `extended` (POSIX with GNU's
 * additions). Case is folded here, into sets, so that no engine needs a flag
 * for it. Depth and size are bounded; every fault is a RegexError with the
 * text that the GNU tools print. It is one piece because the syntaxes share
 * nearly every production and differ in the spelling of a few.
 */
import { AppError } from "../errors.ts";
import {
  type AssertKind,
  caseVariants,
  type CharSet,
  charSet,
  complement,
  DIGIT,
  foldRanges,
  type Node,
  POSIX_CLASSES,
  SPACE,
  type Tree,
  WORD,
} from "./ast.ts";

export type Syntax = "perl" | "basic" | "extended";

/** A pattern that cannot be used: `invalid` breaks the syntax, `refused` could run for ever or is not supported. */
export class RegexError extends AppError<"invalid" | "refused"> {
  override readonly name = "RegexError";
}

export interface ParseOptions {
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
const HEX = /^[0-9a-fA-F]+$/;

interface Flags {
  ignoreCase: boolean;
  multiline: boolean;
  dotAll: boolean;
  extended: boolean;
}

export function parse(source: string, options: ParseOptions): Tree {
  if (source.length > MAX_LENGTH) throw new RegexError("refused", "Regular expression too big");
  return new Parser(source, options).parse();
}

class Parser {
  #at = 0;
  #groups = 0;
  #depth = 0;
  #flags: Flags;
  readonly #names = new Map<string, number>();
  readonly #pendingNames: { node: { index: number }; name: string }[] = [];
  #highestBackref = 0;
  readonly #closed = new Set<number>();

  constructor(readonly source: string, readonly options: ParseOptions) {
    const { ignoreCase, multiline, dotAll, extended } = options;
    this.#flags = { ignoreCase, multiline, dotAll, extended };
  }

  parse(): Tree {
    const root = this.#alternatives();
    if (this.#at < this.source.length) {
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

  #looking(text: string): boolean {
    return this.source.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    if (!this.#looking(text)) return false;
    this.#at += text.length;
    return true;
  }

  #alternatives(): Node {
    if (++this.#depth > MAX_DEPTH) throw new RegexError("refused", "Regular expression too deeply nested");
    const items = [this.#sequence()];
    const bar = this.#basic ? "\\|" : "|";
    while (this.#take(bar)) items.push(this.#sequence());
    this.#depth--;
    return items.length === 1 ? items[0] : { type: "alt", items };
  }

  #sequence(): Node {
    const items: Node[] = [];
    for (;;) {
      if (this.#at >= this.source.length) break;
      if (this.#basic ? this.#looking("\\|") || this.#looking("\\)") : this.#looking("|")) break;
      if (!this.#basic && this.#looking(")") && !this.#strayClose) break;
      const start = this.#at;
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
        if (this.#take("?")) lazy = true;
        else if (this.#take("+")) {
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
    if (this.#take("*")) return { min: 0, max: Infinity };
    if (this.#basic) {
      if (this.#take("\\+")) return { min: 1, max: Infinity };
      if (this.#take("\\?")) return { min: 0, max: 1 };
      if (!this.#looking("\\{")) return undefined;
    } else {
      if (this.#take("+")) return { min: 1, max: Infinity };
      if (this.#take("?")) return { min: 0, max: 1 };
      if (!this.#looking("{")) return undefined;
    }
    const open = this.#basic ? 2 : 1;
    const rest = this.source.slice(this.#at + open, this.#at + open + 24);
    const match = /^(\d*)(,?)(\d*)/.exec(rest)!;
    const close = this.#basic ? "\\}" : "}";
    const valid = rest.startsWith(close, match[0].length) &&
      (match[1] !== "" || (match[2] !== "" && !this.#perl));
    if (!valid) {
      if (!this.#basic) return undefined;
      throw new RegexError(
        "invalid",
        this.source.indexOf("\\}", this.#at) < 0 ? "Unmatched \\{" : "Invalid content of \\{\\}",
      );
    }
    const min = match[1] === "" ? 0 : Number(match[1]);
    const max = match[2] === "" ? min : match[3] === "" ? Infinity : Number(match[3]);
    if (max < min) throw new RegexError("invalid", "Invalid content of \\{\\}");
    if (min > MAX_BOUND || (max !== Infinity && max > MAX_BOUND)) {
      throw new RegexError("invalid", "Regular expression too big");
    }
    this.#at += open + match[0].length + close.length;
    return { min, max };
  }

  #skipSpace(): void {
    for (;;) {
      const c = this.source[this.#at];
      if (c === " " || c === "\t" || c === "\n" || c === "\r") this.#at++;
      else if (c === "#") {
        while (this.#at < this.source.length && this.source[this.#at] !== "\n") this.#at++;
      } else return;
    }
  }

  #atom(first: boolean): Node | "keep" | undefined {
    if (this.#flags.extended) {
      this.#skipSpace();
      if (this.#at >= this.source.length || this.#looking("|") || this.#looking(")")) return undefined;
    }
    const c = this.source[this.#at];
    if (c === "\\") return this.#escape();
    if (c === "[") return this.#bracket();
    if (c === ".") {
      this.#at++;
      const no = this.options.lines || !this.#flags.dotAll;
      return { type: "set", set: charSet(no ? [[10, 10]] : [], true) };
    }
    if (c === "^") {
      if (!this.#basic || first) {
        this.#at++;
        return this.#assert("line_start");
      }
    } else if (c === "$") {
      const next = this.#at + 1;
      const last = next >= this.source.length || this.source.startsWith("\\)", next) ||
        this.source.startsWith("\\|", next);
      if (!this.#basic || last) {
        this.#at++;
        return this.#assert("line_end");
      }
    } else if (c === "(" && !this.#basic) {
      this.#at++;
      return this.#group();
    } else if (!this.#basic && (c === "*" || c === "+" || c === "?")) {
      if (this.#perl) throw new RegexError("invalid", `nothing to repeat at ${this.#at}`);
      if (!this.options.lenient) throw new RegexError("invalid", "Invalid preceding regular expression");
      this.#at++;
      return undefined;
    } else if (!this.#basic && c === "{" && !this.#perl && first && this.#bounds()) {
      throw new RegexError("invalid", "Invalid preceding regular expression");
    }
    const code = this.source.codePointAt(this.#at)!;
    this.#at += code > 0xffff ? 2 : 1;
    return this.#literal(code);
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
    if (!this.#perl || !this.#looking("?")) return this.#capture(undefined, saved);
    this.#at++;
    if (this.#take("#")) {
      const end = this.source.indexOf(")", this.#at);
      if (end < 0) throw new RegexError("invalid", "Unmatched (");
      this.#at = end + 1;
      return undefined;
    }
    if (this.#take(":")) return this.#close(this.#alternatives(), saved);
    if (this.#take(">")) return { type: "atomic", body: this.#close(this.#alternatives(), saved) };
    for (
      const [text, ahead, negated] of [["=", true, false], ["!", true, true], ["<=", false, false], [
        "<!",
        false,
        true,
      ]] as const
    ) {
      if (this.#take(text)) {
        return { type: "look", ahead, negated, body: this.#close(this.#alternatives(), saved) };
      }
    }
    const named = /^(?:P?<([A-Za-z_$][\w$]*)>|'([A-Za-z_]\w*)')/.exec(
      this.source.slice(this.#at, this.#at + 200),
    );
    if (named) {
      this.#at += named[0].length;
      return this.#capture(named[1] ?? named[2], saved);
    }
    const again = /^P=(\w+)\)/.exec(this.source.slice(this.#at, this.#at + 200));
    if (again) {
      this.#at += again[0].length;
      return this.#namedBackref(again[1]);
    }
    const flags = /^([imsxu]*)(?:-([imsxu]+))?([:)])/.exec(this.source.slice(this.#at, this.#at + 40));
    if (!flags) {
      throw new RegexError(
        "invalid",
        `unrecognized character after (?: ${this.source.slice(this.#at, this.#at + 1)}`,
      );
    }
    this.#at += flags[0].length;
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
    if (!this.#take(this.#basic ? "\\)" : ")")) {
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
    if (this.#at + 1 >= this.source.length) throw new RegexError("invalid", "Trailing backslash");
    const c = this.source[this.#at + 1];
    this.#at += 2;
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
      const digits = this.#perl ? /^\d*/.exec(this.source.slice(this.#at, this.#at + 2))![0] : "";
      this.#at += digits.length;
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
      const code = this.#numericEscape(c);
      if (code !== undefined) return this.#literal(code);
    }
    const code = this.source.codePointAt(this.#at - 1)!;
    if (code > 0xffff) this.#at++;
    return this.#literal(code);
  }

  /** What sed and awk understand beyond POSIX. */
  #numericEscape(c: string): number | undefined {
    const simple = { n: 10, t: 9, r: 13, f: 12, v: 11, a: 7 }[c];
    if (simple !== undefined) return simple;
    const read = (pattern: RegExp, base: number): number | undefined => {
      const match = pattern.exec(this.source.slice(this.#at, this.#at + 3));
      if (!match) return undefined;
      this.#at += match[0].length;
      return escapedByte(parseInt(match[0], base) & 0xff);
    };
    if (c === "x") return read(/^[0-9a-fA-F]{1,2}/, 16);
    if (c === "o") return read(/^[0-7]{1,3}/, 8);
    if (c === "d") return read(/^[0-9]{1,3}/, 10);
    if (c === "c" && this.#at < this.source.length) {
      return this.source[this.#at++].toUpperCase().charCodeAt(0) ^ 0x40;
    }
    return undefined;
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
        const end = this.source.indexOf("\\E", this.#at);
        const text = this.source.slice(this.#at, end < 0 ? undefined : end);
        this.#at = end < 0 ? this.source.length : end + 2;
        return cat([...text].map((each) => this.#literal(each.codePointAt(0)!)));
      }
      case "E":
        return undefined;
      case "k":
      case "g": {
        const match = /^(?:<([\w$]+)>|\{([\w$]+)\}|'([\w$]+)'|(\d+))/.exec(
          this.source.slice(this.#at, this.#at + 100),
        );
        if (!match) break;
        this.#at += match[0].length;
        const name = match[1] ?? match[2] ?? match[3] ?? match[4];
        return /^\d+$/.test(name) ? this.#backref(Number(name)) : this.#namedBackref(name);
      }
      case "p":
      case "P": {
        const match = /^(?:\{(\^?)([^}]+)\}|([A-Za-z]))/.exec(this.source.slice(this.#at, this.#at + 80));
        if (!match) throw new RegexError("invalid", "malformed \\p sequence");
        this.#at += match[0].length;
        return { type: "set", set: charSet([], match[1] === "^", [property(c, match[2] ?? match[3])]) };
      }
    }
    const code = this.#perlCode(c);
    return this.#literal(code);
  }

  /** Code of an escape that stands for one character, inside and outside of brackets. */
  #perlCode(c: string): number {
    const simple = { n: 10, t: 9, r: 13, f: 12, v: 11, a: 7, e: 27 }[c];
    if (simple !== undefined) return simple;
    const rest = this.source.slice(this.#at, this.#at + 12);
    if (c === "0") {
      const match = /^[0-7]{0,2}/.exec(rest)![0];
      this.#at += match.length;
      return parseInt("0" + match, 8);
    }
    if (c === "c" && /^[A-Za-z]/.test(rest)) {
      this.#at++;
      return rest.charCodeAt(0) & 31;
    }
    if (c === "x" || c === "u") {
      const braced = /^\{([0-9a-fA-F]{1,8})\}/.exec(rest);
      if (braced) {
        this.#at += braced[0].length;
        const code = parseInt(braced[1], 16);
        if (code > 0x10ffff) throw new RegexError("invalid", "character code too large");
        return code;
      }
      const width = c === "x" ? 2 : 4;
      const hex = rest.slice(0, width);
      if (hex.length === width && HEX.test(hex)) {
        this.#at += width;
        const code = parseInt(hex, 16);
        const low = /^\\u([dD][c-fC-F][0-9a-fA-F]{2})/.exec(this.source.slice(this.#at, this.#at + 6));
        if (code >= 0xd800 && code <= 0xdbff && low) {
          this.#at += 6;
          return 0x10000 + ((code - 0xd800) << 10) + (parseInt(low[1], 16) - 0xdc00);
        }
        return code;
      }
    }
    if (/[A-Za-z]/.test(c)) {
      if (c === "x") return 0;
      throw new RegexError("invalid", `unrecognized escape \\${c}`);
    }
    const code = this.source.codePointAt(this.#at - 1)!;
    if (code > 0xffff) this.#at++;
    return code;
  }

  #bracket(): Node {
    const start = this.#at++;
    const negated = this.#take("^");
    const ranges: [number, number][] = [];
    const properties: string[] = [];
    const unmatched = () =>
      new RegexError(
        "invalid",
        this.#perl ? `missing terminating ] for the class at ${start}` : "Unmatched [, [^, [:, [., or [=",
      );
    if (this.#perl && this.#looking("]")) {
      // JavaScript's empty class `[]`, but PCRE's `[]abc]`: the latter where a later bracket closes it.
      if (this.source.indexOf("]", this.#at + 1) < 0) {
        this.#at++;
        return this.#set([], negated);
      }
    }
    for (let first = true;; first = false) {
      if (this.#at >= this.source.length) throw unmatched();
      if (this.#looking("]") && !first) break;
      const low = this.#bracketItem(ranges, properties, unmatched);
      if (low === undefined) continue;
      if (
        this.#looking("-") && !this.source.startsWith("-]", this.#at) && this.#at + 1 < this.source.length
      ) {
        const back = this.#at++;
        const before = ranges.length;
        const high = this.#bracketItem(ranges, properties, unmatched);
        if (high === undefined) {
          if (!this.#perl) throw new RegexError("invalid", "Invalid range end");
          ranges.push([low, low], [45, 45]);
          continue;
        }
        if (high < low || before !== ranges.length) {
          this.#at = back;
          throw new RegexError("invalid", "Invalid range end");
        }
        ranges.push([low, high]);
      } else ranges.push([low, low]);
    }
    this.#at++;
    return this.#set(ranges, negated, properties);
  }

  /** One character of a bracket, or a whole class, which is added at once. */
  #bracketItem(
    ranges: [number, number][],
    properties: string[],
    unmatched: () => RegexError,
  ): number | undefined {
    const c = this.source[this.#at];
    if (c === "[" && /[:.=]/.test(this.source[this.#at + 1] ?? "")) {
      const kind = this.source[this.#at + 1];
      const end = this.source.indexOf(kind + "]", this.#at + 2);
      if (end < 0) {
        if (this.#perl) {
          this.#at++;
          return 91;
        }
        throw unmatched();
      }
      const name = this.source.slice(this.#at + 2, end);
      if (kind === ":") {
        const members = Object.hasOwn(POSIX_CLASSES, name) ? POSIX_CLASSES[name] : undefined;
        if (!members) {
          if (this.#perl && !/^\^?\w+$/.test(name)) {
            this.#at++;
            return 91;
          }
          if (this.#perl && name[0] === "^" && Object.hasOwn(POSIX_CLASSES, name.slice(1))) {
            ranges.push(...complement(POSIX_CLASSES[name.slice(1)]));
            this.#at = end + 2;
            return undefined;
          }
          throw new RegexError("invalid", "Invalid character class name");
        }
        ranges.push(...members);
        this.#at = end + 2;
        return undefined;
      }
      if ([...name].length !== 1) throw new RegexError("invalid", "Invalid collation character");
      this.#at = end + 2;
      const code = name.codePointAt(0)!;
      if (kind === ".") return code;
      ranges.push([code, code]);
      return undefined;
    }
    if (c === "\\" && (this.#perl || this.options.escapes)) {
      const next = this.source[this.#at + 1];
      if (next === undefined) throw unmatched();
      this.#at += 2;
      if (this.#perl) return this.#perlBracketEscape(next, ranges, properties);
      const code = this.#numericEscape(next);
      if (code !== undefined) return code;
      if (next === "]" || next === "\\" && this.options.escapes) return next.charCodeAt(0);
      this.#at--;
      return 92;
    }
    const code = this.source.codePointAt(this.#at)!;
    this.#at += code > 0xffff ? 2 : 1;
    return code;
  }

  #perlBracketEscape(c: string, ranges: [number, number][], properties: string[]): number | undefined {
    const add = (members: [number, number][]) => {
      ranges.push(...members);
      return undefined;
    };
    switch (c) {
      case "d":
        return add(DIGIT);
      case "D":
        return add(complement(DIGIT));
      case "w":
        return add(WORD);
      case "W":
        return add(complement(WORD));
      case "s":
        return add(SPACE);
      case "S":
        return add(complement(SPACE));
      case "h":
        return add([[9, 9], [32, 32]]);
      case "b":
        return 8;
      case "p":
      case "P": {
        const match = /^(?:\{(\^?)([^}]+)\}|([A-Za-z]))/.exec(this.source.slice(this.#at, this.#at + 80));
        if (!match) throw new RegexError("invalid", "malformed \\p sequence");
        this.#at += match[0].length;
        properties.push(property((c === "P") !== (match[1] === "^") ? "P" : "p", match[2] ?? match[3]));
        return undefined;
      }
      case "E":
      case "Q":
        return undefined;
    }
    return this.#perlCode(c);
  }
}

/** A property escape that V8 accepts, or an error. */
function property(letter: string, name: string): string {
  const escape = `\\${letter}{${name}}`;
  for (const candidate of [escape, `\\${letter}{Script=${name}}`]) {
    try {
      new RegExp(candidate, "u");
      return candidate;
    } catch { /* Not this spelling. */ }
  }
  throw new RegexError("invalid", `unknown property name ${name}`);
}

/** A byte as the text holds it: ASCII is itself, others are escaped bytes. */
function escapedByte(byte: number): number {
  return byte < 0x80 ? byte : 0xdc00 | byte;
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
