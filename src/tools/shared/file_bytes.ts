/** Reading the bytes of files through the host, with bounds on memory. */
import { HostError, type HostFile, type HostFs } from "../../sandbox/mod.ts";

const CHUNK = 1 << 20;

/** Fills `into` as far as the file goes; the number of bytes read. */
export async function fill(file: Pick<HostFile, "read">, into: Uint8Array): Promise<number> {
  let at = 0;
  while (at < into.length) {
    const count = file.read(into.subarray(at));
    const read = typeof count === "number" ? count : await count;
    if (read === 0) break;
    at += read;
  }
  return at;
}

/** All bytes of an open file, or undefined where they are more than `max`. */
export async function readAll(file: HostFile, max: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const size = file.stat().size;
  if (size > max) return undefined;
  // One byte more than it says: a full buffer then tells that there is more (files of /proc say 0).
  let bytes = new Uint8Array(size + 1);
  let length = await fill(file, bytes);
  while (length === bytes.length) {
    if (length > max) return undefined;
    const larger = new Uint8Array(Math.min(max + 1, Math.max(64 * 1024, 2 * length)));
    if (larger.length <= length) return undefined;
    larger.set(bytes);
    bytes = larger;
    length += await fill(file, bytes.subarray(length));
  }
  return bytes.subarray(0, length);
}

/** The pieces of an open file from where it stands. The buffer is used again: take what you need before going on. */
export async function* chunks(file: HostFile, poll: () => void): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(CHUNK);
  while (true) {
    poll();
    const count = await fill(file, buffer);
    if (count === 0) return;
    yield buffer.subarray(0, count);
  }
}

/** Opens what is a plain file; anything that could block or act on being read (pipes, devices, sockets) is refused. */
export async function openFile(fs: HostFs, path: string): Promise<HostFile> {
  const kind = fs.stat(path).kind;
  if (kind === "dir") throw new HostError("EISDIR", path);
  if (kind !== "file") throw new HostError("ENOTSUP", path, `Not a file but a ${KIND[kind]}`);
  return await fs.open(path, { read: true });
}

const KIND: Readonly<Record<string, string>> = {
  fifo: "named pipe",
  socket: "socket",
  char: "device",
  block: "device",
  symlink: "link",
};

/** SHA-256 in hex. */
export async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
