import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { createCommandOutput } from "../../../src/tools/shared/command_output.ts";

interface Kept {
  readonly chunks: Uint8Array[];
  closed: boolean;
}

async function output(pieces: (string | Uint8Array)[], maxBytes = 4096) {
  const kept: Kept = { chunks: [], closed: false };
  let created = 0;
  let live = "";
  const command = createCommandOutput({
    maxBytes,
    createArtifact() {
      created++;
      return Promise.resolve({
        id: 7,
        path: "/s/artifacts/7.txt",
        write: (bytes) => Promise.resolve(void kept.chunks.push(bytes.slice())),
        close: () => Promise.resolve(void (kept.closed = true)),
      });
    },
    live: (text) => live += text,
  });
  const shared = new Uint8Array(1 << 20);
  for (const piece of pieces) {
    // As an interpreter does: one buffer, used again.
    const bytes = typeof piece === "string" ? new TextEncoder().encode(piece) : piece;
    shared.set(bytes);
    await command.write(shared.subarray(0, bytes.length));
  }
  const text = await command.end();
  const size = kept.chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const whole = new Uint8Array(size);
  kept.chunks.reduce((at, chunk) => (whole.set(chunk, at), at + chunk.length), 0);
  return { text, live, created, kept, whole: new TextDecoder().decode(whole) };
}

Deno.test("command output that fits is given whole, and nothing is kept elsewhere", async () => {
  const { text, live, created } = await output(["one\n", "two\n"]);
  assertEquals([text, live, created], ["one\ntwo\n", "one\ntwo\n", 0]);
});

Deno.test("command output that does not fit: head, tail, the cut named, all of it in an artifact", async () => {
  const lines = Array.from({ length: 5000 }, (_, i) => `line ${i}\n`);
  const { text, kept, whole } = await output(lines);
  assert(text.length < 4096 + 300, String(text.length));
  assertStringIncludes(text, "line 0\n");
  assertStringIncludes(text, "line 4999");
  assertMatch(
    text,
    /\[… [\d,]+ lines, [\d,]+ bytes left out; full text: artifact:\/\/7 \(\/s\/artifacts\/7\.txt\) …\]/,
  );
  assertEquals(whole, lines.join(""));
  assert(kept.closed);
});

Deno.test("command output folds what was overwritten, over the borders of pieces", async () => {
  const { text } = await output(["10%\r", "20%", "\r100%\n", "done\r", "\n"]);
  assertEquals(text, "100%\ndone\n");
  const progress = await output(Array.from({ length: 100_000 }, (_, i) => `${i}%\r`));
  assertEquals(progress.text, "99999%");
});

Deno.test("command output is free of control sequences and well formed", async () => {
  const euro = new TextEncoder().encode("€");
  const { text } = await output([
    "\x1b[2J\x1b]0;title\x07red \x1b[31mtext\x1b[0m\u202e ",
    euro.slice(0, 1),
    euro.slice(1),
    "\n",
  ]);
  assertMatch(text, /^red text.*€\n$/);
  assert(!text.includes("\x1b") && !text.includes("\u202e"));
  assert(text.isWellFormed());
});

Deno.test("command output that is binary is named, not shown", async () => {
  const { text } = await output([new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1])]);
  assertEquals(text, "[binary output, 7 bytes]");
});
