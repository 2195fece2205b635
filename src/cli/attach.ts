/** `--attach`: images and PDFs become part of the message, text files come with their name; a long one is handed over to be read. */
import type { PromptPart } from "../engine/op.ts";
import { describeBriefly } from "../lib/errors.ts";
import { UsageError } from "./args.ts";

/** Providers take no larger ones. */
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
const MAX_TEXT_BYTES = 256 * 1024;

/** First bytes -> media type. */
const MAGIC: readonly [string, (b: Uint8Array) => boolean][] = [
  ["image/png", (b) => b[0] === 0x89 && b[1] === 0x50 && b[2] === 0x4e && b[3] === 0x47],
  ["image/jpeg", (b) => b[0] === 0xff && b[1] === 0xd8 && b[2] === 0xff],
  ["image/gif", (b) => b[0] === 0x47 && b[1] === 0x49 && b[2] === 0x46 && b[3] === 0x38],
  ["image/webp", (b) => ascii(b, 0, 4) === "RIFF" && ascii(b, 8, 12) === "WEBP"],
];

const ascii = (bytes: Uint8Array, from: number, to: number) =>
  String.fromCharCode(...bytes.subarray(from, to));

/** Reads the files. Throws UsageError where one cannot be handed over. */
export async function readAttachments(paths: readonly string[]): Promise<PromptPart[]> {
  const parts: PromptPart[] = [];
  for (const path of paths) {
    let bytes: Uint8Array;
    try {
      const stat = await Deno.stat(path);
      if (!stat.isFile) throw new UsageError(`Cannot attach "${path}": it is not a file`);
      if (stat.size > MAX_IMAGE_BYTES) {
        throw new UsageError(
          `Cannot attach "${path}": it has more than ${MAX_IMAGE_BYTES >> 20} MiB`,
          "A file of the workspace can be named in the prompt: the model reads of it what it needs",
        );
      }
      bytes = await Deno.readFile(path);
    } catch (error) {
      if (error instanceof UsageError) throw error;
      throw new UsageError(`Cannot attach "${path}": ${describeBriefly(error)}`);
    }
    parts.push(partOf(path, bytes));
  }
  return parts;
}

function partOf(path: string, bytes: Uint8Array): PromptPart {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const image = MAGIC.find(([, is]) => is(bytes));
  if (image !== undefined) return { type: "image", mediaType: image[0], data: bytes.toBase64(), name };
  if (ascii(bytes, 0, 5) === "%PDF-") {
    return { type: "document", mediaType: "application/pdf", data: bytes.toBase64(), name };
  }
  if (bytes.includes(0)) {
    throw new UsageError(
      `Cannot attach "${path}": it is neither an image (png, jpeg, gif, webp), a PDF, nor a text`,
    );
  }
  return textPart(name, new TextDecoder().decode(bytes));
}

/** A text with its name; one that is too much for every request is handed over: the model reads of it what it needs. */
export function textPart(name: string, text: string): PromptPart {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > MAX_TEXT_BYTES) return { type: "content", name, data: bytes.toBase64() };
  return { type: "paste", text: `\n<file name="${name}">\n${text.trimEnd()}\n</file>\n` };
}
