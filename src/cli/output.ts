/** stdout and stderr as interfaces want them: ordered, not held up by a slow reader of a pipe, quiet when he has gone. */
import { describe } from "../lib/errors.ts";
import type { Output } from "../ui/mod.ts";

interface Stream {
  write(bytes: Uint8Array): Promise<number>;
  writeSync(bytes: Uint8Array): number;
  isTerminal(): boolean;
}

/** `onGone` is called once when nobody reads any more (undefined), or with why nothing can be written. */
export function openOutput(stream: Stream, onGone: (failure?: string) => void): Output {
  // A dumb terminal can neither move its cursor nor colour: it gets lines, as a file does.
  const screen = stream.isTerminal();
  const terminal = screen && Deno.env.get("TERM") !== "dumb";
  const encoder = new TextEncoder();
  let waiting = "";
  let writing: Promise<void> | undefined;
  let gone = false;

  async function drain(): Promise<void> {
    while (waiting !== "" && !gone) {
      const bytes = encoder.encode(waiting);
      waiting = "";
      try {
        for (let at = 0; at < bytes.length;) at += await stream.write(bytes.subarray(at));
      } catch (error) {
        gone = true;
        waiting = "";
        onGone(error instanceof Deno.errors.BrokenPipe ? undefined : describe(error));
      }
    }
    writing = undefined;
  }

  /** To a terminal at once: answer and progress go to the same screen, and their order counts. */
  function writeNow(text: string): void {
    const bytes = encoder.encode(text);
    try {
      for (let at = 0; at < bytes.length;) at += stream.writeSync(bytes.subarray(at));
    } catch (error) {
      if (error instanceof Deno.errors.WouldBlock) {
        waiting += text;
        writing ??= drain();
        return;
      }
      gone = true;
      onGone(describe(error));
    }
  }

  return {
    terminal,
    color: terminal && !Deno.env.get("NO_COLOR"),
    get columns() {
      return columnsOf(terminal);
    },
    write(text) {
      if (gone) return;
      if (screen) return writeNow(text);
      waiting += text;
      writing ??= drain();
    },
    async flush() {
      while (writing !== undefined) await writing;
    },
  };
}

function columnsOf(terminal: boolean): number {
  if (!terminal) return 100;
  try {
    return Deno.consoleSize().columns || 80;
  } catch {
    return 80; // the terminal is another stream's
  }
}
