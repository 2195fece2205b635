/**
 * Text that may hold bytes which are not UTF-8. Such a byte 0xNN becomes the
 * lone surrogate U+DCNN and is turned back into that byte when encoded, so
 * that a round trip never loses anything (the scheme of Python's PEP 383).
 */

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
const ESCAPED = /[\udc80-\udcff]/;

/** Decodes UTF-8; each invalid byte becomes U+DC80 to U+DCFF. */
export function decodeBytes(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return decodeEscaping(bytes);
  }
}

/** Encodes to UTF-8; lone surrogates U+DC80 to U+DCFF become the byte they stand for. */
export function encodeBytes(text: string): Uint8Array<ArrayBuffer> {
  if (!ESCAPED.test(text) || text.isWellFormed()) return encoder.encode(text);
  const out = new Uint8Array(text.length * 3);
  let at = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff && i + 1 < text.length) {
      const next = text.charCodeAt(i + 1);
      if (next >= 0xdc00 && next <= 0xdfff) {
        i++;
        continue;
      }
    }
    if (unit < 0xdc80 || unit > 0xdcff) continue;
    at += encoder.encodeInto(text.slice(start, i), out.subarray(at)).written;
    out[at++] = unit & 0xff;
    start = i + 1;
  }
  at += encoder.encodeInto(text.slice(start), out.subarray(at)).written;
  return out.slice(0, at);
}

function decodeEscaping(bytes: Uint8Array): string {
  let out = "";
  let start = 0;
  let i = 0;
  while (i < bytes.length) {
    const length = sequenceLength(bytes, i);
    if (length > 0) {
      i += length;
      continue;
    }
    if (i > start) out += strict.decode(bytes.subarray(start, i));
    out += String.fromCharCode(0xdc00 | bytes[i]);
    start = ++i;
  }
  return start < i ? out + strict.decode(bytes.subarray(start, i)) : out;
}

/** Length of the well-formed UTF-8 sequence at `i`, or 0 (Unicode 15, table 3-7). */
function sequenceLength(b: Uint8Array, i: number): number {
  const first = b[i];
  if (first < 0x80) return 1;
  const tail = (k: number, low = 0x80, high = 0xbf) => b[i + k] >= low && b[i + k] <= high;
  if (first >= 0xc2 && first <= 0xdf) return tail(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const ok = tail(
      1,
      first === 0xe0 ? 0xa0 : 0x80,
      first === 0xed ? 0x9f : 0xbf,
    );
    return ok && tail(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const ok = tail(
      1,
      first === 0xf0 ? 0x90 : 0x80,
      first === 0xf4 ? 0x8f : 0xbf,
    );
    return ok && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}
