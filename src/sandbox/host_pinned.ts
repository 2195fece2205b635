/**
 * Files behind descriptors that are held (Linux): what is reached is what
 * stands at the path, whoever swaps folders and links meanwhile. Each path
 * that comes here has been resolved and judged, so it holds no link. The
 * folder is opened first, and where it really lies is asked of the kernel:
 * only if that is the path, the operation is done, on a name in that held
 * folder and without following what stands there. A path with a link in it is
 * refused, before anything is touched.
 *
 * Descriptors end with the operation, those of open files with the file.
 */
import {
  type DirEntry,
  type FileStat,
  HostError,
  type HostFile,
  type HostFs,
  type OpenOptions,
} from "../shell/host.ts";
import { isWithin } from "./glob.ts";
import { attempt, hostError } from "./host_error.ts";
import {
  type Identity,
  mayAccess,
  nameOfFile,
  openOptions,
  ownIdentity,
  toEntry,
  toFile,
  toStat,
} from "./host_real.ts";
import type { Policy } from "./policy.ts";
import { workerPermissions } from "./worker/permissions.ts";
import { placeDescriptors, unloadPlaceDescriptors } from "./host_libc.ts";

interface PinnedFsOptions {
  /** What may be read and written at all, as the runtime would be told: a second wall behind the judge. */
  readonly read: true | readonly string[];
  readonly write: true | readonly string[];
  user(): Identity;
}

/** Nothing of it waits: what a HostFs may do later is done when it returns. */
export interface PinnedFs extends HostFs {
  open(path: string, options: OpenOptions): HostFile;
  symlink(target: string, path: string): void;
  rename(from: string, to: string): void;
  /** Opens one of its open files once more, with a position of its own. Undefined for files of others. */
  openAgain(file: HostFile, options: OpenOptions): HostFile | undefined;
}

/** Ways to files for who works on them by paths, not through a host. */
export interface HeldPlaces {
  /** Work on a name in its held folder; `at` must not be followed. */
  inFolder<T>(path: string, work: (at: string) => T): T;
  /** Work on the file or folder that stands there, held; `at` is to be followed. */
  toThing<T>(path: string, work: (at: string) => T): T;
  /** Lets go of the library; the next use loads it again. */
  close(): void;
}

type Way = "read" | "write";

const HELD = "/proc/self/fd";

/** The policy's files as the main isolate reaches them, with the walls that the worker has. */
export function createPolicyFs(policy: Policy): PinnedFs {
  const { read, write } = workerPermissions(policy, []);
  const wall = (roots: boolean | string[]) => typeof roots === "boolean" ? (roots ? true : []) : roots;
  return createPinnedFs({ read: wall(read), write: wall(write), user: ownIdentity });
}

/** Every file of the disk, held: for what somebody has said yes to. */
export function createAnyFs(): PinnedFs {
  return createPinnedFs({ read: true, write: true, user: ownIdentity });
}

