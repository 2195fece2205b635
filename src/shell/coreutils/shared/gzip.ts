/** Compressing and decompressing streams of bytes with the platform's own streams, with back-pressure. */
import type { ByteSink, ByteSource } from "../../host.ts";
import { BLOCK_SIZE } from "./blocks.ts";

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

/**
 * Decompresses; several members in a row are one text, as gzip has it. The
 * platform's stream stops at the first, so the members are taken apart here.
 */
export async function decompress(source: ByteSource, sink: ByteSink, poll: () => void): Promise<void> {
  const head = await peek(source, 2);
  if (head.bytes.length === 0) return;
  if (head.bytes[0] !== 0x1f || head.bytes[1] !== 0x8b) throw new BadGzip("not in gzip format");
  try {
    await pump(head.source, sink, new DecompressionStream("gzip") as never, poll);
  } catch (error) {
    if (error instanceof TypeError) {
      throw new BadGzip(
        /unexpected end|incomplete|truncat|missing/i.test(error.message)
          ? "unexpected end of file"
          : "invalid compressed data--format violated",
      );
    }
    throw error;
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
