import { assertEquals, assertStringIncludes } from "@std/assert";
import { chatPage } from "../../../scripts/chat_docs.ts";
import { createKeymap } from "../../../src/ui/tui/keymap.ts";

Deno.test("createKeymap() tells of actions that there are not and of keys that mean two things", () => {
  const { problems, is } = createKeymap({
    "chat.nope": ["ctrl+y"],
    "chat.help": ["ctrl+t"],
    "chat.thinking": ["ctrl+t"],
  });
  assertEquals(problems.length, 2);
  assertStringIncludes(problems[0], "chat.nope");
  assertStringIncludes(problems[1], "ctrl+t");
  assertEquals(is("\x14", "chat.help"), true);
});

Deno.test("docs/chat.md has the keys and frames as they are", async () => {
  const file = new URL("../../../docs/chat.md", import.meta.url);
  const page = await Deno.readTextFile(file);
  assertEquals(page, await chatPage(page));
});
