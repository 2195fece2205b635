/** What is piped into a run. */
import { concatBytes } from "../lib/bytes.ts";
import { UsageError } from "./args.ts";

export interface PipedText {
  /** Undefined: stdin is a terminal, or nothing came. */
  readonly text: string | undefined;
  /** It stayed open and silent, and was not waited for. */
  readonly silent: boolean;
  /** There was more than is read. */
  readonly cut?: true;
}

/** How long a pipe may be silent before a run that has a prompt starts without it, in milliseconds. */
const PATIENCE_MS = 500;
/** More than this is not read. */
export const MAX_STDIN_BYTES = 10 * 1024 * 1024;

/**
 * Reads stdin to its end. With `wait` false a pipe that says nothing at first
 * is given up, because it may never end. Throws UsageError where it is no text.
 */
export async function readPiped(wait: boolean): Promise<PipedText> {
  if (Deno.stdin.isTerminal()) return { text: undefined, silent: false };
  const chunks: Uint8Array[] = [];
  let size = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  for (;;) {
    const buffer = new Uint8Array(64 * 1024);
    const reading = Deno.stdin.read(buffer);
    let n: number | null;
    if (wait || size > 0) n = await reading;
    else {
      const late = new Promise<"late">((resolve) => timer = setTimeout(() => resolve("late"), PATIENCE_MS));
      const first = await Promise.race([reading, late]);
      clearTimeout(timer);
      if (first === "late") return { text: undefined, silent: true };
      n = first;
    }
    if (n === null) break;
    chunks.push(buffer.subarray(0, n));
    size += n;
    if (size > MAX_STDIN_BYTES) break;
  }
  if (size === 0) return { text: undefined, silent: false };
  const bytes = concatBytes(chunks, size);
  if (bytes.includes(0)) {
    throw new UsageError(
      "What came on stdin is no text",
      "An image or a PDF is handed over with --attach FILE",
    );
  }
  const text = new TextDecoder().decode(bytes);
  return size > MAX_STDIN_BYTES ? { text, silent: false, cut: true } : { text, silent: false };
}
