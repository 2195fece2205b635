import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { planShake } from "../../../src/context/compact/mod.ts";
import type { Message } from "../../../src/llm/message.ts";

const text = (text: string) => ({ type: "text" as const, text });
const image = { type: "image" as const, mediaType: "image/png", data: "AA==" };
const LONG = "line of output\n".repeat(400);

const MESSAGES: Message[] = [
  { role: "system", text: "prompt" },
  { role: "user", parts: [text(`Look:\n\`\`\`\n${LONG}\`\`\`\nWhat is it?`), image] },
  {
    role: "assistant",
    parts: [{ type: "thinking", text: "hm ".repeat(100) }, {
      type: "tool_call",
      id: "c",
      name: "bash",
      arguments: "{}",
    }],
    stopReason: "tool_calls",
    model: "a/b",
  },
  { role: "tool_result", callId: "c", name: "bash", parts: [text(LONG), image], isError: false },
  { role: "user", parts: [text("word ".repeat(4_500)), image] },
];
const ORIGINS = ["e0", "e1", "e2", "e3", "e4"];

function store() {
  const kept: string[] = [];
  return { kept, keep: (one: string) => Promise.resolve(`artifact://${kept.push(one)}`) };
}

Deno.test("planShake(elide) puts references in place of old results and large blocks, and nothing is lost", async () => {
  const { kept, keep } = store();
  const { edits, freed } = await planShake("elide", MESSAGES, ORIGINS, keep);
  assertEquals(edits.map(({ entry }) => entry), ["e1", "e3"]);
  const [said, shown] = edits.map(({ parts }) => parts![0]);
  assert(said.type === "text" && shown.type === "text");
  assertStringIncludes(said.text, "Look:\n[cleared ~");
  assertStringIncludes(said.text, "artifact://1]\nWhat is it?");
  assertStringIncludes(shown.text, "artifact://2");
  assertEquals(kept, [`\`\`\`\n${LONG}\`\`\``, LONG]);
  assertEquals(edits[1].parts![1], image);
  assert(freed > 1_000);
});

Deno.test("planShake(elide) leaves a text where it cannot be kept elsewhere", async () => {
  assertEquals((await planShake("elide", MESSAGES, ORIGINS, () => Promise.resolve(undefined))).edits, []);
});

Deno.test("planShake(images) and (thinking) leave out what is older than the newest messages", async () => {
  const { keep } = store();
  const images = await planShake("images", MESSAGES, ORIGINS, keep);
  assertEquals(images.edits, [{ entry: "e1", drop: "images" }, { entry: "e3", drop: "images" }]);
  assert(images.freed > 2_000);
  const thinking = await planShake("thinking", MESSAGES, ORIGINS, keep);
  assertEquals(thinking.edits, [{ entry: "e2", drop: "thinking" }]);
});

Deno.test("planShake() leaves instructions that came with a result where they are", async () => {
  const { keep, kept } = store();
  const rules = text('<project_context>\n<file path="/ws/sub/AGENTS.md">\nRULE\n</file>\n</project_context>');
  const messages = MESSAGES.map((message) =>
    message.role === "tool_result" ? { ...message, parts: [text(LONG), rules] } : message
  );
  const { edits } = await planShake("elide", messages, ORIGINS, keep);
  const parts = edits.find(({ entry }) => entry === "e3")?.parts;
  assertEquals(parts?.at(-1), rules);
  assert(!kept.join("").includes("RULE"));
});
