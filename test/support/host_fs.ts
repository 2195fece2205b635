/**
 * A HostFs straight over the disk, without any guard, for tests of what stands
 * on one; and a set of everything else that file tools ask for.
 */
import {
  type DirEntry,
  type FileKind,
  type FileStat,
  HostError,
  type HostErrorCode,
  type HostFile,
  type HostFs,
} from "../../src/sandbox/mod.ts";
import { ReadStamps } from "../../src/tools/shared/read_stamps.ts";
import type { ToolBody, ToolContext, ToolResult } from "../../src/agent/tool.ts";
import { textOf } from "../../src/llm/message.ts";
import type { SheathDeps } from "../../src/tools/mod.ts";

export function diskFs(): HostFs {
  return {
    stat: (path) => told(path, () => statOf(Deno.statSync(path))),
    lstat: (path) => told(path, () => statOf(Deno.lstatSync(path))),
    readLink: (path) => told(path, () => Deno.readLinkSync(path)),
    realPath: (path) => told(path, () => Deno.realPathSync(path)),
    readDir: (path) => told(path, () => Array.from(Deno.readDirSync(path), entryOf)),
    open: (path, options) =>
      told(path, () => {
        const { exclusive, ...rest } = options;
        return fileOf(
          Deno.openSync(path, exclusive ? { ...rest, create: false, createNew: true } : rest),
          path,
        );
      }),
    mkdir: (path, mode) => told(path, () => Deno.mkdirSync(path, { mode })),
    unlink: (path) => told(path, () => Deno.removeSync(path)),
    rmdir: (path) => told(path, () => Deno.removeSync(path)),
    rename: (from, to) => told(from, () => Deno.renameSync(from, to)),
    link: (from, to) => told(from, () => Deno.linkSync(from, to)),
    symlink: (target, path) => told(path, () => Deno.symlinkSync(target, path)),
    chmod: (path, mode) => told(path, () => Deno.chmodSync(path, mode)),
    chown: (path, uid, gid) =>
      told(path, () => Deno.chownSync(path, uid < 0 ? null : uid, gid < 0 ? null : gid)),
    utime: (path, atime, mtime) => told(path, () => Deno.utimeSync(path, new Date(atime), new Date(mtime))),
    truncate: (path, length) => told(path, () => Deno.truncateSync(path, length)),
    access: () => true,
  };
}

function fileOf(file: Deno.FsFile, path: string): HostFile {
  return {
    read: (into) => told(path, () => file.readSync(into) ?? 0),
    write: (bytes) =>
      told(path, () => {
        for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
      }),
    seek: (offset, from) => file.seekSync(offset, ["start", "current", "end"].indexOf(from) as Deno.SeekMode),
    truncate: (length) => file.truncateSync(length),
    stat: () => statOf(file.statSync()),
    terminal: false,
    close: () => file.close(),
  };
}

function told<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = (error as { code?: string }).code;
    throw new HostError((code ?? "EIO") as HostErrorCode, path, undefined, error);
  }
}

function kindOf(
  info: {
    isFile: boolean;
    isDirectory: boolean;
    isSymlink: boolean;
    isFifo?: boolean | null;
    isSocket?: boolean | null;
    isCharDevice?: boolean | null;
  },
): FileKind {
  if (info.isSymlink) return "symlink";
  if (info.isDirectory) return "dir";
  if (info.isFile) return "file";
  if (info.isFifo) return "fifo";
  if (info.isSocket) return "socket";
  return info.isCharDevice ? "char" : "block";
}

function entryOf(entry: Deno.DirEntry): DirEntry {
  const known = entry.isFile || entry.isDirectory || entry.isSymlink;
  return { name: entry.name, kind: known ? kindOf(entry) : "unknown" };
}

function statOf(info: Deno.FileInfo): FileStat {
  return {
    kind: kindOf(info),
    size: info.size,
    mode: (info.mode ?? 0) & 0o7777,
    uid: info.uid ?? 0,
    gid: info.gid ?? 0,
    dev: info.dev,
    ino: info.ino ?? 0,
    nlink: info.nlink ?? 1,
    rdev: info.rdev ?? 0,
    blocks: info.blocks ?? 0,
    atimeMs: info.atime?.getTime() ?? 0,
    mtimeMs: info.mtime?.getTime() ?? 0,
    ctimeMs: info.ctime?.getTime() ?? 0,
  };
}

/** A folder of its own with everything that file tools need; gone when disposed. */
export class Bench implements Disposable {
  readonly dir: string = Deno.realPathSync(Deno.makeTempDirSync());
  readonly deps: SheathDeps;
  artifacts: Map<string, Uint8Array> = new Map();
  cancelled = false;

  constructor(options: { outputBytes?: number; fs?: HostFs } = {}) {
    this.deps = {
      fs: options.fs ?? diskFs(),
      workspace: this.dir,
      cwd: () => this.dir,
      home: this.dir,
      poll: () => {
        if (this.cancelled) throw new DOMException("cancelled", "AbortError");
      },
      artifacts: {
        read: (id, offset, length) =>
          Promise.resolve(this.artifacts.get(id)?.subarray(offset, offset + length)),
        create: () => Promise.resolve(undefined),
      },
      shell: () => Promise.reject(new Error("there is no shell on this bench")),
      deadline() {},
      ledger: new ReadStamps(),
      limits: { outputBytes: options.outputBytes ?? 32 * 1024 },
    };
  }

  /** Writes a file (and its folders); texts as UTF-8. */
  put(name: string, content: string | Uint8Array): string {
    const path = `${this.dir}/${name}`;
    Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    Deno.writeFileSync(path, typeof content === "string" ? new TextEncoder().encode(content) : content);
    return path;
  }

  bytes(name: string): Uint8Array {
    return Deno.readFileSync(`${this.dir}/${name}`);
  }

  text(name: string): string {
    return Deno.readTextFileSync(`${this.dir}/${name}`);
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.dir, { recursive: true });
  }
}

export const context: ToolContext = {
  callId: "call-1",
  signal: new AbortController().signal,
  output() {},
};

/** Runs a call; its text and the rest. */
export async function call(body: ToolBody, args: unknown): Promise<ToolResult & { text: string }> {
  const result = await body.run(args, context);
  return { ...result, text: textOf(result.parts) };
}
