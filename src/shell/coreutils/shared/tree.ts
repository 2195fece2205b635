/**
 * Operations on whole trees that several utilities need: removing one, copying
 * file contents, asking a question on stdin.
 */
import type { UtilityContext } from "../../builtin.ts";
import { type FileStat, HostError } from "../../host.ts";
import { BLOCK_SIZE, LineReader } from "./blocks.ts";
import { isStream } from "./paths.ts";

/** The state of a path itself, or undefined where nothing is there. */
export function lstatIfThere(context: UtilityContext, path: string): FileStat | undefined {
  return ifThere(() => context.fs.lstat(path));
}

/** The state of what a path leads to, or undefined where nothing is there (or the link dangles). */
export function statIfThere(context: UtilityContext, path: string): FileStat | undefined {
  return ifThere(() => context.fs.stat(path));
}

function ifThere(get: () => FileStat): FileStat | undefined {
  try {
    return get();
  } catch (error) {
    if (
      error instanceof HostError &&
      (error.code === "ENOENT" || error.code === "ENOTDIR" || error.code === "ELOOP")
    ) return undefined;
    throw error;
  }
}

/** Copies the contents of a file into another, which is made or emptied. */
export async function copyContents(
  context: UtilityContext,
  from: string,
  to: string,
  mode: number,
  exclusive: boolean,
): Promise<void> {
  const source = isStream(from) ? await context.open(from) : await context.fs.open(from, { read: true });
  try {
    const target = isStream(to)
      ? await context.create(to)
      : await context.fs.open(to, { write: true, create: true, truncate: !exclusive, exclusive, mode });
    try {
      const buffer = new Uint8Array(BLOCK_SIZE);
      for (;;) {
        context.poll();
        const read = source.read(buffer);
        const got = typeof read === "number" ? read : await read;
        if (got === 0) return;
        const done = target.write(buffer.subarray(0, got));
        if (done) await done;
      }
    } finally {
      target.close();
    }
  } finally {
    source.close();
  }
}

const readers = new WeakMap<UtilityContext, LineReader>();

/** Asks on stderr and reads the answer from stdin; anything but y is no. */
export async function confirm(context: UtilityContext, question: string): Promise<boolean> {
  await context.stderr.print(`${context.name}: ${question} `);
  await context.stderr.flush();
  let reader = readers.get(context);
  if (!reader) readers.set(context, reader = new LineReader(context.stdin));
  const answer = await reader.next();
  return answer !== undefined && /^\s*[yY]/.test(answer);
}

/** Removes a tree without a word; throws at the first failure. */
export function removeTree(context: UtilityContext, path: string): void {
  context.poll();
  if (context.fs.lstat(path).kind !== "dir") {
    context.fs.unlink(path);
    return;
  }
  for (const entry of context.fs.readDir(path)) removeTree(context, `${path}/${entry.name}`);
  context.fs.rmdir(path);
}
