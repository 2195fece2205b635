/**
 * Texts in the encodings that source files have. A decoded text maps unit for
 * unit onto its bytes, so that a change can be spliced into the bytes and
 * everything around it stays what it was, also where the guess of the
 * encoding is wrong or single bytes are invalid (those follow
 * `lib/text/bytes.ts`). The runtime has no encoders but for UTF-8: the others
 * are made here, by inverting its decoders.
 */
import { concatBytes } from "../../lib/bytes.ts";
import { decodeBytes, encodeBytes } from "../../lib/text/bytes.ts";

/** As shown to the model. "Latin-1" is windows-1252, as on the web. */
export type EncodingName = "UTF-8" | "UTF-16LE" | "UTF-16BE" | "Latin-1" | "Shift-JIS" | "GBK";

/** What to know of a file to write it as it was. */
export interface Encoding {
  readonly name: EncodingName;
  /** Bytes of the byte order mark: 0 where there is none. */
  readonly bom: number;
  /** UTF-8 with bytes in it that are none. */
  readonly damaged: boolean;
}

/** What new files are written in. */
export const UTF8: Encoding = { name: "UTF-8", bom: 0, damaged: false };

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenientUtf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const LABEL = { "Latin-1": "windows-1252", "Shift-JIS": "shift_jis", "GBK": "gbk" } as const;

/** How much of a file decides whether it is binary and, if it is not UTF-8, what it is. */
const SAMPLE = 64 * 1024;

/** The encoding of a file by its bytes (all, or the first ones of a `partial` view), or "binary". */
export function detectEncoding(bytes: Uint8Array, partial = false): Encoding | "binary" {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return { name: "UTF-8", bom: 3, damaged: !isUtf8(bytes, partial) };
  }
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { name: "UTF-16LE", bom: 2, damaged: false };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { name: "UTF-16BE", bom: 2, damaged: false };
  const sample = bytes.subarray(0, SAMPLE);
  if (sample.includes(0)) return utf16WithoutMark(sample) ?? "binary";
  if (isUtf8(bytes, partial)) return controls(sample) * 10 > sample.length ? "binary" : UTF8;
  if (controls(sample) * 20 > sample.length) return "binary";
  return guess(bytes.subarray(firstHigh(bytes)).subarray(0, SAMPLE));
}

/** Whether `encoding` needs to be named to a reader. */
export function isPlain(encoding: Encoding): boolean {
  return encoding.name === "UTF-8" && encoding.bom === 0 && !encoding.damaged;
}

/** Such as "UTF-16LE with BOM". */
export function encodingLabel(encoding: Encoding): string {
  const bom = encoding.bom > 0 ? " with BOM" : "";
  return encoding.name + bom + (encoding.damaged ? " with invalid bytes" : "");
}

/** The text of `bytes` without the mark. */
export function decodeText(bytes: Uint8Array, encoding: Encoding): string {
  const body = encoding.bom > 0 ? bytes.subarray(encoding.bom) : bytes;
  switch (encoding.name) {
    case "UTF-8":
      return encoding.damaged ? decodeBytes(body) : lenientUtf8.decode(body);
    case "UTF-16LE":
    case "UTF-16BE":
      return decodeUnits(body, encoding.name === "UTF-16LE");
    case "Latin-1":
      return new TextDecoder(LABEL["Latin-1"]).decode(body);
    case "Shift-JIS":
    case "GBK":
      return decodePairs(body, encoding.name);
  }
}

/** Says which character an encoding does not have. */
export class EncodeError extends Error {
  override readonly name = "EncodeError";
}

/** The bytes of `text`, without a mark. Throws {@link EncodeError}. */
export function encodeText(text: string, encoding: Encoding): Uint8Array<ArrayBuffer> {
  switch (encoding.name) {
    case "UTF-8":
      return encodeBytes(text);
    case "UTF-16LE":
    case "UTF-16BE":
      return encodeUnits(text, encoding.name === "UTF-16LE");
    case "Latin-1":
    case "Shift-JIS":
    case "GBK":
      return encodeByTable(text, encoding.name);
  }
}

/** A replacement of the units `start` to `end` of a text. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** `bytes`, whose text is `text`, with `splices` (in order, apart) made. Everything else is copied byte for byte. */
export function spliceBytes(
  bytes: Uint8Array,
  encoding: Encoding,
  text: string,
  splices: readonly Splice[],
  poll: () => void = () => {},
): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [];
  let done = 0;
  let unit = 0;
  let byte = encoding.bom;
  let copied = 0;
  for (const splice of splices) {
    if ((++done & 1023) === 0) poll();
    const start = byte + byteLength(bytes, byte, text, unit, splice.start, encoding);
    const end = start + byteLength(bytes, start, text, splice.start, splice.end, encoding);
    pieces.push(bytes.subarray(copied, start), encodeText(splice.text, encoding));
    unit = splice.end;
    byte = copied = end;
  }
  pieces.push(bytes.subarray(copied));
  return concatBytes(pieces);
}

