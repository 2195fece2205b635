import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { composeSummary, gather } from "../../../src/context/compact/mod.ts";
import type { AnyEntry, Payload } from "../../../src/session/entry.ts";

function path(...payloads: Payload[]): AnyEntry[] {
  return payloads.map((payload, at) => ({
    ...payload,
    id: `e${at}`,
    parentId: at === 0 ? null : `e${at - 1}`,
    at: "2026-01-01T00:00:00Z",
  })) as AnyEntry[];
}

const said = (text: string): Payload => ({
  kind: "submission",
  requestId: text,
  parts: [{ type: "text", text }],
  message: [{ type: "text", text }],
});
const answer = (text: string, ...calls: [name: string, path: string][]): Payload => ({
  kind: "assistant",
  message: {
    role: "assistant",
    parts: [
      { type: "text", text },
      ...calls.map(([name, path], at) => ({
        type: "tool_call" as const,
        id: `c${at}`,
        name,
        arguments: JSON.stringify({ path }),
      })),
    ],
    stopReason: "stop",
    model: "a/b",
  },
});
const result = (text: string, view?: unknown): Payload => ({
  kind: "result",
  callId: "c0",
  name: "read",
  parts: [{ type: "text", text }],
  isError: false,
  ...(view === undefined ? {} : { view }),
});
const fileUse = (name: string, args: string) =>
  name === "read" || name === "write"
    ? { path: JSON.parse(args).path as string, effect: name as "read" | "write" }
    : undefined;

const none = () => Promise.resolve(undefined);

Deno.test("gather() carries the user's words, files, todos, instructions and the kept text over two summaries", async () => {
  const instructions = '<project_context>\n<file path="/ws/a/AGENTS.md">\nRULE\n</file>\n</project_context>';
  const entries = path(
    said("First wish"),
    answer("Looking", ["read", "a.ts"], ["read", "b.ts"]),
    result(`text of a\n${instructions}`),
    answer("Plan", ["write", "b.ts"]),
    result("done", { type: "todo", items: [{ text: "Test it", state: "open" }] }),
    {
      kind: "changes",
      callId: null,
      files: [{ path: "/ws/made-by-a-program", before: null, after: null }],
      lost: [],
    },
    { kind: "compaction", summary: "s", firstKept: null },
    said("Second wish"),
    answer("<session_checkpoint>\nThe port is 4711.\n</session_checkpoint>"),
    said("Third wish"),
  );
  const carried = gather(entries, new Set(["e9"]), fileUse);
  assertEquals(carried.userTexts, ["First wish", "Second wish"]);
  assertEquals(carried.filesRead, ["a.ts"]);
  assertEquals(carried.filesModified, ["b.ts", "/ws/made-by-a-program"]);
  const text = await composeSummary("What was done.", carried, {
    budget: 1_000,
    sessionFile: "/home/s.jsonl",
    keep: none,
  });
  for (
    const part of [
      "What was done.",
      "First wish",
      "Second wish",
      "The port is 4711.",
      "[open] Test it",
      "made-by-a-program",
      instructions,
      "/home/s.jsonl",
    ]
  ) assertStringIncludes(text, part);
  assert(!text.includes("Third wish"));
});

Deno.test("a kept text is used once: by the summary of the part that it stands in", () => {
  const mark = "<session_checkpoint>keep me</session_checkpoint>";
  const entries = path(
    said("a"),
    answer(mark),
    { kind: "compaction", summary: "s", firstKept: null },
    said("b"),
  );
  assertEquals(gather(entries.slice(0, 2), new Set(), fileUse).checkpoint, "keep me");
  assertEquals(gather(entries, new Set(), fileUse).checkpoint, undefined);
  // Kept by the first summary: the second has it.
  const kept = path(
    said("a"),
    answer(mark),
    { kind: "compaction", summary: "s", firstKept: "e1" },
    said("b"),
  );
  assertEquals(gather(kept.slice(0, 2), new Set(["e1"]), fileUse).checkpoint, undefined);
  assertEquals(gather(kept, new Set(), fileUse).checkpoint, "keep me");
});

Deno.test("composeSummary() keeps the newest texts word for word and the rest where it can be read", async () => {
  const texts = Array.from({ length: 50 }, (_, at) => `wish ${at} ${"long ".repeat(100)}`);
  let kept = "";
  const text = await composeSummary("s", {
    userTexts: texts,
    filesRead: [],
    filesModified: [],
    todos: [],
    instructions: [],
    checkpoint: undefined,
  }, {
    budget: 1_000,
    sessionFile: undefined,
    keep: (all) => {
      kept = all;
      return Promise.resolve("artifact://7");
    },
  });
  assertStringIncludes(text, texts[49].trim());
  assert(!text.includes("wish 0 "));
  assertStringIncludes(text, "artifact://7");
  for (const wish of texts) assertStringIncludes(kept, wish);
});

Deno.test("composeSummary() leaves nothing of the user out where nothing can be kept elsewhere", async () => {
  const texts = Array.from({ length: 50 }, (_, at) => `wish ${at} ${"long ".repeat(100)}`);
  const text = await composeSummary("s", {
    userTexts: texts,
    filesRead: [],
    filesModified: [],
    todos: [],
    instructions: [],
    checkpoint: undefined,
  }, { budget: 1_000, sessionFile: undefined, keep: none });
  for (const wish of texts) assertStringIncludes(text, wish.trim());
});
