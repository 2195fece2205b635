/** The names of sessions' files: pure text, no disk. */

/** Where the sessions of workspaces stand below the folder of all sessions. */
export function folderName(cwd: string): string {
  const readable = cwd.replace(/[^A-Za-z0-9.]+/g, "-").replace(/^[-.]+|[-.]+$/g, "");
  return `${readable.slice(-48).replace(/^[-.]+/, "") || "root"}-${hash(cwd)}`;
}

/** The file name of a session made at `at`. */
export function fileName(id: string, at: Date): string {
  const time = at.toISOString().replace(/\.\d+/, "").replace(/[-:]/g, "");
  return `${time}_${id}.jsonl`;
}

const NAME = /^\d{8}T\d{6}Z_([0-9a-f-]{36})\.jsonl$/;

/** The id in a session's path; undefined where the name is none that this program gives. */
export function idOf(path: string): string | undefined {
  return NAME.exec(path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1))?.[1];
}

/** The folder of a session's artifacts. */
export function artifactsPath(file: string): string {
  return file.endsWith(".jsonl") ? file.slice(0, -".jsonl".length) : file + ".artifacts";
}

/** The file among a session's artifacts that holds what a running call has changed so far. */
export const PENDING = "pending.jsonl";

/** An id as short as people like it, and still good to find the session by: its random end. */
export function shortId(id: string): string {
  return id.slice(-8);
}

/** FNV-1a, 64 bits, in base 36: tells workspaces apart whose readable ends are the same. */
function hash(text: string): string {
  let value = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    value = ((value ^ BigInt(byte)) * 0x100000001b3n) & 0xffff_ffff_ffff_ffffn;
  }
  return value.toString(36);
}
