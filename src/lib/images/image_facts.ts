/**
 * Pictures, told by their first bytes and looked at as far
 * as a server would refuse them: a broken or oversized one in a conversation
 * would make every later request fail.
 */

/** Bytes of a picture that can be sent as it is; servers refuse more than 5 MB of base64. */
const MAX_IMAGE = 3_750_000;
/** The longest side that is sent: servers scale down what is longer, or refuse it among others. */
const MAX_SIDE = 2000;
/** Pixels of a picture that is worth the memory to make it smaller. */
export const MAX_PIXELS = 40_000_000;
/** What models take as it is. */
const SENT_AS_IS: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
]);

/** What a picture that is scaled must keep to. */
export const IMAGE_BOUNDS = { maxSide: MAX_SIDE, maxBytes: MAX_IMAGE } as const;

/** Width and height in pixels, as the file's head says. */
export interface ImageFacts {
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
}

/** What kind of picture it is and how large; "broken" for one that begins as a picture and is none; undefined for all else. */
export function imageFacts(bytes: Uint8Array): ImageFacts | "broken" | undefined {
  const mediaType = imageType(bytes);
  if (mediaType === undefined) return undefined;
  const size = SIZES[mediaType](bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (size === undefined || size[0] < 1 || size[1] < 1) return "broken";
  return { mediaType, width: size[0], height: size[1] };
}

/** Whether a picture of so many bytes can be sent as it is. */
export function isSentAsIs({ mediaType, width, height }: ImageFacts, bytes: number): boolean {
  return bytes <= MAX_IMAGE && Math.max(width, height) <= MAX_SIDE && SENT_AS_IS.has(mediaType);
}

/** The media type of what begins as a picture. */
export function imageType(head: Uint8Array): string | undefined {
  const has = (at: number, text: string) => [...text].every((sign, i) => head[at + i] === sign.charCodeAt(0));
  if (has(0, "\x89PNG\r\n\x1a\n")) return "image/png";
  if (has(0, "\xff\xd8\xff")) return "image/jpeg";
  if (has(0, "GIF87a") || has(0, "GIF89a")) return "image/gif";
  // Two letters alone begin many a text: the size of the second header is one of few numbers.
  if (has(0, "BM") && [12, 40, 52, 56, 64, 108, 124].includes(head[14]) && head[15] === 0) return "image/bmp";
  return has(0, "RIFF") && has(8, "WEBP") ? "image/webp" : undefined;
}

type Size = readonly [number, number] | undefined;

const SIZES: Readonly<Record<string, (bytes: Uint8Array, view: DataView) => Size>> = {
  "image/png": pngSize,
  "image/jpeg": jpegSize,
  "image/gif": (bytes, view) =>
    bytes.length < 14 ? undefined : [view.getUint16(6, true), view.getUint16(8, true)],
  "image/webp": webpSize,
  "image/bmp": bmpSize,
};

function bmpSize(bytes: Uint8Array, view: DataView): Size {
  if (bytes.length < 30) return undefined;
  return bytes[14] === 12
    ? [view.getUint16(18, true), view.getUint16(20, true)]
    // A negative height means that the rows stand from top to bottom.
    : [view.getInt32(18, true), Math.abs(view.getInt32(22, true))];
}

/** Walks the chunks: a picture that was cut off has no last one. */
function pngSize(bytes: Uint8Array, view: DataView): Size {
  let size: Size;
  for (let at = 8; at + 12 <= bytes.length;) {
    const length = view.getUint32(at);
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    if (type === "IHDR" && length >= 8) size = [view.getUint32(at + 8), view.getUint32(at + 12)];
    if (type === "IEND") return size;
    at += 12 + length;
  }
  return undefined;
}

/** Walks the segments up to the frame header, and looks for the end mark. */
function jpegSize(bytes: Uint8Array, view: DataView): Size {
  for (let at = 2; at + 9 < bytes.length;) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1];
    if (marker === 0xff) {
      at++;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) {
      const ends = bytes.lastIndexOf(0xd9);
      return ends > at && bytes[ends - 1] === 0xff
        ? [view.getUint16(at + 7), view.getUint16(at + 5)]
        : undefined;
    }
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

function webpSize(bytes: Uint8Array, view: DataView): Size {
  if (bytes.length < 30 || view.getUint32(4, true) + 8 > bytes.length) return undefined;
  switch (String.fromCharCode(...bytes.subarray(12, 16))) {
    case "VP8 ":
      return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
    case "VP8L": {
      const bits = view.getUint32(21, true);
      return [(bits & 0x3fff) + 1, (bits >>> 14 & 0x3fff) + 1];
    }
    case "VP8X":
      return [(view.getUint32(24, true) & 0xffffff) + 1, (view.getUint32(26, true) >>> 8) + 1];
    default:
      return undefined;
  }
}
