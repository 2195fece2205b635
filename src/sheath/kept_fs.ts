/**
 * A guarded file system that has everything kept before it changes it, so that
 * it can be put back. The main isolate does the keeping; the worker stands
 * still meanwhile. Within a call a path is kept once: what counts is what
 * stood there before the call.
 */
import type { HostFile, HostFs, OpenOptions } from "../shell/host.ts";
import type { GuardedFs } from "../sandbox/mod.ts";

export interface KeepOptions {
  readonly fs: GuardedFs;
  /** The call that the changes belong to, and whether it is still open. */
  call(): { readonly number: number; readonly open: boolean };
  /** Has it kept; it is when this returns. */
  keep(call: number, path: string, tree: boolean): void;
}

/** Links that are followed to find where a new file will lie. */
const MAX_LINKS = 20;

export function createKeptFs({ fs, call, keep }: KeepOptions): GuardedFs {
  let kept = new Set<string>();
  /** Where folders lead, by what was seen of them or of others: compared before it is believed. */
  let folders = new Map<string, string>();
  let keptFor = -1;

  /** Where the path leads, as far as it exists; undefined for what is no file or may not be looked at. */
  function placeOf(path: string, follow: boolean, links = 0): string | undefined {
    if (path.startsWith("/dev/")) return undefined;
    const plain = path.replace(/(?<=.)\/+$/, "");
    const cut = plain.lastIndexOf("/");
    const folder = cut <= 0 ? "/" : plain.slice(0, cut);
    try {
      if (/(^|\/)\.\.?$/.test(plain)) return fs.realPath(plain);
      const place = `${folderOf(folder).replace(/\/$/, "")}/${plain.slice(cut + 1)}`;
      if (!follow || links > MAX_LINKS || !isLink(place)) return place;
      const target = fs.readLink(place);
      return placeOf(target.startsWith("/") ? target : `${folder}/${target}`, true, links + 1);
    } catch {
      return undefined; // the operation itself says what is wrong
    }
  }

  /**
   * The real path of a folder. That is asked of the system once, and then only
   * whether it is still the same folder: the whole way is long in deep trees.
   */
  function folderOf(path: string): string {
    const cut = path.lastIndexOf("/");
    const above = cut > 0 && !/\/\.{0,2}$/.test(path) ? folders.get(path.slice(0, cut)) : undefined;
    const likely = folders.get(path) ??
      (above === undefined ? undefined : above.replace(/\/$/, "") + path.slice(cut));
    const place = likely !== undefined && isSameFolder(path, likely) ? likely : fs.realPath(path);
    // What is removed is left upwards, so the folders above are guessed as well.
    for (let [from, to] = [path, place]; from !== "" && to !== "";) {
      folders.set(from, to);
      const [a, b] = [from.lastIndexOf("/"), to.lastIndexOf("/")];
      if (from.slice(a) !== to.slice(b)) break;
      [from, to] = [from.slice(0, a), to.slice(0, b)];
      if (folders.has(from)) break;
    }
    return place;
  }

  function isSameFolder(path: string, place: string): boolean {
    try {
      const there = fs.lstat(place);
      if (there.kind !== "dir") return false;
      const found = path === place ? there : fs.stat(path);
      return found.ino === there.ino && found.dev === there.dev;
    } catch {
      return false; // it is looked at as a whole
    }
  }

  function isLink(path: string): boolean {
    try {
      return fs.lstat(path).kind === "symlink";
    } catch {
      return false; // not there yet
    }
  }

  function before(path: string, follow: boolean, tree = false): void {
    const place = placeOf(path, follow);
    if (place !== undefined) keepPlace(place, tree);
  }

  function keepPlace(place: string, tree: boolean): void {
    const { number, open } = call();
    if (number !== keptFor) {
      kept = new Set();
      folders = new Map();
      keptFor = number;
    }
    // What a background command does after its call belongs to whatever comes: there it may be the first time again.
    if (open && kept.has(place)) return;
    keep(number, place, tree);
    if (open) kept.add(place);
  }

  /**
   * A file that stays open over the end of its call (`exec 3>log`) is kept
   * again before a later call writes to it. The object itself is changed: who
   * hands files on knows them by it.
   */
  function watched(file: HostFile, place: string): HostFile {
    const { write, truncate } = file;
    file.write = (bytes) => {
      keepPlace(place, false);
      return write.call(file, bytes);
    };
    file.truncate = (length) => {
      keepPlace(place, false);
      return truncate.call(file, length);
    };
    return file;
  }

  function changes(wanted: OpenOptions): boolean {
    return Boolean(wanted.write || wanted.append || wanted.truncate || wanted.create);
  }

  const guarded: HostFs = {
    ...fs,
    open(path, wanted) {
      if (!changes(wanted)) return fs.open(path, wanted);
      const place = placeOf(path, !(wanted.create && wanted.exclusive));
      if (place === undefined) return fs.open(path, wanted);
      keepPlace(place, false);
      const file = fs.open(path, wanted);
      return file instanceof Promise ? file.then((made) => watched(made, place)) : watched(file, place);
    },
    mkdir(path, mode) {
      before(path, false);
      return fs.mkdir(path, mode);
    },
    unlink(path) {
      before(path, false);
      return fs.unlink(path);
    },
    rmdir(path) {
      before(path, false);
      return fs.rmdir(path);
    },
    rename(from, to) {
      before(from, false, true);
      before(to, false, true);
      return fs.rename(from, to);
    },
    link(existing, path) {
      before(path, false);
      return fs.link(existing, path);
    },
    symlink(target, path) {
      before(path, false);
      return fs.symlink(target, path);
    },
    chmod(path, mode) {
      before(path, true);
      return fs.chmod(path, mode);
    },
    truncate(path, length) {
      before(path, true);
      return fs.truncate(path, length);
    },
  };
  return { ...guarded, forget: fs.forget, opened: fs.opened };
}
