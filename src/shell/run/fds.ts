/**
 * Open descriptions: what descriptors lead to. One description may stand
 * behind several descriptors and in several subshells; it counts them and
 * closes with the last. What was read too far is put back, so that commands
 * that share an input each get what is theirs.
 */
import { decodeBytes, encodeBytes } from "../../lib/text/bytes.ts";
import {
  type ByteSink,
  type ByteSource,
  type FileStat,
  HostError,
  type HostFile,
  type Later,
} from "../host.ts";
import { Pipe } from "./pipe.ts";

/** So long may be read and written without waiting before others get a turn. */
const TURN_MS = 25;
/** One call of so many looks at the clock. */
const LOOKS = 8;
let looks = 0;
let lastTurn = 0;
let resting: Promise<void> | undefined;

/** Others had their turn just now: a script begins. */
export function hadTurn(): void {
  lastTurn = performance.now();
}

/**
 * Now and then a promise that gives timers and signals their turn. Commands
 * that only hand bytes to each other would never let them in: all of them have
 * to wait at once.
 */
export function turn(): Promise<void> | undefined {
  if (resting !== undefined) return resting;
  if (++looks < LOOKS) return undefined;
  looks = 0;
  const now = performance.now();
  if (now - lastTurn < TURN_MS) return undefined;
  return resting = new Promise((resolve) =>
    setTimeout(() => {
      hadTurn();
      resting = undefined;
      resolve();
    }, 0)
  );
}

export abstract class Description implements ByteSource, ByteSink {
  #refs = 1;
  /** Bytes that were read and put back. */
  protected back: Uint8Array | undefined;
  /** The host's file behind it, where there is one: what an external program can be given. */
  readonly file: HostFile | undefined = undefined;
  /** Called before it is closed, when the last reference goes. */
  onShut: (() => void) | undefined;
  /** Path it was opened by, for messages and the permission gate. */
  path: string | undefined;

  retain(): this {
    this.#refs++;
    return this;
  }

  /** Gives one reference back; closes with the last. */
  release(): void {
    if (--this.#refs > 0) return;
    this.onShut?.();
    this.shut();
  }

  /** A command's view of its descriptor closes nothing: the table owns it. */
  close(): void {}

  read(into: Uint8Array): Later<number> {
    if (this.back !== undefined) return this.#takeBack(into, this.back);
    if (this.#inflight !== undefined) return this.#inflight.then(() => this.read(into));
    const rest = turn();
    if (rest === undefined) return this.take(into);
    // Not from the beginning: this read itself may be the one in flight by then.
    return rest.then(() => this.back === undefined ? this.take(into) : this.#takeBack(into, this.back));
  }

  #takeBack(into: Uint8Array, back: Uint8Array): number {
    const n = Math.min(back.length, into.length);
    into.set(back.subarray(0, n));
    this.back = n === back.length ? undefined : back.subarray(n);
    return n;
  }

  #inflight: Promise<void> | undefined;

  /** A read that nobody waits for any more: what it brings is put back, and others wait for it first. */
  abandon(read: Promise<number>, buffer: Uint8Array): void {
    const done = () => this.#inflight = undefined;
    this.#inflight = read.then((n) => {
      done();
      // It comes after whatever was put back meanwhile.
      const before = this.back;
      this.back = undefined;
      this.unread(buffer.subarray(0, n));
      if (before !== undefined) this.unread(before);
    }, done);
  }

  /** Puts bytes back that were read too far. */
  unread(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.back === undefined) this.back = bytes.slice();
    else {
      const joined = new Uint8Array(bytes.length + this.back.length);
      joined.set(bytes);
      joined.set(this.back, bytes.length);
      this.back = joined;
    }
  }

  get hasBack(): boolean {
    return this.back !== undefined;
  }

  abstract write(bytes: Uint8Array): Later<void>;

  writeText(text: string): Later<void> {
    return this.write(encodeBytes(text));
  }

  get terminal(): boolean {
    return false;
  }

  get readable(): boolean {
    return true;
  }
  get writable(): boolean {
    return true;
  }

  protected abstract take(into: Uint8Array): Later<number>;
  protected abstract shut(): void;
}

export class FileDescription extends Description {
  override readonly file: HostFile;
  constructor(file: HostFile, path?: string, readonly owned = true, readonly mode: "r" | "w" | "rw" = "rw") {
    super();
    this.file = file;
    this.path = path;
  }
  protected take(into: Uint8Array): Later<number> {
    return this.file.read(into);
  }
  write(bytes: Uint8Array): Later<void> {
    if (this.mode === "r") throw new HostError("EBADF");
    if (this.back !== undefined) this.rewind();
    return this.file.write(bytes) ?? turn();
  }
  /** Moves the file's own position to where readers think it is; false where it cannot move. */
  rewind(): boolean {
    if (this.back === undefined) return true;
    try {
      this.file.seek(-this.back.length, "current");
      this.back = undefined;
      return true;
    } catch {
      return false;
    }
  }
  /** As the file's own: for a utility that read too far. */
  seek(offset: number, from: "start" | "current" | "end"): number {
    this.rewind();
    return this.file.seek(offset, from);
  }
  stat(): FileStat {
    return this.file.stat();
  }
  override get terminal(): boolean {
    return this.file.terminal;
  }
  override get readable(): boolean {
    return this.mode !== "w";
  }
  override get writable(): boolean {
    return this.mode !== "r";
  }
  protected shut(): void {
    if (this.owned) this.file.close();
  }
}