/** How many bytes from `byte` on hold the units `from` to `to`. */
function byteLength(
  bytes: Uint8Array,
  byte: number,
  text: string,
  from: number,
  to: number,
  encoding: Encoding,
): number {
  switch (encoding.name) {
    case "UTF-8":
      return encodeBytes(text.slice(from, to)).length;
    case "UTF-16LE":
    case "UTF-16BE":
      return 2 * (to - from);
    case "Latin-1":
      return to - from;
    case "Shift-JIS":
    case "GBK": {
      let at = byte;
      for (let unit = from; unit < to;) {
        const length = pairLength(bytes, at, encoding.name);
        unit += length === 4 ? decodePairs(bytes.subarray(at, at + 4), encoding.name).length : 1;
        at += length;
      }
      return at - byte;
    }
  }
}

function isUtf8(bytes: Uint8Array, partial: boolean): boolean {
  const whole = partial ? bytes.subarray(0, wholeCharacters(bytes)) : bytes;
  // Decoding without complaint is several times faster; only what shows its mark needs the strict one.
  if (!lenientUtf8.decode(whole).includes("\ufffd")) return true;
  try {
    strictUtf8.decode(whole);
    return true;
  } catch {
    return false; // The answer that was asked for.
  }
}

/** The length without a last character that the end of the view may have cut. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back];
    if (byte >= 0xc0) return bytes.length - back;
    if (byte < 0x80) break;
  }
  return bytes.length;
}

/** Control bytes that texts do not have. */
function controls(sample: Uint8Array): number {
  let count = 0;
  for (const byte of sample) {
    if (byte < 0x20 && byte !== 0x1b && (byte < 0x08 || byte > 0x0d)) count++;
  }
  return count;
}

function firstHigh(bytes: Uint8Array): number {
  const at = bytes.findIndex((byte) => byte >= 0x80);
  return Math.max(0, at - 1);
}

/** UTF-16 without a mark shows by its zeros: every second byte of what is mostly Latin text. */
function utf16WithoutMark(sample: Uint8Array): Encoding | undefined {
  if (sample.length % 2 !== 0 || sample.length < 4) return undefined;
  let even = 0;
  let odd = 0;
  for (let i = 0; i < sample.length; i++) {
    if (sample[i] === 0) i % 2 === 0 ? even++ : odd++;
  }
  const half = sample.length / 2;
  if (odd > half * 0.6 && even === 0) return { name: "UTF-16LE", bom: 0, damaged: false };
  if (even > half * 0.6 && odd === 0) return { name: "UTF-16BE", bom: 0, damaged: false };
  return undefined;
}

/**
 * What a text that is not UTF-8 is. Mostly sound UTF-8 wins; else the two
 * double-byte encodings are weighed by how common their characters are, and a
 * text where single high bytes stand between ASCII is Latin-1.
 */
function guess(sample: Uint8Array): Encoding {
  const utf8 = utf8Balance(sample);
  if (utf8.sound * 2 > utf8.invalid) return { name: "UTF-8", bom: 0, damaged: true };
  const sjis = shiftJisScore(sample);
  const gbk = gbkScore(sample);
  if (Math.max(sjis, gbk) <= 0.5 || mostlySingle(sample)) {
    return { name: "Latin-1", bom: 0, damaged: false };
  }
  return { name: sjis >= gbk ? "Shift-JIS" : "GBK", bom: 0, damaged: false };
}

function utf8Balance(sample: Uint8Array): { sound: number; invalid: number } {
  const text = decodeBytes(sample);
  let sound = 0;
  let invalid = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xdc80 && unit <= 0xdcff && !(text.charCodeAt(i - 1) >> 10 === 0x36)) invalid++;
    else if (unit >= 0x80) sound++;
  }
  return { sound, invalid };
}

function mostlySingle(sample: Uint8Array): boolean {
  let runs = 0;
  let single = 0;
  for (let i = 0; i < sample.length; i++) {
    if (sample[i] < 0x80 || sample[i - 1] >= 0x80) continue;
    runs++;
    if (!(sample[i + 1] >= 0x80) && sample[i] >= 0xa0) single++;
  }
  return single * 2 > runs;
}

/** Mean commonness of the characters read as Shift-JIS; negative where it cannot be that. */
function shiftJisScore(sample: Uint8Array): number {
  let score = 0;
  let count = 0;
  for (let i = 0; i < sample.length; i++) {
    const lead = sample[i];
    if (lead < 0x80) continue;
    count++;
    if (lead >= 0xa1 && lead <= 0xdf) {
      score -= 0.5; // Half-width katakana: rare in files, and what GBK looks like when read as Shift-JIS.
      continue;
    }
    const trail = sample[++i];
    if (trail === undefined) break;
    if (lead === 0x80 || lead === 0xa0 || lead > 0xfc || trail < 0x40 || trail === 0x7f || trail > 0xfc) {
      return -1;
    }
    score += lead <= 0x84 || (lead >= 0x88 && lead <= 0x98) ? 2 : -0.5;
  }
  return count === 0 ? 0 : score / count;
}

