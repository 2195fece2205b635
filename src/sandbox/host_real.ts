/**
 * ShellHost over the system: what the main isolate may do, and (its files)
 * what stands behind the path guard in the worker. It judges nothing. Every
 * failure of the system comes out as a HostError with its code.
 *
 * Regular files are read and written synchronously; what may wait (named
 * pipes, terminals, sockets) answers with promises. Programs run in a session
 * and process group of their own, with the environment they are given and
 * nothing else.
 */
import { statfsSync } from "node:fs";
import process from "node:process";
import { sleep } from "../lib/sleep.ts";
import {
  type DirEntry,
  type FileKind,
  type FileStat,
  HostError,
  type HostFile,
  type HostFs,
  type HostUser,
  type Later,
  type OpenOptions,
  type ShellHost,
} from "../shell/host.ts";
import { attempt, hostError } from "./host_error.ts";
import type { KnownFile } from "./os/mod.ts";

const WINDOWS = Deno.build.os === "windows";

/** With forward slashes, as every path of a host. */
function slashes(path: string): string {
  return WINDOWS ? path.replace(/^\\\\\?\\/, "").replaceAll("\\", "/") : path;
}

function kindOf(info: Deno.FileInfo): FileKind {
  if (info.isSymlink) return "symlink";
  if (info.isDirectory) return "dir";
  if (info.isFile) return "file";
  if (info.isFifo) return "fifo";
  if (info.isSocket) return "socket";
  if (info.isCharDevice) return "char";
  return info.isBlockDevice ? "block" : "file";
}

/** What Deno tells of a file, as a host tells it. */
export function toStat(info: Deno.FileInfo): FileStat {
  const kind = kindOf(info);
  const mtime = info.mtime?.getTime() ?? 0;
  return {
    kind,
    size: info.size,
    mode: (info.mode ?? (kind === "dir" ? 0o755 : 0o644)) & 0o7777,
    uid: info.uid ?? 0,
    gid: info.gid ?? 0,
    dev: info.dev,
    ino: info.ino ?? 0,
    nlink: info.nlink ?? 1,
    rdev: info.rdev ?? 0,
    blocks: info.blocks ?? Math.ceil(info.size / 512),
    atimeMs: info.atime?.getTime() ?? mtime,
    mtimeMs: mtime,
    ctimeMs: info.ctime?.getTime() ?? mtime,
  };
}

/** An entry of a folder, as a host tells it. */
export function toEntry(entry: Deno.DirEntry): DirEntry {
  return {
    name: entry.name,
    kind: entry.isFile ? "file" : entry.isDirectory ? "dir" : entry.isSymlink ? "symlink" : "unknown",
  };
}

const opened = new WeakMap<HostFile, KnownFile>();

/** By which name a file is opened once more, and what ends with it. */
interface HeldFile {
  readonly name: string;
  release(): void;
}

/** The name by which a file of this module, or of {@link toFile}, can be opened once more while it is open. */
export function nameOfFile(file: HostFile): string | undefined {
  return opened.get(file)?.path;
}

/** An open file of Deno's. `held`: where its path is not the way to open it again. */
export function toFile(path: string, file: Deno.FsFile, options: OpenOptions, held?: HeldFile): HostFile {
  const made = new OpenFile(path, file, held);
  opened.set(made, { path: held?.name ?? path, options });
  return made;
}

/** A class, since a search opens tens of thousands: what each of them costs beside the system's part counts. */
class OpenFile implements HostFile {
  readonly #path: string;
  readonly #file: Deno.FsFile;
  readonly #held: HeldFile | undefined;
  #regular: boolean | undefined;

  constructor(path: string, file: Deno.FsFile, held: HeldFile | undefined) {
    this.#path = path;
    this.#file = file;
    this.#held = held;
  }

