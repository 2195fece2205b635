/**
 * Gzip over streams of bytes, with back-pressure: compressed by the platform's
 * own stream, decompressed here, member by member.
 */
import type { ByteSink, ByteSource } from "../../host.ts";
import { BLOCK_SIZE } from "./blocks.ts";
import { crc32 } from "./crc32.ts";
import { CorruptDeflate } from "./huffman.ts";
import { Inflater } from "./inflate.ts";

export type Coding = "gzip" | "deflate-raw";

/** Passes everything from `source` through a transform into `sink`. */
async function pump(
  source: ByteSource,
  sink: ByteSink,
  transform: { readable: ReadableStream<Uint8Array>; writable: WritableStream<BufferSource> },
  poll: () => void,
): Promise<void> {
  const writer = transform.writable.getWriter();
  const reader = transform.readable.getReader();
  const feed = async (): Promise<void> => {
    for (;;) {
      poll();
      // The stream keeps what it is given: a new buffer for each piece.
      const buffer = new Uint8Array(BLOCK_SIZE);
      const got = await source.read(buffer);
      if (got === 0) break;
      await writer.write(buffer.subarray(0, got));
    }
    await writer.close();
  };
  const fed = feed();
  // Reported below, together with what the reader says.
  fed.catch(() => {});
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const written = sink.write(value);
      if (written) await written;
    }
    await fed;
  } catch (error) {
    await writer.abort(error).catch(() => {});
    await reader.cancel(error).catch(() => {});
    await fed.catch(() => {});
    throw error;
  }
}

export async function compress(source: ByteSource, sink: ByteSink, poll: () => void): Promise<void> {
  await pump(source, sink, new CompressionStream("gzip"), poll);
}

/** The data is damaged or no gzip at all. */
export class BadGzip extends Error {}

/** Bytes behind the last member that are none: gzip says so and goes on. */
export class TrailingGarbage extends Error {}

/**
 * Decompresses; several members in a row are one text, as gzip has it. What
 * follows the last one and is no member is an error when all is written.
 */
export async function decompress(source: ByteSource, sink: ByteSink, poll: () => void): Promise<void> {
  const reader = new Reader(source, poll);
  for (let first = true;; first = false) {
    const begin = await reader.bytes(2);
    if (begin.length === 0) return;
    if (begin[0] !== 0x1f || begin[1] !== 0x8b) {
      if (first) throw new BadGzip("not in gzip format");
      // Zeros are padding.
      for (let rest = begin; rest.length > 0; rest = await reader.bytes(BLOCK_SIZE)) {
        if (rest.some((byte) => byte !== 0)) throw new TrailingGarbage();
      }
      return;
    }
    await skipHeader(reader);
    await member(reader, sink, poll);
  }
}

/** Bytes of a source, some of which may be given back. */
class Reader {
  #kept = new Uint8Array(0);
  ended = false;
  constructor(readonly source: ByteSource, readonly poll: () => void) {}

  /** So many bytes, fewer only at the end. */
  async bytes(count: number): Promise<Uint8Array> {
    while (this.#kept.length < count && !this.ended) await this.#fill();
    const part = this.#kept.subarray(0, count);
    this.#kept = this.#kept.subarray(count);
    return part;
  }

  /** What is at hand, else what is read next. */
  async piece(): Promise<Uint8Array> {
    if (this.#kept.length === 0) await this.#fill();
    return this.bytes(this.#kept.length);
  }

  /** Puts bytes back, to be read next. */
  giveBack(bytes: Uint8Array): void {
    this.#kept = joined(bytes, this.#kept);
  }

  async #fill(): Promise<void> {
    this.poll();
    const buffer = new Uint8Array(BLOCK_SIZE);
    const got = await this.source.read(buffer);
    if (got === 0) this.ended = true;
    else this.#kept = joined(this.#kept, buffer.subarray(0, got));
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(a.length + b.length);
  whole.set(a);
  whole.set(b, a.length);
  return whole;
}

async function skipHeader(reader: Reader): Promise<void> {
  const head = await reader.bytes(8);
  if (head.length < 8) throw new BadGzip("unexpected end of file");
  if (head[0] !== 8) throw new BadGzip(`unknown method ${head[0]} -- not supported`);
  const flags = head[1];
  if ((flags & 4) !== 0) {
    const size = await reader.bytes(2);
    await reader.bytes(size[0] + (size[1] << 8));
  }
  // A name, a comment.
  for (const flag of [8, 16]) {
    if ((flags & flag) === 0) continue;
    for (let byte = await reader.bytes(1); byte.length > 0 && byte[0] !== 0;) byte = await reader.bytes(1);
  }
  if ((flags & 2) !== 0) await reader.bytes(2);
}

async function member(reader: Reader, sink: ByteSink, poll: () => void): Promise<void> {
  const inflater = new Inflater();
  let crc = 0, size = 0;
  try {
    for (let outcome = inflater.run(); outcome !== "end"; outcome = inflater.run()) {
      poll();
      if (outcome === "input") inflater.feed(await reader.piece(), reader.ended);
      else await write(inflater.take());
    }
  } catch (error) {
    if (!(error instanceof CorruptDeflate)) throw error;
    await write(inflater.take());
    throw new BadGzip(
      error.why === "end" ? "unexpected end of file" : "invalid compressed data--format violated",
    );
  }
  await write(inflater.take());
  reader.giveBack(inflater.rest());
  const end = await reader.bytes(8);
  if (end.length < 8) throw new BadGzip("unexpected end of file");
  const view = new DataView(end.buffer, end.byteOffset, 8);
  if (view.getUint32(0, true) !== crc >>> 0) throw new BadGzip("invalid compressed data--crc error");
  if (view.getUint32(4, true) !== size >>> 0) throw new BadGzip("invalid compressed data--length error");

  async function write(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return;
    crc = crc32(bytes, crc);
    size = (size + bytes.length) >>> 0;
    const written = sink.write(bytes);
    if (written) await written;
  }
}

/** Looks at the first bytes; the source returned has them still. */
export async function peek(
  source: ByteSource,
  count: number,
): Promise<{ bytes: Uint8Array; source: ByteSource }> {
  const bytes = new Uint8Array(count);
  let end = 0;
  while (end < count) {
    const got = await source.read(bytes.subarray(end));
    if (got === 0) break;
    end += got;
  }
  let at = 0;
  const head = bytes.subarray(0, end);
  return {
    bytes: head,
    source: {
      read(into) {
        if (at >= end) return source.read(into);
        const part = head.subarray(at, Math.min(end, at + into.length));
        into.set(part);
        at += part.length;
        return part.length;
      },
      close: () => source.close(),
    },
  };
}