/** The same for GBK. */
function gbkScore(sample: Uint8Array): number {
  let score = 0;
  let count = 0;
  for (let i = 0; i < sample.length; i++) {
    const lead = sample[i];
    if (lead < 0x80) continue;
    count++;
    const trail = sample[++i];
    if (trail === undefined) break;
    if (lead === 0x80 || lead === 0xff || trail < 0x30 || trail === 0x7f || trail === 0xff) return -1;
    if (trail < 0x80) score -= 1;
    else if (lead >= 0xb0 && lead <= 0xd7 && trail >= 0xa1) score += 2;
    else if (lead >= 0xa1 && lead <= 0xf7 && trail >= 0xa1) score += 1;
    else score -= 1;
  }
  return count === 0 ? 0 : score / count;
}

function decodeUnits(body: Uint8Array, little: boolean): string {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const units = new Uint16Array(body.length >> 1);
  for (let i = 0; i < units.length; i++) units[i] = view.getUint16(2 * i, little);
  let text = "";
  for (let i = 0; i < units.length; i += 8192) text += String.fromCharCode(...units.subarray(i, i + 8192));
  return text;
}

function encodeUnits(text: string, little: boolean): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(text.length * 2);
  const view = new DataView(out.buffer);
  for (let i = 0; i < text.length; i++) view.setUint16(2 * i, text.charCodeAt(i), little);
  return out;
}

type PairName = "Shift-JIS" | "GBK";

/** Decodes character by character as {@link pairLength} cuts them; what is no character becomes U+DC80 to U+DCFF. */
function decodePairs(body: Uint8Array, name: PairName): string {
  const decoder = new TextDecoder(LABEL[name], { fatal: true });
  try {
    const text = decoder.decode(body);
    // The decoder maps a few bytes to private characters; texts with those are walked like the damaged ones.
    if (!/[\ue000-\uf8ff]/.test(text)) return text;
  } catch {
    // Damaged somewhere: walk it.
  }
  let text = "";
  for (let at = 0; at < body.length;) {
    const length = pairLength(body, at, name);
    text += length === 1 && body[at] >= 0x80
      ? singleByte(body[at], name)
      : decoder.decode(body.subarray(at, at + length));
    at += length;
  }
  return text;
}

function singleByte(byte: number, name: PairName): string {
  if (name === "Shift-JIS" && byte >= 0xa1 && byte <= 0xdf) return String.fromCharCode(0xff61 + byte - 0xa1);
  return String.fromCharCode(0xdc00 | byte);
}

const isDecodable = new Map<PairName, TextDecoder>();

/** Bytes of the character at `at`: 1 for ASCII and for a byte that starts none. */
function pairLength(bytes: Uint8Array, at: number, name: PairName): number {
  const lead = bytes[at];
  if (lead < 0x80) return 1;
  if (name === "Shift-JIS" && lead >= 0xa1 && lead <= 0xdf) return 1;
  let decoder = isDecodable.get(name);
  if (decoder === undefined) isDecodable.set(name, decoder = new TextDecoder(LABEL[name], { fatal: true }));
  const lengths = name === "GBK" && bytes[at + 1] >= 0x30 && bytes[at + 1] <= 0x39 ? [4] : [2];
  for (const length of lengths) {
    if (at + length > bytes.length) continue;
    try {
      decoder.decode(bytes.subarray(at, at + length));
      return length;
    } catch {
      // No character: the byte stands for itself.
    }
  }
  return 1;
}

const tables = new Map<string, Map<string, number>>();

/** Character to bytes (one or two, as a number), made from the decoder. */
function table(name: "Latin-1" | PairName): Map<string, number> {
  const known = tables.get(name);
  if (known !== undefined) return known;
  const made = new Map<string, number>();
  const decoder = new TextDecoder(LABEL[name]);
  const add = (character: string, code: number) => {
    if (character.length === 1 && character !== "\ufffd" && !made.has(character)) made.set(character, code);
  };
  const single = new Uint8Array(1);
  for (let byte = 0; byte < 256; byte++) {
    single[0] = byte;
    add(decoder.decode(single), byte);
  }
  if (name !== "Latin-1") {
    for (let lead = 0x81; lead <= 0xfe; lead++) {
      // One row at a time, its pairs apart by line feeds, which no pair can swallow.
      const row = new Uint8Array(3 * 191);
      for (let k = 0; k < 191; k++) row.set([lead, 0x40 + k, 0x0a], 3 * k);
      decoder.decode(row).split("\n").forEach((character, k) => add(character, lead << 8 | 0x40 + k));
    }
  }
  tables.set(name, made);
  return made;
}

function encodeByTable(text: string, name: "Latin-1" | PairName): Uint8Array<ArrayBuffer> {
  const codes = table(name);
  const out = new Uint8Array(text.length * 2);
  let at = 0;
  for (const character of text) {
    const unit = character.charCodeAt(0);
    if (character.length === 1 && unit >= 0xdc80 && unit <= 0xdcff) {
      out[at++] = unit & 0xff;
      continue;
    }
    const code = codes.get(character);
    if (code === undefined) {
      const hex = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
      throw new EncodeError(`${name} has no character "${character.toWellFormed()}" (U+${hex})`);
    }
    if (code > 0xff) out[at++] = code >> 8;
    out[at++] = code & 0xff;
  }
  return out.slice(0, at);
}
