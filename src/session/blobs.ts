/**
 * The full outputs of a session: files N.txt in its own folder, written once,
 * read back in pieces. Numbers go on where an earlier run stopped. Which call
 * each belongs to stands in `calls.jsonl` beside them, so that a call that was
 * cut off can name what it had put out.
 */

import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { ioError } from "./log/io_error.ts";

/** Where artifacts are kept, and how they are named to the model (`artifact://N`). */
export interface ArtifactStore {
  create(callId: string): Promise<ArtifactFile>;
  /** At most `length` bytes from `offset`; undefined where there is no such artifact. */
  read(id: number, offset: number, length: number): Promise<Uint8Array | undefined>;
}

export interface ArtifactFile {
  readonly id: number;
  readonly path: string;
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

const CALLS = "calls.jsonl";

/** What a call has put out so far: numbers and paths of its outputs, in the order in which they were begun. */
export function outputsOf(folder: string, callId: string): { id: number; path: string }[] {
  let text: string;
  try {
    text = Deno.readTextFileSync(`${folder}/${CALLS}`);
  } catch {
    return []; // none was ever kept
  }
  return text.split("\n").flatMap((line) => {
    try {
      const one = JSON.parse(line);
      return one.callId === callId && Number.isInteger(one.id)
        ? [{ id: one.id, path: `${folder}/${one.id}.txt` }]
        : [];
    } catch {
      return []; // Empty, or torn by a crash.
    }
  });
}

/** A store in the folder that `folder` answers, which is asked at first use. */
export function openArtifacts(folder: () => Promise<string>): ArtifactStore {
  let opened: Promise<{ dir: string; next: number }> | undefined;
  const open = () =>
    opened ??= (async () => {
      const dir = await folder();
      let next = 1;
      for await (const entry of Deno.readDir(dir)) {
        const match = /^(\d+)\.txt$/.exec(entry.name);
        if (match !== null) next = Math.max(next, Number(match[1]) + 1);
      }
      return { dir, next };
    })();
  return {
    async create(callId) {
      const state = await open();
      const id = state.next++;
      const path = `${state.dir}/${id}.txt`;
      const file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
      await Deno.writeTextFile(`${state.dir}/${CALLS}`, JSON.stringify({ id, callId }) + "\n", {
        append: true,
        mode: 0o600,
      });
      return {
        id,
        path,
        async write(bytes) {
          for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
        },
        close() {
          file.close();
          return Promise.resolve();
        },
      };
    },
    async read(id, offset, length) {
      const { dir } = await open();
      let file: Deno.FsFile;
      try {
        file = await Deno.open(`${dir}/${id}.txt`);
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return undefined;
        throw error;
      }
      using _ = file;
      await file.seek(offset, Deno.SeekMode.Start);
      const bytes = new Uint8Array(length);
      let at = 0;
      while (at < length) {
        const n = await file.read(bytes.subarray(at));
        if (n === null) break;
        at += n;
      }
      return bytes.subarray(0, at);
    },
  };
}

/** Bytes by their SHA-256, one file each, shared by all sessions. Base64 in, base64 out. */
export interface AttachmentStore {
  /** Keeps them, durably; answers with their hash, undefined for what is no base64. Throws "io". */
  put(base64: string): string | undefined;
  /** Undefined where they are not there, or not what they were. */
  get(hash: string): string | undefined;
}

/** Contents that were read last and are kept in memory: each request needs the same ones. */
const REMEMBERED = 4;

export function openAttachments(folder: string): AttachmentStore {
  const recent = new Map<string, string>();
  const remember = (hash: string, base64: string) => {
    recent.delete(hash);
    recent.set(hash, base64);
    for (const old of recent.keys()) if (recent.size > REMEMBERED) recent.delete(old);
  };
  const pathOf = (hash: string) => `${folder}/${hash.slice(0, 2)}/${hash}`;
  return {
    put(base64) {
      let bytes: Uint8Array;
      try {
        bytes = Uint8Array.fromBase64(base64);
      } catch {
        return undefined;
      }
      const hash = hashOf(bytes);
      const path = pathOf(hash);
      try {
        if (!isFile(path, bytes.length)) writeDurably(path, bytes);
      } catch (error) {
        throw ioError(error, `Cannot keep an attachment in "${folder}"`);
      }
      remember(hash, base64);
      return hash;
    },
    get(hash) {
      const known = recent.get(hash);
      if (known !== undefined) return known;
      let bytes: Uint8Array;
      try {
        bytes = Deno.readFileSync(pathOf(hash));
      } catch {
        return undefined; // whoever needs it says what is missing
      }
      if (hashOf(bytes) !== hash) return undefined;
      const base64 = bytes.toBase64();
      remember(hash, base64);
      return base64;
    },
  };
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)).digest("hex");
}

function isFile(path: string, size: number): boolean {
  try {
    const info = Deno.statSync(path);
    return info.isFile && info.size === size;
  } catch {
    return false;
  }
}

/** Whole under another name first: what has the right name is right. */
function writeDurably(path: string, bytes: Uint8Array): void {
  const cut = path.lastIndexOf("/");
  Deno.mkdirSync(path.slice(0, cut), { recursive: true, mode: 0o700 });
  const fresh = `${path}.${crypto.randomUUID().slice(0, 8)}`;
  using file = Deno.openSync(fresh, { write: true, createNew: true, mode: 0o600 });
  for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
  file.syncDataSync();
  Deno.renameSync(fresh, path);
}
