/**
 * Reads a small text file that somebody else may have put there: never waits
 * on a FIFO or a device, never reads more than a bound, never guesses bytes.
 */

import { existsSync } from "node:fs";
import { describe } from "../errors.ts";

/** `size` counts the bytes of the whole file, also where `cut` says that only the beginning was read. */
type PlainText =
  | { readonly type: "text"; readonly text: string; readonly size: number; readonly cut: boolean }
  | { readonly type: "absent" }
  /** It is there and cannot be used; `why` fits behind "path: ". */
  | { readonly type: "unusable"; readonly why: string };

/** Reads at most `limit` bytes of UTF-8, or of UTF-16 with its BOM; the BOM is left out and CRLF becomes LF. */
export function readPlainText(path: string, limit: number): PlainText {
  let stat: Deno.FileInfo;
  try {
    stat = Deno.statSync(path);
  } catch (error) {
    return error instanceof Deno.errors.NotFound || isNotDir(error)
      ? { type: "absent" }
      : { type: "unusable", why: reason(error) };
  }
  if (stat.isDirectory) return { type: "unusable", why: "is a folder" };
  if (!stat.isFile) return { type: "unusable", why: "is not a plain file" };
  let bytes: Uint8Array;
  try {
    bytes = readUpTo(path, Math.min(stat.size, limit));
  } catch (error) {
    return { type: "unusable", why: reason(error) };
  }
  const encoding = encodingOf(bytes);
  if (encoding === "utf-8" && bytes.includes(0)) return { type: "unusable", why: "is binary" };
  const cut = stat.size > limit;
  try {
    // `stream` leaves out a character that the bound cut in two.
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: cut });
    return { type: "text", text: text.replaceAll("\r\n", "\n"), size: stat.size, cut };
  } catch {
    return { type: "unusable", why: `is not ${encoding.toUpperCase()}` };
  }
}

/** What the first bytes say. */
function encodingOf(bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
}

/** The path without links; undefined where it does not exist. */
export function realPath(path: string): string | undefined {
  // An error takes ten times as long as a look.
  if (!existsSync(path)) return undefined;
  try {
    return Deno.realPathSync(path);
  } catch {
    return undefined;
  }
}

/** Whether something stands at the path, links followed. */
export function exists(path: string): boolean {
  return existsSync(path);
}

/** What a folder holds, folders marked (links may lead to some), sorted; undefined where it cannot be listed. */
export function listFolder(path: string): { name: string; folder: boolean; link: boolean }[] | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return [...Deno.readDirSync(path)].map((entry) => ({
      name: entry.name,
      folder: entry.isDirectory,
      link: entry.isSymlink,
    })).sort((a, b) => a.name < b.name ? -1 : 1);
  } catch {
    return undefined;
  }
}

function readUpTo(path: string, size: number): Uint8Array {
  using file = Deno.openSync(path);
  const bytes = new Uint8Array(size);
  let at = 0;
  while (at < size) {
    const n = file.readSync(bytes.subarray(at));
    if (n === null) break;
    at += n;
  }
  return bytes.subarray(0, at);
}

function isNotDir(error: unknown): boolean {
  return error instanceof Error && /not a directory/i.test(error.message);
}

function reason(error: unknown): string {
  if (error instanceof Deno.errors.PermissionDenied) return "may not be read";
  if (
    error instanceof Deno.errors.FilesystemLoop ||
    (error instanceof Error && /too many levels/i.test(error.message))
  ) {
    return "is a ring of links";
  }
  return describe(error);
}
