/** The grammar of `${…}`. A text that is no valid expansion is kept as `bad`: bash complains only when it is reached. */
import type { Param, ParamOp, Subscript, Word } from "./ast.ts";
import { type PartMode, readParts, readWordIn, type WordContext } from "./word.ts";

const SPECIAL = "@*#?-$!";

export function readBraceParam(ctx: WordContext, quoted: boolean): Param {
  const r = ctx.reader;
  const opened = r.pos;
  const line = r.line();
  r.pos += 2;
  const start = r.pos;
  const param = parse(ctx, quoted, opened, line);
  if (param !== undefined && r.char() === "}") {
    r.pos++;
    return { ...param, source: r.text.slice(opened, r.pos) };
  }
  // Not an expansion: find its end, complain when it is reached.
  r.pos = start;
  readParts(ctx, { quoted, single: !quoted, double: true, stop: "}", meta: false });
  if (r.char() !== "}") throw r.unterminated("}", opened);
  r.pos++;
  return { kind: "param", name: "", source: r.text.slice(opened, r.pos), line, bad: true };
}

type Draft = { -readonly [K in keyof Param]: Param[K] };

function parse(ctx: WordContext, quoted: boolean, opened: number, line: number): Draft | undefined {
  const r = ctx.reader;
  const draft: Draft = { kind: "param", name: "", source: "", line };
  if (r.char() === "#" && isLength(ctx)) {
    r.pos++;
    draft.length = true;
  } else if (r.char() === "!" && isIndirect(ctx)) {
    r.pos++;
    draft.indirect = true;
  }
  const name = readName(ctx);
  if (name === "") return undefined;
  draft.name = name;
  if (r.char() === "[" && /^[A-Za-z_]/.test(name)) {
    draft.index = readSubscript(ctx);
    if (draft.index === undefined) throw r.unterminated("]", opened);
  }
  if (r.char() === "}") return draft;
  if (draft.length) return undefined;
  if (draft.indirect && draft.index === undefined && (r.startsWith("@}") || r.startsWith("*}"))) {
    draft.op = { kind: "names", star: r.char() === "*" };
    r.pos++;
    return draft;
  }
  const op = readOp(ctx, quoted);
  if (op === undefined) return undefined;
  draft.op = op;
  return draft;
}

/** After `${#`: a length, unless it is `$#` itself with an operation. */
function isLength(ctx: WordContext): boolean {
  const next = ctx.reader.char(1);
  if (next === "}") return false;
  if (/[A-Za-z_0-9@*]/.test(next)) return true;
  return SPECIAL.includes(next) && ctx.reader.char(2) === "}";
}

function isIndirect(ctx: WordContext): boolean {
  const next = ctx.reader.char(1);
  if (/[A-Za-z_0-9]/.test(next)) return true;
  return next !== "" && SPECIAL.includes(next) && ctx.reader.char(2) === "}";
}

function readName(ctx: WordContext): string {
  const r = ctx.reader;
  const name = r.name() || r.digits();
  if (name !== "") {
    r.pos += name.length;
    return name;
  }
  const c = r.char();
  if (c !== "" && SPECIAL.includes(c)) {
    r.pos++;
    return c;
  }
  return "";
}

const SUBSCRIPT: PartMode = {
  quoted: false,
  single: true,
  double: true,
  stop: "]",
  meta: false,
  nest: "[]",
  arith: true,
};

/** Reads `[…]`; undefined (position anywhere) where it is not closed. */
export function readSubscript(ctx: WordContext): Subscript | undefined {
  const r = ctx.reader;
  r.pos++;
  const word = readWordIn(ctx, SUBSCRIPT);
  if (r.char() !== "]") return undefined;
  r.pos++;
  return { word, all: word.text === "@" || word.text === "*" ? word.text : undefined };
}