  #isRegular(): boolean {
    return this.#regular ??= attempt(this.#path, () => this.#file.statSync()).isFile;
  }

  get terminal(): boolean {
    return !this.#isRegular() && this.#file.isTerminal();
  }

  read(into: Uint8Array): Later<number> {
    if (into.length === 0) return 0;
    if (this.#isRegular()) return attempt(this.#path, () => this.#file.readSync(into) ?? 0);
    return this.#file.read(into).then((length) => length ?? 0, (error) => {
      throw hostError(error, this.#path);
    });
  }

  write(bytes: Uint8Array): Later<void> {
    if (!this.#isRegular()) return writeAll(this.#path, this.#file, bytes);
    for (let at = 0; at < bytes.length;) {
      at += attempt(this.#path, () => this.#file.writeSync(bytes.subarray(at)));
    }
  }

  seek(offset: number, from: "start" | "current" | "end"): number {
    if (!this.#isRegular()) throw new HostError("ENOTSUP", this.#path);
    const mode = { start: Deno.SeekMode.Start, current: Deno.SeekMode.Current, end: Deno.SeekMode.End }[from];
    return attempt(this.#path, () => this.#file.seekSync(offset, mode));
  }

  truncate(length: number): void {
    attempt(this.#path, () => this.#file.truncateSync(length));
  }

  stat(): FileStat {
    const info = attempt(this.#path, () => this.#file.statSync());
    this.#regular ??= info.isFile;
    return toStat(info);
  }

  close(): void {
    try {
      this.#file.close();
    } catch (error) {
      // Closed before: nothing is left to do.
      if (error instanceof Deno.errors.BadResource) return;
      throw hostError(error, this.#path);
    }
    this.#held?.release();
  }
}

async function writeAll(path: string, file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  try {
    for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
  } catch (error) {
    throw hostError(error, path);
  }
}

/** How Deno is told to open. */
export function openOptions(options: OpenOptions): Deno.OpenOptions {
  const writes = options.write || options.append;
  return {
    read: options.read || !writes,
    write: options.write && !options.append,
    append: options.append,
    create: options.create && !options.exclusive,
    createNew: options.create && options.exclusive,
    truncate: options.truncate && !options.append,
    ...(WINDOWS || !options.create ? {} : { mode: options.mode ?? 0o666 }),
  };
}

function openFile(path: string, options: OpenOptions): HostFile | Promise<HostFile> {
  // Opening a named pipe waits for the other end: not while everything stands still.
  if (isFifo(path)) {
    return import("./os/mod.ts").then(({ openFifo }) =>
      openFifo(
        path,
        options,
        () => toStat(attempt(path, () => Deno.statSync(path))),
        (error) => hostError(error, path),
      )
    );
  }
  return openPlain(path, options);
}

/** Opens what is known not to be a named pipe. */
export function openPlain(path: string, options: OpenOptions): HostFile {
  const file = attempt(path, () => Deno.openSync(path, openOptions(options)));
  if (options.truncate && options.append) file.truncateSync(0);
  return toFile(path, file, options);
}

function isFifo(path: string): boolean {
  if (WINDOWS) return false;
  try {
    return Deno.statSync(path).isFifo === true;
  } catch {
    // Whatever is wrong, opening it says so.
    return false;
  }
}

/** Whose rights count where the system is not asked itself. */
export type Identity = Pick<HostUser, "uid" | "gid" | "groups">;

/** The files of the system, for a user: the worker may not ask who it is. */
export function createRealFs(user: () => Identity): HostFs {
  return {
    ...ANYONE,
    space: (path) =>
      attempt(path, () => {
        const { bsize, blocks, bfree, bavail } = statfsSync(path);
        return { size: bsize * blocks, free: bsize * bfree, available: bsize * bavail };
      }),
    access(path, mode) {
      const info = toStat(attempt(path, () => Deno.statSync(path)));
      if (WINDOWS) return mode !== "x" || info.kind === "dir" || /\.(exe|com|cmd|bat|ps1)$/i.test(path);
      return mayAccess(info, mode, user());
    },
  };
}

/** Whether a file's owner and mode let a user do that. */
export function mayAccess(info: FileStat, mode: "r" | "w" | "x", { uid, gid, groups }: Identity): boolean {
  if (uid === 0) return mode !== "x" || info.kind === "dir" || (info.mode & 0o111) !== 0;
  const bit = { r: 4, w: 2, x: 1 }[mode];
  const shift = info.uid === uid ? 6 : info.gid === gid || groups.includes(info.gid) ? 3 : 0;
  return ((info.mode >> shift) & bit) !== 0;
}

const ANYONE: Omit<HostFs, "access"> = {
  stat: (path) => toStat(attempt(path, () => Deno.statSync(path))),
  lstat: (path) => toStat(attempt(path, () => Deno.lstatSync(path))),
  readLink: (path) => attempt(path, () => Deno.readLinkSync(path)),
  realPath: (path) => slashes(attempt(path, () => Deno.realPathSync(path))),
  readDir: (path) =>
    attempt(path, () => {
      const entries: DirEntry[] = [];
      for (const entry of Deno.readDirSync(path)) entries.push(toEntry(entry));
      return entries;
    }),
  readStart: (path, into) =>
    attempt(path, () => {
      const file = Deno.openSync(path);
      try {
        return file.readSync(into) ?? 0;
      } finally {
        file.close();
      }
    }),
  open: openFile,
  mkdir: (path, mode) => attempt(path, () => Deno.mkdirSync(path, WINDOWS ? {} : { mode })),
  unlink(path) {
    attempt(path, () => {
      if (Deno.lstatSync(path).isDirectory) throw new HostError("EISDIR", path);
      Deno.removeSync(path);
    });
  },
  rmdir(path) {
    attempt(path, () => {
      if (!Deno.lstatSync(path).isDirectory) throw new HostError("ENOTDIR", path);
      Deno.removeSync(path);
    });
  },
  rename: (from, to) => attempt(from, () => Deno.renameSync(from, to)),
  link: (existing, path) => attempt(path, () => Deno.linkSync(existing, path)),
  symlink: (target, path) =>
    attempt(
      path,
      () => Deno.symlinkSync(target, path, WINDOWS ? { type: linkType(target, path) } : undefined),
    ),
  chmod: (path, mode) => attempt(path, () => WINDOWS ? undefined : Deno.chmodSync(path, mode)),
  chown: (path, uid, gid) =>
    attempt(path, () => Deno.chownSync(path, uid < 0 ? null : uid, gid < 0 ? null : gid)),
  utime: (path, atimeMs, mtimeMs) =>
    attempt(path, () => Deno.utimeSync(path, new Date(atimeMs), new Date(mtimeMs))),
  truncate: (path, length) => attempt(path, () => Deno.truncateSync(path, length)),
};

function linkType(target: string, path: string): "dir" | "file" {
  const at = /^([A-Za-z]:)?[\\/]/.test(target) ? target : `${path.slice(0, path.lastIndexOf("/"))}/${target}`;
  try {
    return Deno.statSync(at).isDirectory ? "dir" : "file";
  } catch {
    // It leads nowhere yet.
    return "file";
  }
}

let self: Identity | undefined;

/** The user of this process. */
export function ownIdentity(): Identity {
  return self ??= {
    uid: Deno.uid() ?? 0,
    gid: Deno.gid() ?? 0,
    groups: WINDOWS ? [] : process.getgroups?.() ?? [],
  };
}

/** The files of the system, for the user of this process. */
export const realFs: HostFs = createRealFs(ownIdentity);

/** A host with everything that this process may do. */
export function createRealHost(): ShellHost {
  const os = Deno.build.os;
  const own = ownIdentity();
  const name = Deno.env.get("USER") ?? Deno.env.get("LOGNAME") ?? Deno.env.get("USERNAME");
  return {
    platform: os === "windows" || os === "darwin" ? os : "linux",
    fs: realFs,
    // Loaded by the first program: many scripts start none.
    spawn: async (request) => (await import("./os/mod.ts")).spawnProgram(request, (file) => opened.get(file)),
    now: () => performance.timeOrigin + performance.now(),
    cpuTimes() {
      const { user, system } = process.cpuUsage();
      return [user / 1000, system / 1000];
    },
    sleep,
    random: (into) => void crypto.getRandomValues(into as Uint8Array<ArrayBuffer>),
    user: {
      ...own,
      name: name ?? (own.uid === 0 ? "root" : String(own.uid)),
    },
    hostname: Deno.hostname(),
    system: {
      sysname: os === "darwin" ? "Darwin" : os === "windows" ? "Windows_NT" : "Linux",
      get release() {
        return Deno.osRelease();
      },
      get version() {
        return kernelVersion();
      },
      machine: os === "darwin" && Deno.build.arch === "aarch64" ? "arm64" : Deno.build.arch,
    },
    processors: navigator.hardwareConcurrency,
    pid: Deno.pid,
    ppid: Deno.ppid,
    tempDir: slashes(Deno.env.get("TMPDIR") ?? Deno.env.get("TEMP") ?? "/tmp").replace(/(?<=.)\/+$/, ""),
    cancelled: () => false,
    kill: (pid, signal) => attempt(String(pid), () => Deno.kill(pid, signal as Deno.Signal)),
  };
}

function kernelVersion(): string {
  try {
    return Deno.readTextFileSync("/proc/sys/kernel/version").trim();
  } catch {
    // Only Linux has it.
    return "#1";
  }
}
