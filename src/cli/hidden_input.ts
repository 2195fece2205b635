/** A line that nobody can read over the shoulder: from a terminal without an echo, else from stdin as it is. */
import { UsageError } from "./args.ts";

const MAX_LENGTH = 20_000;

/** Asks and reads one line. Throws UsageError where nothing comes, and where the person gives up. */
export async function readHidden(question: string): Promise<string> {
  if (!Deno.stdin.isTerminal()) return await firstLine();
  await Deno.stderr.write(new TextEncoder().encode(question));
  Deno.stdin.setRaw(true);
  try {
    return await typed();
  } finally {
    Deno.stdin.setRaw(false);
    await Deno.stderr.write(new TextEncoder().encode("\n"));
  }
}

async function firstLine(): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of Deno.stdin.readable) {
    text += decoder.decode(bytes, { stream: true });
    if (text.includes("\n") || text.length > MAX_LENGTH) break;
  }
  const line = text.split(/\r?\n/, 1)[0].trim();
  if (line === "") throw new UsageError("No key came on stdin", "Pipe it in, or type it at a terminal");
  return line;
}

/** Keys until Enter; Backspace and Ctrl-U work, Ctrl-C and Ctrl-D give up. A pasted line is one. */
async function typed(): Promise<string> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(1024);
  let line = "";
  for (;;) {
    const count = await Deno.stdin.read(buffer);
    if (count === null) break;
    // What brackets a paste is no part of it.
    const text = decoder.decode(buffer.subarray(0, count), { stream: true }).replaceAll(/\x1b\[20[01]~/g, "");
    for (const char of text) {
      if (char === "\r" || char === "\n") return line.trim();
      if (char === "\x03" || char === "\x04") throw new UsageError("Nothing was changed");
      if (char === "\x7f" || char === "\b") line = [...line].slice(0, -1).join("");
      else if (char === "\x15") line = "";
      else if (char >= " " && line.length < MAX_LENGTH) line += char;
    }
  }
  return line.trim();
}
