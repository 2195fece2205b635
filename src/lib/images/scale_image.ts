/**
 * Makes pictures fit for models: smaller where they are too large, and in a
 * format that every model takes. The library is loaded at the first picture
 * that needs it; its code is WebAssembly that comes with the program and
 * reaches nothing but the picture.
 */
import { initPhoton, PhotonImage, resize, SamplingFilter } from "@cf-wasm/photon";
import wasm from "@cf-wasm/photon/photon.wasm" with { type: "bytes" };

/** The new file; width and height in pixels. */
interface ScaledImage {
  readonly bytes: Uint8Array;
  readonly mediaType: "image/png" | "image/jpeg";
  readonly width: number;
  readonly height: number;
}

/** Tried in turn where a picture is still too big as a file. */
const QUALITIES = [85, 70, 50];

let ready = false;

/** At most `maxSide` on a side and `maxBytes` as a file; undefined where the picture cannot be read or made small enough. */
export function scaleImage(
  bytes: Uint8Array,
  mediaType: string,
  { maxSide, maxBytes }: { readonly maxSide: number; readonly maxBytes: number },
): ScaledImage | undefined {
  if (!ready) {
    initPhoton.sync({ module: new WebAssembly.Module(wasm) });
    ready = true;
  }
  let image: PhotonImage;
  try {
    image = PhotonImage.new_from_byteslice(bytes);
  } catch {
    return undefined; // No picture after all, or one of a kind that the library does not know.
  }
  try {
    image = fitted(image, maxSide);
    const [width, height] = [image.get_width(), image.get_height()];
    // Photographs stay what they are; everything else keeps its sharp edges, unless it is too big so.
    if (mediaType !== "image/jpeg") {
      const png = image.get_bytes();
      if (png.length <= maxBytes) return { bytes: png, mediaType: "image/png", width, height };
    }
    for (const quality of QUALITIES) {
      const jpeg = image.get_bytes_jpeg(quality);
      if (jpeg.length <= maxBytes) return { bytes: jpeg, mediaType: "image/jpeg", width, height };
    }
    return undefined;
  } finally {
    image.free();
  }
}

function fitted(image: PhotonImage, maxSide: number): PhotonImage {
  const [width, height] = [image.get_width(), image.get_height()];
  const scale = maxSide / Math.max(width, height);
  if (scale >= 1) return image;
  const side = (length: number) => Math.max(1, Math.round(length * scale));
  const smaller = resize(image, side(width), side(height), SamplingFilter.CatmullRom);
  image.free();
  return smaller;
}
