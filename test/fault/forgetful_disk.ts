/**
 * A disk in memory that behaves like the worst real one: it forgets what was
 * not synced, runs full, writes less than it was asked to, fails to sync or
 * to truncate. For tests of what must survive that.
 */
import type { Disk, LogFile } from "../../src/session/log/disk.ts";
import { SessionError } from "../../src/session/errors.ts";

export class ForgetfulFile implements LogFile {
  bytes = new Uint8Array(0);
  /** How much of `bytes` survives a power cut. */
  synced = 0;
  syncs = 0;
  writes = 0;
  /** Every state that a power cut could have left, newest last: after each write. */
  readonly history: number[] = [];

  constructor(readonly disk: ForgetfulDisk) {}

  read(into: Uint8Array, at: number): Promise<number> {
    return Promise.resolve(this.readSync(into, at));
  }

  readSync(into: Uint8Array, at: number): number {
    const piece = this.bytes.subarray(at, at + into.length);
    into.set(piece);
    return piece.length;
  }

  append(bytes: Uint8Array): Promise<number> {
    const count = Math.min(bytes.length, this.disk.mostPerWrite, this.disk.room);
    if (count === 0) {
      return Promise.reject(Object.assign(new Error("No space left on device"), { code: "ENOSPC" }));
    }
    this.bytes = concat(this.bytes, bytes.subarray(0, count));
    this.disk.room -= count;
    this.writes++;
    this.history.push(this.bytes.length);
    return Promise.resolve(count);
  }

  syncData(): Promise<void> {
    if (this.disk.failSync) {
      return Promise.reject(Object.assign(new Error("Input/output error"), { code: "EIO" }));
    }
    this.syncs++;
    this.synced = this.bytes.length;
    return Promise.resolve();
  }

  truncate(length: number): Promise<void> {
    if (this.disk.failTruncate) {
      return Promise.reject(Object.assign(new Error("Input/output error"), { code: "EIO" }));
    }
    this.disk.room += this.bytes.length - length;
    this.bytes = this.bytes.slice(0, length);
    this.synced = Math.min(this.synced, length);
    return Promise.resolve();
  }

  size(): Promise<number> {
    return Promise.resolve(this.bytes.length);
  }

  close(): void {}
}

export class ForgetfulDisk implements Disk {
  readonly files = new Map<string, ForgetfulFile>();
  room = Infinity;
  mostPerWrite = Infinity;
  failSync = false;
  failTruncate = false;

  create(path: string): Promise<LogFile> {
    if (this.files.has(path)) return Promise.reject(new SessionError("io", `"${path}" is there already`));
    const file = new ForgetfulFile(this);
    this.files.set(path, file);
    return Promise.resolve(file);
  }

  open(path: string, options: { readonly make?: boolean } = {}): Promise<LogFile> {
    const file = this.files.get(path);
    if (file) return Promise.resolve(file);
    return options.make ? this.create(path) : Promise.reject(new SessionError("not_found", `no "${path}"`));
  }

  discard(path: string): void {
    this.files.delete(path);
  }

  file(path: string | undefined): ForgetfulFile {
    const file = this.files.get(path ?? "");
    if (!file) throw new Error(`no file "${path}"`);
    return file;
  }

  /** A disk on which the file at `path` holds just `bytes`. */
  static of(path: string, bytes: Uint8Array): ForgetfulDisk {
    const disk = new ForgetfulDisk();
    const file = new ForgetfulFile(disk);
    file.bytes = bytes.slice();
    file.synced = bytes.length;
    disk.files.set(path, file);
    return disk;
  }
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}
