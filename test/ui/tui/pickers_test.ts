import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { ChatWish } from "../../../src/ui/interface.ts";
import { SCENES } from "./scenes.ts";
import { openVirtual, type VirtualChat, type VirtualOptions } from "./virtual.ts";

const scene = (name: string): VirtualOptions => SCENES.find((one) => one.name === name)?.options ?? {};
const type = async (chat: VirtualChat, ...keys: string[]) => {
  for (const key of keys) chat.press(key);
  await chat.settle();
};

Deno.test("the list of models is searched by typing, and the chosen one is used from here on", async () => {
  await using chat = await openVirtual(scene("models"));
  await type(chat, "\x1bm");
  await type(chat, ..."two", "enter");
  assertEquals(chat.ops, [{ type: "model", model: "mock/two" }]);
});

Deno.test("the list of models has the one in use, listed or not, and finds names, not letters of what is said of them", async () => {
  await using chat = await openVirtual(scene("models"));
  chat.emit({ type: "model_changed", model: "own/unlisted", thinking: null });
  await type(chat, "\x1bm");
  assertStringIncludes(await chat.screen(), "own/unlisted");
  // Letters of "price unknown", in their order.
  await type(chat, ..."mock");
  const found = await chat.screen();
  assertStringIncludes(found, "mock/two");
  assertEquals(found.includes("local/qwen"), false);
  await type(chat, "\x15", ..."thinks");
  assertEquals((await chat.screen()).includes("mock/two"), false);
});

Deno.test("the tree goes to a place, with a summary if asked for, and names places", async () => {
  await using chat = await openVirtual(scene("tree"));
  await type(chat, "\x1bt");
  await type(chat, "up", "enter");
  await type(chat, "\x1bt");
  await type(chat, "up", "\x13");
  await type(chat, "\x1bt");
  await type(chat, "up", "\x0c");
  await type(chat, ..."!", "enter");
  assertEquals(chat.ops, [
    { type: "navigate", to: "e3" },
    { type: "navigate", to: "e3", summarize: true },
    { type: "label", entry: "e3", label: "first try!" },
  ]);
});

Deno.test("the list of sessions opens, renames, and deletes only after a yes", async () => {
  const done: string[] = [];
  const opened: ChatWish[] = [];
  const { ports } = scene("sessions");
  await using chat = await openVirtual({
    ports: {
      ...ports,
      sessions: {
        ...ports!.sessions!,
        rename: (id, title) => Promise.resolve(void done.push(`rename ${id} ${title}`)),
        remove: (id) => Promise.resolve(void done.push(`remove ${id}`)),
      },
    },
    onOpen: (wish) => void opened.push(wish),
  });
  await type(chat, "\x1bs");
  await type(chat, "down", "\x12");
  await type(chat, "!", "enter");
  await type(chat, "\x04");
  await type(chat, ..."no", "enter");
  assertEquals(done, ["rename s2 Find a flaky test!"]);
  await type(chat, "\x04");
  await type(chat, ..."yes", "enter");
  assertEquals(done.at(-1), "remove s2");
  await type(chat, "enter");
  assertEquals(opened.at(-1)?.choice, { kind: "named", wanted: "s2" });
});

Deno.test("the session that is open is not deleted from below", async () => {
  await using chat = await openVirtual(scene("sessions"));
  await type(chat, "\x1bs");
  await type(chat, "\x04");
  assertStringIncludes(await chat.screen(), "This one is open");
});

Deno.test("commands do what they do everywhere; a wrong one comes back with how it is used", async () => {
  await using chat = await openVirtual();
  await type(chat, ..."/thinking sideways", "enter");
  assertStringIncludes(await chat.screen(), "/thinking:");
  assert(chat.ops.length === 0);
  await type(chat, "\x03");
  chat.pass(5000);
  await type(chat, ..."/thinking high", "enter");
  assertEquals(chat.ops, [{ type: "thinking", level: "high" }]);
});

Deno.test("Ctrl-R brings back an older draft", async () => {
  await using chat = await openVirtual();
  await type(chat, "\x12");
  await type(chat, "enter");
  assertStringIncludes(await chat.screen(), "an older draft");
});

Deno.test("a file is completed after @, and stays a mention in the prompt", async () => {
  await using chat = await openVirtual();
  await type(chat, ..."read @rates");
  await chat.settle();
  await type(chat, "tab");
  assertStringIncludes(await chat.screen(), "read @src/shipping/rates.ts");
});

Deno.test("where another session cannot be opened, the conversation stays as it stands, with the model that was chosen", async () => {
  const opened: ChatWish[] = [];
  await using chat = await openVirtual({
    past: [{ type: "user", text: "said before", images: 0 }],
    onOpen(wish) {
      if (wish.choice.kind === "named" && wish.choice.wanted === "zz") throw new Error("Cannot find it");
      opened.push(wish);
    },
  });
  chat.emit({ type: "model_changed", model: "mock/two", thinking: "high" });
  await type(chat, ..."/resume zz", "enter");
  const screen = await chat.screen();
  assertEquals(screen.split("said before").length, 2);
  assertEquals(screen.split("Cannot find it").length, 2);
  assertEquals(opened.at(-1), {
    choice: { kind: "named", wanted: "s1" },
    model: "mock/two",
    thinking: "high",
  });
});

Deno.test("a fork from something that was said has it in the draft, to be said in another way", async () => {
  await using chat = await openVirtual();
  await type(chat, ..."/fork 8b77e0aa", "enter");
  assertStringIncludes(await chat.screen(), "said at 8b77e0aa");
  assertEquals(chat.ops, []);
});

Deno.test("another mode of approval leaves the model that was chosen", async () => {
  const opened: ChatWish[] = [];
  await using chat = await openVirtual({ onOpen: (wish) => void opened.push(wish) });
  chat.emit({ type: "model_changed", model: "mock/two", thinking: null });
  await type(chat, "\x1b[Z");
  assertEquals([opened.at(-1)?.model, opened.at(-1)?.approve], ["mock/two", "auto"]);
});

Deno.test("a model taken from the list is told once", async () => {
  await using chat = await openVirtual({
    ...scene("models"),
    onOp: (op, emit) => {
      if (op.type === "model") emit({ type: "model_changed", model: op.model, thinking: null });
    },
  });
  await type(chat, "\x1bm");
  await type(chat, ..."two", "enter");
  assertEquals((await chat.screen()).split("From here on: mock/two").length, 2);
});
