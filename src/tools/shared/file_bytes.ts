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

/** All bytes of an open file, or undefined where they are more than `max`. `size`: what it says that it has. */
export async function readAll(
  file: HostFile,
  max: number,
  size = file.stat().size,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
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

/** Opens what is a plain file; anything that could block or act on being read (pipes, devices, sockets) is refused. `kind`: what stands there. */
export async function openFile(fs: HostFs, path: string, kind = fs.stat(path).kind): Promise<HostFile> {
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

/** Up to so many bytes a fingerprint is made in place: sooner than another thread would answer. */
const SMALL = 4 * 1024;

/** Tells whether bytes are the same as before: SHA-256 in hex, for few bytes two lanes of FNV-1a. Nothing to rely on against somebody who makes bytes to fit. */
export async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  if (bytes.length <= SMALL) return fingerprint(bytes);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** FNV-1a of 32 bits (draft-eastlake-fnv) from two offsets, the second one over the bytes from their end. */
function fingerprint(bytes: Uint8Array): string {
  let [one, other] = [0x811c9dc5, bytes.length ^ 0x5bd1e995];
  for (let i = 0, j = bytes.length - 1; j >= 0; i++, j--) {
    one = Math.imul(one ^ bytes[i], 0x01000193);
    other = Math.imul(other ^ bytes[j], 0x01000193);
  }
  return `${bytes.length}:${(one >>> 0).toString(16)}${(other >>> 0).toString(16)}`;
}