function readOp(ctx: WordContext, quoted: boolean): ParamOp | undefined {
  const r = ctx.reader;
  const c = r.char();
  const next = r.char(1);
  switch (c) {
    case ":":
      if (next !== "" && "-=?+".includes(next)) {
        r.pos += 2;
        return { kind: "default", op: next as "-", colon: true, word: argument(ctx, quoted) };
      }
      r.pos++;
      return readSlice(ctx);
    case "-":
    case "=":
    case "?":
    case "+":
      r.pos++;
      return { kind: "default", op: c, colon: false, word: argument(ctx, quoted) };
    case "#":
    case "%": {
      const double = next === c;
      r.pos += double ? 2 : 1;
      return { kind: "strip", op: (double ? c + c : c) as "#", word: pattern(ctx, "}") };
    }
    case "/":
      return readReplace(ctx);
    case "^":
    case ",":
    case "~": {
      const double = next === c;
      r.pos += double ? 2 : 1;
      return {
        kind: "case",
        op: (double ? c + c : c) as "^",
        word: r.char() === "}" ? undefined : pattern(ctx, "}"),
      };
    }
    case "@":
      if (/[A-Za-z]/.test(next) && r.char(2) === "}") {
        r.pos += 2;
        return { kind: "transform", letter: next };
      }
      return undefined;
  }
  return undefined;
}

/** The word of `:-` and its kin. Inside double quotes `'` is literal there, and `"` quotes again. */
function argument(ctx: WordContext, quoted: boolean): Word {
  return readWordIn(ctx, { quoted, single: !quoted, double: true, stop: "}", meta: false });
}

/** A pattern, in which quotes quote, in double quotes as well. */
function pattern(ctx: WordContext, stop: string): Word {
  return readWordIn(ctx, { quoted: false, single: true, double: true, stop, meta: false, extglob: true });
}

function readReplace(ctx: WordContext): ParamOp {
  const r = ctx.reader;
  r.pos++;
  let all = false;
  let anchor: "" | "#" | "%" = "";
  if (r.char() === "/") {
    all = true;
    r.pos++;
  } else if (r.char() === "#" || r.char() === "%") {
    anchor = r.char() as "#";
    r.pos++;
  }
  // A slash at the very start belongs to the pattern.
  const start = r.pos;
  let lead = "";
  if (anchor === "" && r.char() === "/") {
    lead = "/";
    r.pos++;
  }
  let word = pattern(ctx, "/}");
  if (lead !== "") {
    word = {
      ...word,
      parts: [{ kind: "lit", text: lead }, ...word.parts],
      text: r.text.slice(start, r.pos),
      plain: undefined,
    };
  }
  if (r.char() !== "/") return { kind: "replace", all, anchor, pattern: word, by: undefined };
  r.pos++;
  // Even inside double quotes the replacement is read as outside of them.
  const by = readWordIn(ctx, { quoted: false, single: true, double: true, stop: "}", meta: false });
  return { kind: "replace", all, anchor, pattern: word, by };
}

function readSlice(ctx: WordContext): ParamOp | undefined {
  const r = ctx.reader;
  // `${v:}` is no expansion; `${v: }` is one, from 0 on.
  if (r.char() === "}") return undefined;
  const mode = { quoted: true, single: false, double: true, meta: false, nest: "()" as const, arith: true };
  const offset = readConditionalAware(ctx, mode);
  if (r.char() !== ":") return { kind: "slice", offset, length: undefined };
  r.pos++;
  const length = readWordIn(ctx, { ...mode, stop: "}" });
  return { kind: "slice", offset, length };
}

/** An offset ends at the first `:` that no `?` claims. */
function readConditionalAware(ctx: WordContext, mode: Omit<PartMode, "stop">): Word {
  const r = ctx.reader;
  const start = r.pos;
  const line = r.line();
  const parts = [...readParts(ctx, { ...mode, stop: ":?}" })];
  let open = 0;
  while (r.char() === "?" || (r.char() === ":" && open > 0)) {
    open += r.char() === "?" ? 1 : -1;
    parts.push({ kind: "lit", text: r.char() });
    r.pos++;
    parts.push(...readParts(ctx, { ...mode, stop: ":?}" }));
  }
  return { parts, text: r.text.slice(start, r.pos), line, plain: undefined };
}
