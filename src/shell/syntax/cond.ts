/** The grammar of `[[ … ]]`, whose words are neither split nor globbed and whose `=~` takes its right side raw. */
import type { Cond, Word } from "./ast.ts";
import { ShellSyntaxError } from "./errors.ts";
import { readWord, readWordIn, type WordContext } from "./word.ts";

const UNARY = /^-[abcdefghknoprstuvwxzGLNORS]$/;
const BINARY = /^(?:==?|!=|=~|-eq|-ne|-lt|-le|-gt|-ge|-ef|-nt|-ot)$/;

/** Whether `!(` negates a group; with extended patterns it begins one. */
let negatable = true;

/** Reads the expression and the closing `]]`. */
export function readCond(ctx: WordContext, extglob: boolean): Cond {
  negatable = !extglob;
  const expr = or(ctx);
  skip(ctx);
  if (!atClose(ctx)) throw fail(ctx);
  ctx.reader.pos += 2;
  return expr;
}

function skip(ctx: WordContext): void {
  const r = ctx.reader;
  r.skipBlanks();
  while (r.char() === "\n") {
    r.pos++;
    r.skipBlanks();
  }
}

function atClose(ctx: WordContext): boolean {
  const r = ctx.reader;
  if (!r.startsWith("]]")) return false;
  const after = r.char(2);
  return after === "" || /[\s|&;()<>]/.test(after);
}

function fail(ctx: WordContext): ShellSyntaxError {
  const r = ctx.reader;
  if (r.atEnd) return new ShellSyntaxError("syntax error: unexpected end of file", r.line() + 1, true);
  const token = /^(?:&&|\|\||[&|;()<>\n]|[^\s|&;()<>]+)/.exec(r.text.slice(r.pos, r.pos + 200))?.[0] ??
    r.char();
  return new ShellSyntaxError(
    `syntax error near unexpected token \`${token === "\n" ? "newline" : token}'`,
    r.line(),
    false,
    r.sourceLine(r.pos),
  );
}

function or(ctx: WordContext): Cond {
  const left = and(ctx);
  skip(ctx);
  if (!ctx.reader.startsWith("||")) return left;
  ctx.reader.pos += 2;
  return { kind: "or", left, right: or(ctx) };
}

function and(ctx: WordContext): Cond {
  const left = term(ctx);
  skip(ctx);
  if (!ctx.reader.startsWith("&&")) return left;
  ctx.reader.pos += 2;
  return { kind: "and", left, right: and(ctx) };
}

function term(ctx: WordContext): Cond {
  const r = ctx.reader;
  skip(ctx);
  r.enter();
  try {
    if (r.char() === "!" && (/^\s/.test(r.char(1)) || (negatable && r.char(1) === "("))) {
      r.pos++;
      return { kind: "not", operand: term(ctx) };
    }
    if (r.char() === "(") {
      r.pos++;
      const operand = or(ctx);
      skip(ctx);
      if (r.char() !== ")") throw fail(ctx);
      r.pos++;
      return { kind: "parens", operand };
    }
    return primary(ctx);
  } finally {
    r.leave();
  }
}

/** `what`: the operator whose operand is missing, for the message. */
function operand(ctx: WordContext, what?: "unary" | "binary"): Word {
  if (what !== undefined) {
    ctx.reader.skipBlanks();
    const token = atClose(ctx) ? "]]" : ctx.reader.char() === "\n" ? "newline" : undefined;
    if (token !== undefined) {
      const message = `unexpected argument \`${token}' to conditional ${what} operator`;
      throw new ShellSyntaxError(message, ctx.reader.line(), false);
    }
  }
  skip(ctx);
  if (atClose(ctx)) throw fail(ctx);
  const word = readWord(ctx);
  if (word === undefined) throw fail(ctx);
  return word;
}

function primary(ctx: WordContext): Cond {
  const r = ctx.reader;
  const left = operand(ctx);
  skip(ctx);
  const op = binaryOperator(ctx);
  if (op === undefined) {
    if (left.plain !== undefined && UNARY.test(left.plain) && (atClose(ctx) || !atOperatorEnd(ctx))) {
      return { kind: "unary", op: left.plain, operand: operand(ctx, "unary") };
    }
    if (!atOperatorEnd(ctx)) {
      if (r.atEnd) throw fail(ctx);
      throw new ShellSyntaxError(`conditional binary operator expected`, r.line(), false);
    }
    return { kind: "unary", op: "-n", operand: left };
  }
  // `-z = x` compares, `-z x` tests.
  r.pos += op.length;
  if (op !== "=~") return { kind: "binary", op, left, right: operand(ctx, "binary") };
  r.skipBlanks();
  const right = readWordIn(ctx, {
    quoted: false,
    single: true,
    double: true,
    stop: " \t\n)",
    meta: false,
    nest: "()",
    arith: true,
  });
  if (right.parts.length === 0) throw fail(ctx);
  return { kind: "binary", op, left, right };
}

function atOperatorEnd(ctx: WordContext): boolean {
  const r = ctx.reader;
  return atClose(ctx) || r.startsWith("&&") || r.startsWith("||") || r.char() === ")";
}

function binaryOperator(ctx: WordContext): string | undefined {
  const r = ctx.reader;
  if ((r.char() === "<" || r.char() === ">") && r.char(1) !== "(") return r.char();
  const m = /^[^\s|&;()<>]+/.exec(r.text.slice(r.pos, r.pos + 8))?.[0];
  return m !== undefined && BINARY.test(m) ? m : undefined;
}
