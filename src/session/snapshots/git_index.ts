/**
 * The paths that git tracks, out of its index file (versions 2 to 4): a
 * tracked file is not ignored, whatever the ignore files say. Read only.
 */

export interface Tracked {
  /** Paths below the repository's root, `/`-separated. */
  readonly files: ReadonlySet<string>;
  /** The folders that they are in. */
  readonly folders: ReadonlySet<string>;
}

export const NOTHING_TRACKED: Tracked = { files: new Set(), folders: new Set() };

/** Bytes of an entry before its name: times, device, inode, mode, owner, size. */
const FIXED = 40;
const decoder = new TextDecoder();

/** Reads an index; what is no index that can be read tracks nothing. */
export function parseIndex(bytes: Uint8Array): Tracked {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < 12 || decoder.decode(bytes.subarray(0, 4)) !== "DIRC") return NOTHING_TRACKED;
  const version = view.getUint32(4);
  if (version < 2 || version > 4) return NOTHING_TRACKED;
  const files = new Set<string>();
  // Indexes of SHA-256 repositories have longer names of objects; the first entry tells which fits.
  for (const hashLength of [20, 32]) {
    files.clear();
    if (readEntries(bytes, view, version, hashLength, files)) return { files, folders: foldersOf(files) };
  }
  return NOTHING_TRACKED;
}

function readEntries(
  bytes: Uint8Array,
  view: DataView,
  version: number,
  hashLength: number,
  files: Set<string>,
): boolean {
  const count = view.getUint32(8);
  let at = 12;
  let previous = new Uint8Array(0);
  for (let n = 0; n < count; n++) {
    const start = at;
    at += FIXED + hashLength;
    if (at + 2 > bytes.length) return false;
    const flags = view.getUint16(at);
    at += flags & 0x4000 && version > 2 ? 4 : 2;
    let keep = 0;
    if (version === 4) {
      // The name is the last one with so many bytes cut off, and more behind it.
      let byte = bytes[at++];
      let cut = byte & 127;
      while (byte & 128) {
        byte = bytes[at++];
        cut = ((cut + 1) << 7) + (byte & 127);
      }
      keep = previous.length - cut;
      if (keep < 0) return false;
    }
    const end = bytes.indexOf(0, at);
    if (end < 0) return false;
    const name = new Uint8Array(keep + end - at);
    name.set(previous.subarray(0, keep));
    name.set(bytes.subarray(at, end), keep);
    previous = name;
    if (name.length === 0 || (version < 4 && (flags & 0xfff) < 0xfff && (flags & 0xfff) !== name.length)) {
      return false;
    }
    files.add(decoder.decode(name));
    at = version === 4 ? end + 1 : start + ((end - start + 8) & ~7);
  }
  return true;
}

function foldersOf(files: ReadonlySet<string>): Set<string> {
  const folders = new Set<string>();
  for (const file of files) {
    for (let cut = file.lastIndexOf("/"); cut > 0; cut = file.lastIndexOf("/", cut - 1)) {
      const folder = file.slice(0, cut);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}
