/**
 * New content in the manner of the file that it replaces: its encoding and
 * byte order mark, and its line ends, which for a file with both kinds are
 * those of the lines that stay.
 */
import { diffArrays } from "diff";
import { decodeText, encodeText, type Encoding, UTF8 } from "../shared/text_codec.ts";

/** The bytes to write. Throws EncodeError where the encoding lacks a character. */
export function inMannerOf(old: Uint8Array, encoding: Encoding, content: string): Uint8Array<ArrayBuffer> {
  const mark = old.slice(0, encoding.bom);
  // A file with broken bytes gets sound ones.
  const target = encoding.damaged ? UTF8 : encoding;
  const text = content.startsWith("\ufeff") && mark.length > 0 ? content.slice(1) : content;
  const body = encodeText(withLineEndsOf(decodeText(old, encoding), text), target);
  const out = new Uint8Array(mark.length + body.length);
  out.set(mark);
  out.set(body, mark.length);
  return out;
}

/** `content` with the line ends of `old`. */
function withLineEndsOf(old: string, content: string): string {
  const crlf = old.split("\r\n").length - 1;
  const lf = old.split("\n").length - 1 - crlf;
  const plain = content.replaceAll("\r\n", "\n");
  if (crlf + lf === 0) return content;
  if (crlf === 0) return plain;
  if (lf === 0) return plain.replaceAll("\n", "\r\n");
  return mixed(old, plain, crlf > lf ? "\r\n" : "\n");
}

function mixed(old: string, plain: string, usual: string): string {
  const before = old.split("\n");
  const after = plain.split("\n");
  const ends = new Array<string>(after.length).fill(usual);
  const parts = diffArrays(before.map((line) => line.replace(/\r$/, "")), after, { maxEditLength: 2000 }) ??
    [];
  let from = 0;
  let to = 0;
  for (const part of parts) {
    if (part.removed) from += part.value.length;
    else if (part.added) to += part.value.length;
    else for (const _ of part.value) ends[to++] = before[from++].endsWith("\r") ? "\r\n" : "\n";
  }
  return after.map((line, i) => i === after.length - 1 ? line : line + ends[i]).join("");
}
