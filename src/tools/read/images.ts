/** Pictures that models take, told by their first bytes. */
import type { ImagePart } from "../../llm/message.ts";

/** Bytes of a picture that can be sent as it is; servers refuse more than 5 MB of base64. */
export const MAX_IMAGE = 3_750_000;

/** The media type of a picture, or undefined. */
export function imageType(head: Uint8Array): string | undefined {
  const starts = (...bytes: number[]) => bytes.every((byte, index) => head[index] === byte);
  if (starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return "image/png";
  if (starts(0xff, 0xd8, 0xff)) return "image/jpeg";
  if (starts(0x47, 0x49, 0x46, 0x38)) return "image/gif";
  const riff = starts(0x52, 0x49, 0x46, 0x46) &&
    [0x57, 0x45, 0x42, 0x50].every((byte, i) => head[8 + i] === byte);
  return riff ? "image/webp" : undefined;
}

export function imagePart(bytes: Uint8Array, mediaType: string): ImagePart {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return { type: "image", mediaType, data: btoa(text) };
}
