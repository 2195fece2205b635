/**
 * `--attach`: pictures and PDFs become part of the message, text files come
 * with their name; a long one is handed over to be read. A picture that a
 * server would refuse is never sent, since it would make each later request
 * of the session fail: it is scaled, or refused here.
 */
import type { PromptPart } from "../engine/op.ts";
import { describeBriefly } from "../lib/errors.ts";
import {
  IMAGE_BOUNDS,
  type ImageFacts,
  imageFacts,
  imageType,
  isSentAsIs,
  MAX_PIXELS,
} from "../lib/images/image_facts.ts";
import { counted, grouped } from "../lib/text/count.ts";
import { UsageError } from "./args.ts";

/** Providers take no larger PDFs, and a text of this size is no part of a message. */
const MAX_BYTES = 5 * 1024 * 1024;
/** A picture that is worth the memory to make it smaller. */
const MAX_IMAGE_BYTES = 32 * 1024 * 1024;
const MAX_TEXT_BYTES = 256 * 1024;
/** Bytes that tell what a file is. */
const HEAD_BYTES = 32;

/** Reads the files. Throws UsageError where one cannot be handed over. */
export async function readAttachments(paths: readonly string[]): Promise<PromptPart[]> {
  const parts: PromptPart[] = [];
  for (const path of paths) parts.push(await partOf(path, await readWhole(path)));
  return parts;
}

async function readWhole(path: string): Promise<Uint8Array> {
  try {
    const stat = await Deno.stat(path);
    if (!stat.isFile) throw new UsageError(`Cannot attach "${path}": it is not a file`);
    if (stat.size > MAX_BYTES) refuseLong(path, stat.size, imageType(await headOf(path)) !== undefined);
    return await Deno.readFile(path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`Cannot attach "${path}": ${describeBriefly(error)}`);
  }
}

function refuseLong(path: string, size: number, image: boolean): void {
  const most = image ? MAX_IMAGE_BYTES : MAX_BYTES;
  if (size <= most) return;
  throw new UsageError(
    `Cannot attach "${path}": it has more than ${most >> 20} MiB`,
    image
      ? SMALLER_COPY
      : "A file of the workspace can be named in the prompt: the model reads of it what it needs",
  );
}

const SMALLER_COPY = "Make a smaller copy, and attach that";

async function headOf(path: string): Promise<Uint8Array> {
  using file = await Deno.open(path);
  const head = new Uint8Array(HEAD_BYTES);
  return head.subarray(0, await file.read(head) ?? 0);
}

async function partOf(path: string, bytes: Uint8Array): Promise<PromptPart> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const image = imageFacts(bytes);
  if (image !== undefined) return await imagePart(path, name, bytes, image);
  if (String.fromCharCode(...bytes.subarray(0, 5)) === "%PDF-") {
    return { type: "document", mediaType: "application/pdf", data: bytes.toBase64(), name };
  }
  if (bytes.includes(0)) {
    throw new UsageError(
      `Cannot attach "${path}": it is neither a picture (png, jpeg, gif, webp, bmp), a PDF, nor a text`,
    );
  }
  return textPart(name, decoded(path, bytes));
}

/** The picture as it is, or scaled to what servers take. */
async function imagePart(
  path: string,
  name: string,
  bytes: Uint8Array,
  image: ImageFacts | "broken",
): Promise<PromptPart> {
  if (image === "broken") {
    throw new UsageError(
      `Cannot attach "${path}": it begins as a picture and is none, or is cut off (${
        counted(bytes.length, "byte")
      })`,
      "Save or download it anew",
    );
  }
  const { mediaType, width, height } = image;
  if (isSentAsIs(image, bytes.length)) return { type: "image", mediaType, data: bytes.toBase64(), name };
  if (width * height > MAX_PIXELS) {
    throw new UsageError(
      `Cannot attach "${path}": it has ${grouped(width)} × ${grouped(height)} pixels, ` +
        `and at most ${grouped(MAX_PIXELS)} in all can be scaled down`,
      SMALLER_COPY,
    );
  }
  const { scaleImage } = await import("../lib/images/scale_image.ts");
  const scaled = scaleImage(bytes, mediaType, IMAGE_BOUNDS);
  if (scaled === undefined) {
    throw new UsageError(`Cannot attach "${path}": it cannot be read as a picture`, SMALLER_COPY);
  }
  return { type: "image", mediaType: scaled.mediaType, data: scaled.bytes.toBase64(), name };
}

/** What is no UTF-8 would reach the model with its signs replaced, and nobody would know. */
function decoded(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(
      `Cannot attach "${path}": it is no text in UTF-8`,
      "A text in another encoding becomes one so: iconv -f LATIN1 -t UTF-8 FILE",
    );
  }
}

/** A text with its name; one that is too much for every request is handed over: the model reads of it what it needs. */
export function textPart(name: string, text: string): PromptPart {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > MAX_TEXT_BYTES) return { type: "content", name, data: bytes.toBase64() };
  return { type: "paste", text: `\n<file name="${name}">\n${text.trimEnd()}\n</file>\n` };
}