export class SourceDescription extends Description {
  constructor(readonly source: ByteSource) {
    super();
  }
  override get terminal(): boolean {
    return (this.source as { terminal?: boolean }).terminal === true;
  }
  protected take(into: Uint8Array): Later<number> {
    return this.source.read(into);
  }
  write(): Later<void> {
    throw new HostError("EBADF");
  }
  override get writable(): boolean {
    return false;
  }
  protected shut(): void {
    this.source.close();
  }
}

export class SinkDescription extends Description {
  constructor(readonly sink: ByteSink) {
    super();
  }
  protected take(): Later<number> {
    throw new HostError("EBADF");
  }
  override get terminal(): boolean {
    return (this.sink as { terminal?: boolean }).terminal === true;
  }
  write(bytes: Uint8Array): Later<void> {
    return this.sink.write(bytes) ?? turn();
  }
  override get readable(): boolean {
    return false;
  }
  protected shut(): void {
    this.sink.close();
  }
}

export class PipeReader extends Description {
  constructor(readonly pipe: Pipe) {
    super();
  }
  protected take(into: Uint8Array): Later<number> {
    return this.pipe.read(into);
  }
  write(): Later<void> {
    throw new HostError("EBADF");
  }
  override get writable(): boolean {
    return false;
  }
  protected shut(): void {
    this.pipe.closeRead();
  }
}

export class PipeWriter extends Description {
  constructor(readonly pipe: Pipe) {
    super();
  }
  protected take(): Later<number> {
    throw new HostError("EBADF");
  }
  write(bytes: Uint8Array): Later<void> {
    const rest = turn();
    return rest === undefined ? this.pipe.write(bytes) : rest.then(() => this.pipe.write(bytes));
  }
  override get readable(): boolean {
    return false;
  }
  protected shut(): void {
    this.pipe.closeWrite();
  }
}

export function makePipe(): [PipeReader, PipeWriter] {
  const pipe = new Pipe();
  return [new PipeReader(pipe), new PipeWriter(pipe)];
}

/** Output kept in memory: a command substitution. Bounded, as everything that grows. */
export class Capture extends Description {
  #texts: (string | Uint8Array)[] = [];
  #size = 0;
  constructor(readonly limit: number) {
    super();
  }
  protected take(): Later<number> {
    throw new HostError("EBADF");
  }
  override get readable(): boolean {
    return false;
  }
  #grow(n: number): void {
    this.#size += n;
    if (this.#size > this.limit) {
      throw new HostError("EIO", undefined, "output of command substitution is too large");
    }
  }
  write(bytes: Uint8Array): void {
    this.#grow(bytes.length);
    this.#texts.push(bytes.slice());
  }
  override writeText(text: string): void {
    this.#grow(text.length);
    this.#texts.push(text);
  }
  protected shut(): void {}

  /** Everything written so far. */
  text(): string {
    const parts = this.#texts;
    if (parts.every((p) => typeof p === "string")) {
      const joined = parts.join("");
      return /[\udc80-\udcff]/.test(joined) && !joined.isWellFormed()
        ? decodeBytes(encodeBytes(joined))
        : joined;
    }
    const bytes = parts.map((p) => typeof p === "string" ? encodeBytes(p) : p);
    const whole = new Uint8Array(bytes.reduce((n, b) => n + b.length, 0));
    let at = 0;
    for (const b of bytes) {
      whole.set(b, at);
      at += b.length;
    }
    return decodeBytes(whole);
  }
}

/** Input from memory: here-documents and here-strings. */
export class MemoryInput extends Description {
  #bytes: Uint8Array;
  constructor(text: string) {
    super();
    this.#bytes = encodeBytes(text);
  }
  protected take(into: Uint8Array): number {
    const n = Math.min(into.length, this.#bytes.length);
    into.set(this.#bytes.subarray(0, n));
    this.#bytes = this.#bytes.subarray(n);
    return n;
  }
  write(): Later<void> {
    throw new HostError("EBADF");
  }
  override get writable(): boolean {
    return false;
  }
  protected shut(): void {}
}

/** `/dev/null` without a file behind it. */
export class NullDescription extends Description {
  protected take(): number {
    return 0;
  }
  write(): Later<void> {
    return turn();
  }
  protected shut(): void {}
}

/** Descriptors of one shell: number to description. */
export class FdTable {
  #table: (Description | undefined)[];

  constructor(table: (Description | undefined)[] = []) {
    this.#table = table;
  }

  get(fd: number): Description | undefined {
    return this.#table[fd];
  }

  /** Installs a description, of which it takes over one reference; gives back what was there. */
  set(fd: number, description: Description | undefined): void {
    const old = this.#table[fd];
    this.#table[fd] = description;
    old?.release();
  }

  /** Installs without releasing what was there, which is answered: for redirections that are undone. */
  swap(fd: number, description: Description | undefined): Description | undefined {
    const old = this.#table[fd];
    this.#table[fd] = description;
    return old;
  }

  fork(): FdTable {
    const copy = this.#table.slice();
    for (const d of copy) d?.retain();
    return new FdTable(copy);
  }

  /** The lowest free descriptor from a number on. */
  free(from: number): number {
    let fd = from;
    while (this.#table[fd] !== undefined) fd++;
    return fd;
  }

  closeAll(): void {
    const table = this.#table;
    this.#table = [];
    for (const d of table) d?.release();
  }

  entries(): [number, Description][] {
    const out: [number, Description][] = [];
    this.#table.forEach((d, fd) => {
      if (d !== undefined) out.push([fd, d]);
    });
    return out;
  }
}
