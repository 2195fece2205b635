/** Reads the end of a file of text that somebody else may have put there. */

/** The whole lines among the last `limit` bytes; undefined where there is no plain file of text. */
export function readTail(path: string, limit: number): string | undefined {
  try {
    if (!Deno.statSync(path).isFile) return undefined;
    using file = Deno.openSync(path);
    const size = file.seekSync(0, Deno.SeekMode.End);
    const from = Math.max(0, size - limit);
    file.seekSync(from, Deno.SeekMode.Start);
    const bytes = new Uint8Array(size - from);
    let at = 0;
    for (let n: number | null; at < bytes.length && (n = file.readSync(bytes.subarray(at))) !== null;) {
      at += n;
    }
    const text = new TextDecoder().decode(bytes.subarray(0, at));
    return from === 0 ? text : text.slice(text.indexOf("\n") + 1);
  } catch {
    return undefined; // Not there, or not to be read: the caller does without.
  }
}