/** Paths have to be absolute and free of links: one that is swapped for a link meanwhile is an error. */
export function createPinnedFs(options: PinnedFsOptions): PinnedFs {
  function checkRoots(path: string, way: Way): void {
    const roots = options[way];
    if (roots === true || roots.some((root) => isWithin(root, path))) return;
    throw new HostError("EDENIED", path, "Not allowed: the sandbox does not reach there");
  }

  /** Does something to a name in its folder; `at` must not be followed. */
  function inFolder<T>(path: string, way: Way, work: (at: string) => T): T {
    checkRoots(path, way);
    const [folder, name] = split(path);
    return name === ""
      ? work("/")
      : withFolder(folder, (held) => attempt(path, () => work(`${held}/${name}`)));
  }

  /** Does something to what stands at the path, whatever its name leads to by now; `at` is to be followed. */
  function toThing<T>(path: string, way: Way, work: (at: string, info: FileStat) => T): T {
    checkRoots(path, way);
    const thing = holdThing(path);
    try {
      return work(thing.at, thing.info);
    } finally {
      placeDescriptors().close(thing.descriptor);
    }
  }

  function open(path: string, wanted: OpenOptions): HostFile {
    const writes = wanted.write || wanted.append || wanted.truncate || wanted.create;
    if (wanted.read || !writes) checkRoots(path, "read");
    if (writes) checkRoots(path, "write");
    if (wanted.create) {
      const made = make(path, wanted);
      if (made) return made;
    }
    const thing = holdThing(path);
    try {
      const { kind } = thing.info;
      if (kind === "fifo" || kind === "socket") {
        throw new HostError("ENXIO", path, "It is a named pipe or a socket, which tools do not open");
      }
      if (kind === "char" || kind === "block") {
        throw new HostError("EDENIED", path, "Not allowed: it is a device");
      }
      const file = attempt(path, () => Deno.openSync(thing.at, openOptions({ ...wanted, create: false })));
      if (wanted.truncate && wanted.append) attempt(path, () => file.truncateSync(0));
      return hold(path, file, wanted, thing.descriptor);
    } catch (error) {
      placeDescriptors().close(thing.descriptor);
      throw error;
    }
  }

  /** A new file; undefined where something stands there already. */
  function make(path: string, wanted: OpenOptions): HostFile | undefined {
    return withFolder(split(path)[0], (held) => {
      const at = `${held}/${split(path)[1]}`;
      let file: Deno.FsFile;
      try {
        file = attempt(path, () => Deno.openSync(at, openOptions({ ...wanted, exclusive: true })));
      } catch (error) {
        if (!wanted.exclusive && error instanceof HostError && error.code === "EEXIST") return undefined;
        throw error;
      }
      let made: HostFile | undefined;
      try {
        const descriptor = placeDescriptors().open(undefined, at, "anything");
        made = hold(path, file, wanted, descriptor);
        const [own, there] = [made.stat(), toStat(Deno.statSync(`${HELD}/${descriptor}`))];
        if (own.dev === there.dev && own.ino === there.ino) return made;
        throw swapped(path);
      } catch (error) {
        if (made) made.close();
        else file.close();
        throw error;
      }
    });
  }

  return {
    stat: (path) => toThing(path, "read", (_at, info) => info),
    lstat: (path) => inFolder(path, "read", (at) => toStat(Deno.lstatSync(at))),
    access: (path, mode) => toThing(path, "read", (_at, info) => mayAccess(info, mode, options.user())),
    readLink: (path) => inFolder(path, "read", (at) => Deno.readLinkSync(at)),
    realPath(path) {
      const descriptor = placeDescriptors().follow(path);
      try {
        return attempt(path, () => whereIs(descriptor));
      } finally {
        placeDescriptors().close(descriptor);
      }
    },
    readDir(path) {
      checkRoots(path, "read");
      return withFolder(path, (held) =>
        attempt(path, () => {
          const entries: DirEntry[] = [];
          for (const entry of Deno.readDirSync(held)) entries.push(toEntry(entry));
          return entries;
        }));
    },
    open,
    openAgain(file, wanted) {
      const name = nameOfFile(file);
      if (name === undefined || !name.startsWith(`${HELD}/`)) return undefined;
      const descriptor = placeDescriptors().follow(name);
      try {
        const again = attempt(
          name,
          () =>
            Deno.openSync(
              `${HELD}/${descriptor}`,
              openOptions({ ...wanted, create: false, truncate: false }),
            ),
        );
        return hold(name, again, wanted, descriptor);
      } catch (error) {
        placeDescriptors().close(descriptor);
        throw error;
      }
    },
    mkdir: (path, mode) => inFolder(path, "write", (at) => Deno.mkdirSync(at, { mode })),
    unlink: (path) =>
      inFolder(path, "write", (at) => {
        if (Deno.lstatSync(at).isDirectory) throw new HostError("EISDIR", path);
        Deno.removeSync(at);
      }),
    rmdir: (path) =>
      inFolder(path, "write", (at) => {
        if (!Deno.lstatSync(at).isDirectory) throw new HostError("ENOTDIR", path);
        Deno.removeSync(at);
      }),
    rename: (from, to) =>
      inFolder(from, "write", (source) => inFolder(to, "write", (target) => Deno.renameSync(source, target))),
    link: (existing, path) =>
      inFolder(existing, "write", (source) => inFolder(path, "write", (at) => Deno.linkSync(source, at))),
    symlink: (target, path) => inFolder(path, "write", (at) => Deno.symlinkSync(target, at)),
    chmod: (path, mode) => toThing(path, "write", (at) => attempt(path, () => Deno.chmodSync(at, mode))),
    chown: (path, uid, gid) =>
      toThing(
        path,
        "write",
        (at) => attempt(path, () => Deno.chownSync(at, uid < 0 ? null : uid, gid < 0 ? null : gid)),
      ),
    utime: (path, atimeMs, mtimeMs) =>
      toThing(
        path,
        "write",
        (at) => attempt(path, () => Deno.utimeSync(at, new Date(atimeMs), new Date(mtimeMs))),
      ),
    truncate: (path, length) =>
      toThing(path, "write", (at, { kind }) => {
        if (kind === "dir") throw new HostError("EISDIR", path);
        if (kind !== "file") throw new HostError("EINVAL", path);
        // Not by `truncate`: newer versions of the runtime would not follow what is held.
        const file = attempt(path, () => Deno.openSync(at, { write: true }));
        try {
          attempt(path, () => file.truncateSync(length));
        } finally {
          file.close();
        }
      }),
  };
}

/**
 * Files as the program itself reaches them, behind no wall but the held
 * folders: EDENIED where a path leads elsewhere. What work throws of its own
 * comes out as it is. Undefined where descriptors cannot be had: on another
 * system, without the library, or without the right to call it.
 */
