/**
 * Writes the new text of an edit that was found by a loose reading. Old text
 * and the slice of the file that it matched have the same pieces (words,
 * signs, white space) one for one; what the new text keeps of the old is
 * taken from the file, what it adds is written in the file's manner: its
 * line ends, its indentation, its quotes.
 */
import { diffArrays } from "diff";
import { folded, LineEnds } from "./loose_text.ts";
import { indentOf, Indents } from "./indents.ts";

/** Past this many differences, old and new have too little in common to look for it. */
const MAX_EDITS = 1000;

/** What an edit's old text was found to mean, with the text around it. */
export interface Slice {
  readonly text: string;
  /** The whole text, in which the slice begins at `start`. */
  readonly whole: string;
  readonly start: number;
}

/** What stands in the place of the slice afterwards: `newText` in the file's manner. */
export function compose(slice: Slice, oldText: string, newText: string): string {
  const olds = LineEnds.fold(oldText).split("\n");
  const news = LineEnds.fold(newText).split("\n");
  const files = splitLines(slice.text);
  const defaultEnd = LineEnds.near(slice.whole, slice.start);
  if (files.length !== olds.length) return LineEnds.like(slice.whole, slice.start, newText);
  const midLine = slice.start > 0 && slice.whole[slice.start - 1] !== "\n";
  const indents = new Indents(
    olds.map((old, i) => ({
      old: indentOf(old),
      file: indentOf(files[i].text),
      text: old.trim(),
      blank: old.trim() === "",
    })),
    midLine,
    news,
    slice.whole,
  );
  const manner = mannerOf(olds, files);
  const out: string[] = [];
  let line = 0; // of the old text and the file
  let done = 0; // of the new text
  const put = (text: string, end: string | undefined) => {
    out.push(text, ++done < news.length ? end || defaultEnd : "");
  };
  const parts = diffArrays(olds, news, { maxEditLength: MAX_EDITS }) ??
    [{ removed: true, added: false, value: olds }, { removed: false, added: true, value: news }];
  for (let p = 0; p < parts.length; p++) {
    const part = parts[p];
    if (part.removed) {
      const added = parts[p + 1]?.added ? parts[++p].value : [];
      const partners = pair(part.value, added);
      added.forEach((text, i) => {
        const paired = partners[i] === undefined ? undefined : line + partners[i];
        put(newLine(text, paired), paired === undefined ? undefined : files[paired].end);
      });
      line += part.value.length;
    } else if (part.added) {
      for (const text of part.value) put(newLine(text, undefined), undefined);
    } else {
      for (const _ of part.value) {
        put(files[line].text, files[line].end);
        line++;
      }
    }
  }
  return out.join("");

  function newLine(text: string, paired: number | undefined): string {
    const indent = indentOf(text);
    const body = text.slice(indent.length);
    if (body.trim() === "") return paired === undefined || olds[paired].trim() !== "" ? body : text;
    // The first line of a slice that begins inside a line follows what stands there already.
    const lead = done > 0
      ? indents.translate(indent, paired)
      : midLine
      ? ""
      : indents.translateFirst(indent, paired);
    if (paired === undefined) return lead + manner(body);
    return lead + mend(files[paired].text, olds[paired], body, manner);
  }
}

/**
 * Which old line each new one stands for: the one that says the same but for
 * white space, in order; lines without one are taken in their turn.
 */
function pair(olds: readonly string[], news: readonly string[]): (number | undefined)[] {
  if (olds.length * news.length > 1_000_000) return news.map((_, i) => i < olds.length ? i : undefined);
  const bare = olds.map((line) => line.trim());
  const same = news.map((line) => line.trim() === "" ? -1 : bare.indexOf(line.trim()));
  if (same.every((index) => index < 0)) return news.map((_, i) => i < olds.length ? i : undefined);
  const out: (number | undefined)[] = [];
  let from = 0;
  for (const [i, text] of news.entries()) {
    const at = bare.indexOf(text.trim(), from);
    if (text.trim() !== "" && at >= 0) {
      out.push(at);
      from = at + 1;
      continue;
    }
    // Its turn comes only before the next line that has a partner of its own.
    const next = news.slice(i + 1).map((line) => line.trim() === "" ? -1 : bare.indexOf(line.trim(), from))
      .find((n) => n >= 0);
    out.push(from < (next ?? olds.length) ? from++ : undefined);
  }
  return out;
}

/** `body` (a new line without its indentation), with the pieces that it shares with the old line as the file has them. */
function mend(file: string, old: string, body: string, manner: (text: string) => string): string {
  const filePieces = pieces(file.slice(indentOf(file).length));
  const oldPieces = pieces(old.slice(indentOf(old).length));
  if (filePieces.length !== oldPieces.length) return manner(body);
  let out = "";
  let at = 0;
  const parts = diffArrays(oldPieces, pieces(body), { maxEditLength: MAX_EDITS });
  if (parts === undefined) return manner(body);
  for (const part of parts) {
    if (part.removed) at += part.value.length;
    else if (part.added) out += manner(part.value.join(""));
    else {
      out += filePieces.slice(at, at + part.value.length).join("");
      at += part.value.length;
    }
  }
  return out;
}

/** Words, runs of white space, single signs; a run of white space, perhaps empty, is always last. */
function pieces(text: string): string[] {
  const body = text.replace(/[\s\u00a0]+$/u, "");
  const out: string[] = body.match(/[\p{L}\p{N}_]+|\s+|[^]/gu) ?? [];
  out.push(text.slice(body.length));
  return out;
}

const TYPOGRAPHIC = "\u2018\u2019\u201c\u201d";

/** How the file writes signs that the edit writes in another way, where it always does so. */
function mannerOf(olds: readonly string[], files: readonly { text: string }[]): (text: string) => string {
  const asFile = new Map<string, string | undefined>();
  olds.forEach((old, i) => {
    if (folded(old) === old && folded(files[i].text) === files[i].text) return;
    const oldPieces = pieces(old.slice(indentOf(old).length));
    const filePieces = pieces(files[i].text.slice(indentOf(files[i].text).length));
    if (oldPieces.length !== filePieces.length) return;
    oldPieces.forEach((piece, k) => {
      if (piece.length !== 1 || /[\p{L}\p{N}\s]/u.test(piece)) return;
      const known = asFile.has(piece) ? asFile.get(piece) : filePieces[k];
      asFile.set(piece, known === filePieces[k] ? known : undefined);
    });
  });
  for (const [sign, file] of asFile) if (file === undefined || file === sign) asFile.delete(sign);
  // An edit that made one kind of quotes typographic does so with the other kind too.
  if ([...asFile].some(([sign, file]) => TYPOGRAPHIC.includes(sign) && (file === "'" || file === '"'))) {
    for (const sign of TYPOGRAPHIC) if (!asFile.has(sign)) asFile.set(sign, folded(sign));
  }
  if (asFile.size === 0) return (text) => text;
  return (text) => Array.from(text, (sign) => asFile.get(sign) ?? sign).join("");
}

function splitLines(text: string): { text: string; end: string }[] {
  return text.split("\n").map((line, i, all) => {
    if (i === all.length - 1) return { text: line, end: "" };
    return line.endsWith("\r") ? { text: line.slice(0, -1), end: "\r\n" } : { text: line, end: "\n" };
  });
}
