import { assertEquals } from "@std/assert";
import { nameContents, withContents } from "../../src/engine/local_content.ts";
import { messageOf } from "../../src/engine/prompt_parts.ts";
import { createMemorySession, type PromptPart } from "../../src/session/mod.ts";

const content = (name: string, text: string): PromptPart => ({
  type: "content",
  name,
  data: new TextEncoder().encode(text).toBase64(),
});
const submit = (parts: readonly PromptPart[]) =>
  ({ kind: "submission", requestId: crypto.randomUUID(), parts, message: messageOf(parts) }) as const;
const names = (parts: readonly PromptPart[]) => parts.map((part) => part.type === "content" ? part.name : "");
const NO_OUTPUTS = { read: () => Promise.resolve(undefined) };

Deno.test("nameContents() gives each content one name in the session, free of folders and controls", async () => {
  const session = createMemorySession({ cwd: "/ws" });
  const first = nameContents([content("../../etc/a b\n.txt", "one"), content("a.txt", "x")], session);
  assertEquals(names(first), ["a_b_.txt", "a.txt"]);
  await session.append(submit(first));
  const second = nameContents([content("a.txt", "y"), content("a.txt", "x"), content("..", "z")], session);
  assertEquals(names(second), ["a-2.txt", "a.txt", "content"]);
  await session.append(submit(second));
  const store = withContents(NO_OUTPUTS, session, () => undefined);
  const read = async (name: string) => new TextDecoder().decode(await store.read(`local/${name}`, 0, 100));
  assertEquals([await read("a.txt"), await read("a-2.txt"), await read("a_b_.txt")], ["x", "y", "one"]);
  assertEquals(await store.read("local/b.txt", 0, 100), undefined);
});

Deno.test("messageOf() names content in its place, and shows a picture as well", () => {
  const session = createMemorySession({ cwd: "/ws" });
  const png = "iVBORw0KGgoAAAANSUhEUg==";
  const parts = nameContents([
    { type: "text", text: "Compare " },
    { type: "file", path: "docs/design.png" },
    { type: "text", text: " with" },
    { type: "content", name: "shot.png", data: png },
  ], session);
  assertEquals(messageOf(parts), [
    { type: "text", text: "Compare docs/design.png with [handed over: local://shot.png, 16 bytes] " },
    { type: "image", mediaType: "image/png", data: png },
  ]);
});