export function createHeldPlaces(): HeldPlaces | undefined {
  if (Deno.build.os !== "linux") return undefined;
  try {
    placeDescriptors();
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
  return {
    inFolder(path, work) {
      const [folder, name] = split(path);
      return name === ""
        ? work("/")
        : withFolder(folder, (held) => told(path, () => work(`${held}/${name}`)));
    },
    toThing(path, work) {
      const { at, descriptor, info } = holdThing(path);
      try {
        if (info.kind === "file" || info.kind === "dir") return told(path, () => work(at));
        throw new HostError("EINVAL", path, "It is neither a file nor a folder");
      } finally {
        placeDescriptors().close(descriptor);
      }
    },
    close: unloadPlaceDescriptors,
  };
}

/** What the system throws would name the place that is held: it is told of the path. */
function told<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { name, code } = error as { name?: string; code?: string };
    const ofSystem = Object.hasOwn(Deno.errors, name ?? "") || /^E[A-Z0-9]+$/.test(code ?? "");
    throw ofSystem ? hostError(error, path) : error;
  }
}

/** Where the kernel says that what is held stands now. */
function whereIs(descriptor: number): string {
  const held = `${HELD}/${descriptor}`;
  const path = Deno.readLinkSync(held);
  // What was removed has no place any more, and the kernel says so behind its last one.
  if (path.endsWith(" (deleted)") && Deno.statSync(held).nlink === 0) throw new HostError("ENOENT", path);
  return path;
}

/** Holds a folder; throws unless it stands exactly there, with no link on the way. */
function pinFolder(path: string): number {
  const places = placeDescriptors();
  let descriptor: number;
  try {
    descriptor = places.open(undefined, path, "folder");
  } catch (error) {
    if (!(error instanceof HostError) || error.code === "EDENIED") throw error;
    // What stopped it may lie behind a link: only what is seen step by step is told.
    descriptor = walkTo(path);
  }
  try {
    if (whereIs(descriptor) === path) return descriptor;
    throw swapped(path);
  } catch (error) {
    places.close(descriptor);
    throw error;
  }
}

/** The same folder by folder, no link followed. */
function walkTo(path: string): number {
  const places = placeDescriptors();
  let at = places.open(undefined, "/", "folder");
  for (const part of path.split("/")) {
    if (part === "") continue;
    try {
      const next = places.open(at, part, "folder");
      places.close(at);
      at = next;
    } catch (error) {
      const link = isLink(`${HELD}/${at}/${part}`);
      places.close(at);
      throw link ? swapped(path) : error;
    }
  }
  return at;
}

function isLink(path: string): boolean {
  try {
    return Deno.lstatSync(path).isSymlink;
  } catch {
    // Not there: no link either.
    return false;
  }
}

function withFolder<T>(path: string, work: (held: string) => T): T {
  const descriptor = pinFolder(path);
  try {
    return work(`${HELD}/${descriptor}`);
  } finally {
    placeDescriptors().close(descriptor);
  }
}

interface Thing {
  readonly descriptor: number;
  readonly at: string;
  readonly info: FileStat;
}

/** Holds what stands at the path; a link is refused, since none stood there when the path was judged. */
function holdThing(path: string): Thing {
  const places = placeDescriptors();
  const [folder, name] = split(path);
  const parent = pinFolder(folder);
  let descriptor: number;
  try {
    descriptor = name === "" ? places.open(undefined, "/", "folder") : places.open(parent, name, "anything");
  } finally {
    places.close(parent);
  }
  try {
    const at = `${HELD}/${descriptor}`;
    const info = attempt(path, () => toStat(Deno.statSync(at)));
    if (info.kind === "symlink") throw swapped(path);
    return { descriptor, at, info };
  } catch (error) {
    places.close(descriptor);
    throw error;
  }
}

/** An open file that holds its place until it is closed: by that it can be opened again. */
function hold(path: string, file: Deno.FsFile, options: OpenOptions, descriptor: number): HostFile {
  return toFile(path, file, options, {
    name: `${HELD}/${descriptor}`,
    release: () => placeDescriptors().close(descriptor),
  });
}

/** The folder and the name in it; no name for the root itself. `.` and `..` are no names. */
function split(path: string): [string, string] {
  const cut = path.lastIndexOf("/");
  const name = path.slice(cut + 1);
  if (!path.startsWith("/") || name === "." || name === "..") throw new HostError("EINVAL", path);
  return [cut === 0 ? "/" : path.slice(0, cut), name];
}

/** What a path leads to is not what was judged any more. */
function swapped(path: string): HostError {
  return new HostError(
    "EDENIED",
    path,
    "Not allowed: it was swapped for something else while it was looked at",
  );
}
