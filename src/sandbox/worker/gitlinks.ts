/**
 * Repositories inside of a repository that its index names (submodules):
 * `git status` in the outer one starts git in each of them, and that heeds
 * their own configuration, `core.fsmonitor` among it. So one that a program
 * adds or changes is worth a word. Reads the index as git describes it
 * (gitformat-index, versions 2 to 4, SHA-1 and SHA-256).
 */
import { HostError, type HostFs } from "../../shell/host.ts";

type Looks = Pick<HostFs, "lstat" | "readStart">;

const GITLINK = 0o160000;
/** Where in an entry the mode stands, and where the hash begins. */
const [MODE_AT, HASH_AT] = [24, 40];
const EXTENDED = 0x4000;
/** Bytes of an index that is read. */
const MOST = 64 * 1024 * 1024;

export interface Gitlinks {
  /** The repositories that are new, or have another configuration, since the last time; absolute. */
  news(): string[];
}

/** Looks at the repository in `top` now, and at each `news` again. */
export function watchGitlinks(top: string, fs: Looks): Gitlinks {
  let index = "";
  let links: readonly string[] = [];
  function look(): ReadonlyMap<string, string> {
    const now = stamp(fs, `${top}/.git/index`);
    if (now !== index) {
      index = now;
      links = readLinks(fs, `${top}/.git/index`);
    }
    return new Map(links.map((path) => [path, configuration(fs, `${top}/${path}`)]));
  }
  let known = look();
  return {
    news() {
      const now = look();
      const news = [...now].filter(([path, state]) => state !== "" && known.get(path) !== state);
      // One that was looked at and is gone may come back as another.
      known = now;
      return news.map(([path]) => `${top}/${path}/.git`);
    },
  };
}

/** What of a repository is not changed by working in it; empty where there is none. */
function configuration(fs: Looks, path: string): string {
  const own = stamp(fs, `${path}/.git/config`);
  return own !== "" ? own : stamp(fs, `${path}/.git`);
}

function stamp(fs: Looks, path: string): string {
  try {
    const { kind, dev, ino, size, mtimeMs, ctimeMs } = fs.lstat(path);
    return kind === "dir" ? `dir ${dev} ${ino}` : `${kind} ${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  } catch (error) {
    if (error instanceof HostError) return "";
    throw error;
  }
}

function readLinks(fs: Looks, path: string): string[] {
  try {
    const { kind, size } = fs.lstat(path);
    if (kind !== "file" || size > MOST) return [];
    const bytes = new Uint8Array(size);
    const length = fs.readStart?.(path, bytes) ?? 0;
    return gitlinks(bytes.subarray(0, length));
  } catch (error) {
    if (error instanceof HostError) return [];
    throw error;
  }
}

/** Paths of the repositories that an index names; none where it cannot be read. */
export function gitlinks(index: Uint8Array): string[] {
  return entries(index, 20) ?? entries(index, 32) ?? [];
}

function entries(index: Uint8Array, hashLength: number): string[] | undefined {
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  if (index.length < 12 || view.getUint32(0) !== 0x44495243) return undefined;
  const version = view.getUint32(4);
  const decoder = new TextDecoder();
  const links: string[] = [];
  let last = new Uint8Array(0);
  let at = 12;
  for (let left = view.getUint32(8); left > 0; left--) {
    const flagsAt = at + HASH_AT + hashLength;
    if (flagsAt + 4 > index.length) return undefined;
    const mode = view.getUint32(at + MODE_AT);
    // A mode that git does not know: the hashes have another length.
    if (![0o10, 0o4, 0o12, 0o16].includes(mode >> 12)) return undefined;
    const extended = version > 2 && (view.getUint16(flagsAt) & EXTENDED) !== 0;
    let from = flagsAt + (extended ? 4 : 2);
    let kept = 0;
    if (version === 4) {
      // How much of the path before is cut off, seven bits a byte, each step but the first one more.
      let cut = index[from] & 0x7f;
      while (index[from++] & 0x80) cut = ((cut + 1) << 7) | (index[from] & 0x7f);
      kept = last.length - cut;
    }
    const end = index.indexOf(0, from);
    if (end < 0 || kept < 0) return undefined;
    const isLink = mode === GITLINK;
    if (isLink || version === 4) {
      const path = new Uint8Array(kept + end - from);
      path.set(last.subarray(0, kept));
      path.set(index.subarray(from, end), kept);
      last = path;
      if (isLink) links.push(decoder.decode(path));
    }
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
  return links;
}
