/**
 * Reading by blocks and by lines. A {@link BlockReader} recycles one buffer
 * and hands out whole lines as bytes; a {@link LineReader} hands out decoded
 * lines one at a time. Both answer at once where the source does, and both
 * give what has come so far, so that pipes stream.
 */
import { decodeBytes } from "../../../lib/text/bytes.ts";
import type { ByteSource, Later } from "../../host.ts";
import { Failure } from "./options.ts";

export const BLOCK_SIZE = 65_536;
/** A single line may not be longer. */
const MAX_LINE = 256 * 1024 * 1024;

export class BlockReader {
  #buffer: Uint8Array<ArrayBuffer>;
  #start = 0;
  #end = 0;
  #done = false;

  constructor(public source: ByteSource, readonly delimiter = 10, size = BLOCK_SIZE) {
    this.#buffer = new Uint8Array(size);
  }

  /** Goes on with another source and the same buffer. */
  restart(source: ByteSource): this {
    this.source = source;
    this.#start = this.#end = 0;
    this.#done = false;
    return this;
  }

  /**
   * The next bytes: whole lines, each with its delimiter; only the last line
   * of the input may lack it. Valid until the next call; undefined at the end.
   */
  next(): Later<Uint8Array<ArrayBuffer> | undefined> {
    this.#compact();
    for (;;) {
      if (this.#done) return this.#rest();
      const got = this.source.read(this.#buffer.subarray(this.#end));
      if (typeof got !== "number") return this.#later(got);
      const block = this.#took(got);
      if (block) return block;
    }
  }

  async #later(first: Promise<number>): Promise<Uint8Array<ArrayBuffer> | undefined> {
    let got: number = await first;
    for (;;) {
      const block = this.#took(got);
      if (block) return block;
      if (this.#done) return this.#rest();
      got = await this.source.read(this.#buffer.subarray(this.#end));
    }
  }

  #took(got: number): Uint8Array<ArrayBuffer> | undefined {
    if (got === 0) {
      this.#done = true;
      return undefined;
    }
    const from = this.#end;
    this.#end += got;
    const at = this.#buffer.subarray(from, this.#end).lastIndexOf(this.delimiter);
    if (at >= 0) {
      const stop = from + at + 1;
      const block = this.#buffer.subarray(this.#start, stop);
      this.#start = stop;
      return block;
    }
    if (this.#end === this.#buffer.length) {
      if (this.#buffer.length >= MAX_LINE) throw new Failure("line too long");
      const larger = new Uint8Array(this.#buffer.length * 2);
      larger.set(this.#buffer.subarray(0, this.#end));
      this.#buffer = larger;
    }
    return undefined;
  }

  #rest(): Uint8Array<ArrayBuffer> | undefined {
    if (this.#end === this.#start) return undefined;
    const block = this.#buffer.subarray(this.#start, this.#end);
    this.#start = this.#end;
    return block;
  }

  #compact(): void {
    if (this.#start === 0) return;
    if (this.#start < this.#end) this.#buffer.copyWithin(0, this.#start, this.#end);
    this.#end -= this.#start;
    this.#start = 0;
  }
}

export class LineReader {
  readonly #blocks: BlockReader;
  readonly #delimiter: string;
  #lines: string[] = [];
  #at = 0;
  #open = false;
  /** Whether the line that was handed out last ended with the delimiter. */
  terminated = true;

  constructor(source: ByteSource, delimiter = "\n") {
    this.#blocks = new BlockReader(source, delimiter.charCodeAt(0));
    this.#delimiter = delimiter;
  }

  /** The next line without its delimiter, or undefined at the end. */
  next(): Later<string | undefined> {
    if (this.#at < this.#lines.length) return this.#take();
    const block = this.#blocks.next();
    if (block instanceof Promise) return block.then((bytes) => this.#fill(bytes));
    return this.#fill(block);
  }

  #fill(bytes: Uint8Array | undefined): string | undefined {
    this.#at = 0;
    this.#lines = [];
    if (!bytes) return undefined;
    this.#lines = decodeBytes(bytes).split(this.#delimiter);
    this.#open = this.#lines[this.#lines.length - 1] !== "";
    if (!this.#open) this.#lines.pop();
    return this.#take();
  }

  #take(): string {
    const line = this.#lines[this.#at++];
    this.terminated = !(this.#open && this.#at === this.#lines.length);
    return line;
  }
}

/** All bytes of a source, at most `limit` of them. */
export async function readAll(
  source: ByteSource,
  poll: () => void,
  limit = 2 ** 31,
): Promise<Uint8Array<ArrayBuffer>> {
  let buffer = new Uint8Array(BLOCK_SIZE);
  let end = 0;
  for (;;) {
    poll();
    if (end === buffer.length) {
      if (buffer.length >= limit) throw new Failure("memory exhausted");
      const larger = new Uint8Array(Math.min(limit, buffer.length * 2));
      larger.set(buffer);
      buffer = larger;
    }
    const read = source.read(buffer.subarray(end));
    const got = typeof read === "number" ? read : await read;
    if (got === 0) return buffer.subarray(0, end);
    end += got;
  }
}

/** Opens files one after the other and closes each; `open` failures are told to `failed`. */
export interface InputContext {
  readonly stdin: ByteSource;
  open(argument: string): Later<ByteSource>;
}

/** Runs `use` on every file argument (none: stdin), and closes what it opened. Failures go to `failed`. */
export async function eachInput(
  context: InputContext,
  files: readonly string[],
  use: (source: ByteSource, name: string) => Later<void>,
  failed: (name: string, error: unknown) => Promise<void>,
): Promise<void> {
  for (const name of files.length === 0 ? ["-"] : files) {
    let source: ByteSource | undefined;
    try {
      const opened = name === "-" ? context.stdin : context.open(name);
      source = opened instanceof Promise ? await opened : opened;
      const done = use(source, name);
      if (done) await done;
    } catch (error) {
      await failed(name, error);
    } finally {
      if (source && source !== context.stdin) source.close();
    }
  }
}
