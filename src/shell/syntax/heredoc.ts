/** Here-documents: reading the lines of those announced on a line of source, and the delimiter's quoting. */
import type { Redirect, Word } from "./ast.ts";
import { Reader } from "./lexer.ts";
import { makeWord, readParts, type WordContext } from "./word.ts";

/** The largest here-document that is read, in UTF-16 units. */
export const MAX_HEREDOC = 64 << 20;

export interface HeredocWarning {
  readonly line: number;
  readonly startLine: number;
  readonly delimiter: string;
}

/** Delimiter text without its quotes, and whether there were any. */
export function delimiterOf(word: Word): { text: string; quoted: boolean } {
  if (word.plain !== undefined) return { text: word.plain, quoted: false };
  let out = "";
  let quoted = false;
  for (const part of word.parts) {
    if (part.kind === "lit") out += part.text;
    else if (part.kind === "quoted") {
      out += part.text;
      quoted = true;
    } else if (part.kind === "dquote") {
      quoted = true;
      for (const inner of part.parts) {
        out += "text" in inner ? inner.text : "source" in inner ? inner.source : "";
      }
    } else if (part.kind === "param") out += part.source;
    else return { text: word.text.replace(/["'\\]/g, ""), quoted: /["'\\]/.test(word.text) };
  }
  return { text: out, quoted };
}

/** Reads the bodies of `pending` from the reader, which stands after the newline. Answers a warning where the text ended first. */
export function readHeredocs(
  ctx: WordContext,
  pending: Redirect[],
  atLine: number,
): HeredocWarning | undefined {
  let warning: HeredocWarning | undefined;
  for (const redirect of pending) {
    const r = ctx.reader;
    const { text: delimiter, quoted } = delimiterOf(redirect.target);
    const strip = redirect.op === "<<-";
    const line = r.line();
    let raw = "";
    let closed = false;
    while (!r.atEnd) {
      let end = r.text.indexOf("\n", r.pos);
      if (end === -1) end = r.text.length;
      let text = r.text.slice(r.pos, end);
      const next = Math.min(end + 1, r.text.length);
      if (text.endsWith("\r") && (delimiter + "\r") === text.trimStart()) text = text.slice(0, -1);
      if (strip) text = text.replace(/^\t+/, "");
      if (text === delimiter) {
        r.pos = next;
        closed = true;
        break;
      }
      // A continued line is joined before the delimiter is looked for.
      if (!quoted && /(^|[^\\])(\\\\)*\\$/.test(text) && end < r.text.length) {
        raw += text + "\n";
        r.pos = next;
        let after = r.text.indexOf("\n", r.pos);
        if (after === -1) after = r.text.length;
        raw += r.text.slice(r.pos, after) + (after < r.text.length ? "\n" : "");
        r.pos = Math.min(after + 1, r.text.length);
        continue;
      }
      raw += text + (end < r.text.length ? "\n" : "");
      r.pos = next;
      if (raw.length > MAX_HEREDOC) throw r.error("here-document is too large");
    }
    // The text ends without a newline: bash has added one.
    if (!closed && raw !== "" && !raw.endsWith("\n")) raw += "\n";
    if (!closed) {
      warning = {
        line: r.line(r.text.length) - (r.text.endsWith("\n") ? 1 : 0),
        startLine: atLine,
        delimiter,
      };
    }
    redirect.heredoc = { body: bodyWord(ctx, raw, line, quoted), raw, delimiter, quoted };
  }
  return warning;
}

function bodyWord(ctx: WordContext, raw: string, line: number, quoted: boolean): Word {
  if (quoted) return { parts: [{ kind: "quoted", text: raw }], text: raw, line, plain: raw };
  if (!/[$`\\]/.test(raw)) return { parts: [{ kind: "lit", text: raw }], text: raw, line, plain: raw };
  const inner = new Reader(raw, line);
  inner.depth = ctx.reader.depth;
  const parts = readParts(ctx.nested(inner), {
    quoted: true,
    single: false,
    double: false,
    stop: "",
    meta: false,
    heredoc: true,
  });
  return makeWord([{ kind: "dquote", parts }], raw, line);
}
