import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { getCapabilities, setCapabilities } from "@earendil-works/pi-tui";
import fc from "fast-check";
import type { EngineEvent } from "../../../src/engine/event.ts";
import type { Op } from "../../../src/engine/op.ts";
import { LlmError } from "../../../src/llm/errors.ts";
import { answer, call, end } from "./scenes.ts";
import { openVirtual, RESULT, RUN_START, type VirtualChat } from "./virtual.ts";

const CLEARS = /\x1b\[[23]J/;
const prompts = (ops: readonly Op[]) =>
  ops.filter((op) => op.type === "prompt" || op.type === "steer" || op.type === "follow_up");
const textOfPrompt = (op: Op) =>
  "parts" in op ? op.parts.map((part) => "text" in part ? part.text : "").join("") : "";

/** Words as a model sends them: prose with a heading, a list and a block of code now and then. */
function* tokens(count: number): Generator<string> {
  for (let i = 0; i < count; i++) {
    if (i % 400 === 399) yield `\n\n## Part ${i}\n\n`;
    else if (i % 400 === 200) yield "\n\n```ts\nconst a = 1;\n";
    else if (i % 400 === 260) yield "\n```\n\n";
    else if (i % 40 === 39) yield "\n\n";
    else if (i % 400 > 200 && i % 400 < 260 && i % 6 === 0) yield `x${i};\n`;
    else yield `word${i} `;
  }
}

Deno.test("streaming writes little for each word, clears nothing, and leaves what has scrolled out alone", async () => {
  await using chat = await openVirtual({ scrollback: 100_000 });
  chat.emit(RUN_START, { type: "step_start", step: 1 });
  await chat.settle();
  chat.written.length = 0;
  // Five minutes at 200 words a second are 60,000.
  const COUNT = Deno.env.get("MYELIN_FULL") ? 60_000 : 6000;
  let seen: string[] = [];
  let n = 0;
  // A frame for each word is the worst that can be: faster words share frames.
  for (const text of tokens(COUNT)) {
    chat.emit({ type: "text_delta", text });
    chat.pass(5);
    chat.app.draw();
    if (++n === COUNT / 2) seen = (await chat.history()).slice(0, -24);
  }
  const bytes = new TextEncoder().encode(chat.written.join("")).length;
  assert(bytes / COUNT <= 200, `${bytes / COUNT} bytes a word`);
  assertNotMatch(chat.written.join(""), CLEARS);
  const all = await chat.history();
  assert(seen.length > 100);
  assertEquals(all.slice(0, seen.length), seen);
  // Every word is there, once, in order.
  const words = all.join("\n").match(/word\d+/g)!;
  const wanted = [...tokens(COUNT)].join("").match(/word\d+/g)!;
  assertEquals(words, wanted);
});

Deno.test("a change of the width in mid-stream draws anew what is visible, and nothing twice", async () => {
  await using chat = await openVirtual({ rows: 24 });
  chat.emit(RUN_START, { type: "step_start", step: 1 });
  for (const text of [...tokens(150)]) {
    chat.emit({ type: "text_delta", text });
    chat.app.draw();
  }
  chat.resize(50, 20);
  await chat.settle();
  for (const text of [...tokens(190)].slice(150)) chat.emit({ type: "text_delta", text });
  chat.emit(end());
  const screen = await chat.screen();
  const words = screen.match(/word\d+/g)!;
  assertEquals(words, [...new Set(words)]);
  assertEquals(words.at(-1), [...tokens(190)].join("").match(/word\d+/g)!.at(-1));
  assertMatch(screen, /~\/shop/);
});

Deno.test("300 lines pasted without marks are one draft, and nothing is sent", async () => {
  await using chat = await openVirtual();
  const text = Array.from({ length: 300 }, (_, i) => `line ${i}`).join("\r") + "\r";
  for (let at = 0; at < text.length; at += 1024) chat.feed(text.slice(at, at + 1024));
  await chat.settle();
  assertEquals(prompts(chat.ops), []);
  assertMatch(await chat.screen(), /\[paste #1 \+30[01] lines\]/);
  chat.press("enter");
  await chat.settle();
  const [op] = prompts(chat.ops);
  assertEquals(textOfPrompt(op).split("\n").length, 300);
});

Deno.test("a paste of 1 MB with marks, in pieces, is one chip and is sent whole", async () => {
  await using chat = await openVirtual();
  const text = "0123456789abcde\n".repeat(65536);
  const raw = `\x1b[200~${text}\x1b[201~`;
  for (let at = 0; at < raw.length; at += 4096) chat.feed(raw.slice(at, at + 4096));
  assertMatch(await chat.screen(), /\[paste #1 \+6553[67] lines\]/);
  chat.press("enter");
  await chat.settle();
  assertEquals(textOfPrompt(prompts(chat.ops)[0]).length, text.trim().length);
  assertMatch(await chat.screen(), /… 65,5\d\d more lines/);
});

Deno.test("Alt-V shows what a chip stands for", async () => {
  await using chat = await openVirtual();
  chat.feed(`\x1b[200~${Array.from({ length: 20 }, (_, i) => `pasted ${i}`).join("\n")}\x1b[201~`);
  chat.press("\x1bv");
  assertStringIncludes(await chat.screen(), "pasted 19");
});

Deno.test("typed text and Enter in one read are sent; a line alone is no paste", async () => {
  await using chat = await openVirtual();
  chat.feed("hello\r");
  await chat.settle();
  await chat.settle();
  assertEquals(prompts(chat.ops).map(textOfPrompt), ["hello"]);
});

Deno.test("Backspace takes one sign away, however many characters it has, and the cursor stands behind it", async () => {
  await using chat = await openVirtual();
  chat.press("한", "글", "👨‍👩‍👧");
  assertEquals((await chat.cursor()).x, 6);
  chat.press("backspace");
  assertEquals((await chat.cursor()).x, 4);
  chat.press("backspace", "backspace");
  assertEquals((await chat.cursor()).x, 0);
});

const PERMISSION = {
  type: "permission_request",
  permitId: "p1",
  callId: "c",
  request: "run git push",
  reason: "a rule says to ask",
  rule: "run(git push)",
} as const;

Deno.test("keys typed before the permission panel could be read do not answer it; they stay in the draft", async () => {
  await using chat = await openVirtual();
  chat.emit(RUN_START);
  chat.press("m", "a");
  chat.emit(PERMISSION);
  chat.press("y");
  await chat.settle();
  chat.pass(100);
  chat.press("y", "a");
  // Somebody who types on is not reading.
  chat.pass(300);
  chat.press("y");
  assertEquals(chat.ops.filter(({ type }) => type === "approve"), []);
  chat.pass(400);
  chat.press("y");
  await chat.settle();
  assertEquals(chat.ops.filter(({ type }) => type === "approve"), [
    { type: "approve", permitId: "p1", allow: true, scope: "once" },
  ]);
  assertStringIncludes(await chat.screen(), "mayyay");
});

for (
  const [key, wanted] of [
    ["s", { allow: true, scope: "session" }],
    ["a", { allow: true, scope: "project" }],
    ["n", { allow: false }],
  ] as const
) {
  Deno.test(`the permission panel takes ${key}`, async () => {
    await using chat = await openVirtual();
    chat.emit(RUN_START, PERMISSION);
    await chat.settle();
    chat.pass(1000);
    chat.press(key);
    await chat.settle();
    assertEquals(chat.ops.at(-1), { type: "approve", permitId: "p1", ...wanted });
  });
}

Deno.test("a refusal may carry a word to the model", async () => {
  await using chat = await openVirtual();
  chat.emit(RUN_START, PERMISSION);
  await chat.settle();
  chat.pass(1000);
  chat.press("w", ..."use a branch", "enter");
  await chat.settle();
  assertEquals(chat.ops.at(-1), { type: "approve", permitId: "p1", allow: false, reason: "use a branch" });
});

Deno.test("a question is answered by a number, by several, or by own words", async () => {
  const question = {
    type: "question",
    questionId: "q",
    callId: "c",
    text: "Which?",
    options: ["one", "two", "three"],
    multiple: false,
  } as const;
  const asked = async (multiple: boolean, keys: string[]) => {
    await using chat = await openVirtual();
    chat.emit(RUN_START, { ...question, multiple });
    await chat.settle();
    chat.pass(1000);
    chat.press(...keys);
    await chat.settle();
    return chat.ops.at(-1);
  };
  assertEquals(await asked(false, ["2"]), { type: "answer", questionId: "q", chosen: ["two"] });
  assertEquals(await asked(true, ["3", "1", "enter"]), {
    type: "answer",
    questionId: "q",
    chosen: ["one", "three"],
  });
  assertEquals(await asked(false, ["4", ..."none", "enter"]), {
    type: "answer",
    questionId: "q",
    text: "none",
  });
});

Deno.test("while a run works Enter steers, Alt-Enter queues, Alt-Up takes back, Esc interrupts", async () => {
  await using chat = await openVirtual();
  chat.emit(RUN_START);
  chat.press(..."now", "enter");
  await chat.settle();
  chat.press(..."then", "\x1b\r");
  await chat.settle();
  assertEquals(prompts(chat.ops).map((op) => [op.type, textOfPrompt(op)]), [["steer", "now"], [
    "follow_up",
    "then",
  ]]);
  chat.emit({ type: "queue", items: [{ requestId: "r2", parts: [{ type: "text", text: "then" }] }] });
  assertStringIncludes(await chat.screen(), "then: then");
  chat.press("\x1b[1;3A");
  await chat.settle();
  assertEquals(chat.ops.at(-1), { type: "unqueue", requestId: "r2" });
  chat.press("escape");
  await chat.settle();
  assertEquals(chat.ops.at(-1), { type: "interrupt", by: "user" });
});

Deno.test("a prompt that could not be sent comes back into the draft, and the error says why", async () => {
  await using chat = await openVirtual({
    onOp: () => Promise.reject(new Error("Cannot write to the disk")),
  });
  chat.press(..."precious", "enter");
  const screen = await chat.screen();
  assertStringIncludes(screen, "Cannot write to the disk");
  assertMatch(screen, /─\nprecious\n─/);
});

Deno.test("!command runs, and the model is told with the next prompt; !!command stays here", async () => {
  await using chat = await openVirtual();
  chat.press(..."!!secret", "enter");
  await chat.settle();
  chat.press(..."!ls", "enter");
  await chat.settle();
  chat.press(..."look", "enter");
  await chat.settle();
  const text = textOfPrompt(prompts(chat.ops)[0]);
  assertStringIncludes(text, "$ ls\none\ntwo");
  assert(!text.includes("secret"));
  assert(text.endsWith("look"));
});

Deno.test("Ctrl-C empties the draft, which stays in the history; twice it quits", async () => {
  await using chat = await openVirtual();
  chat.press(..."half a thought", "\x03");
  assertStringIncludes(await chat.screen(), "Ctrl-C again quits");
  chat.press("up");
  assertStringIncludes(await chat.screen(), "half a thought");
  chat.pass(5000);
  chat.press("\x03");
  await chat.settle();
  chat.press("\x03");
  assertEquals(await chat.app.ended, 0);
});

Deno.test("Ctrl-C empties a draft that was begun after the first one, and does not quit", async () => {
  await using chat = await openVirtual();
  chat.press(..."first", "\x03", ..."second", "\x03");
  const screen = await chat.screen();
  assertStringIncludes(screen, "Ctrl-C again quits");
  assertEquals(screen.includes("second"), false);
  chat.press("\x03");
  assertEquals(await chat.app.ended, 0);
});

Deno.test("Esc gives what waited for the end of the run back to the draft", async () => {
  const waiting = ["first", "second"].map((text) => ({
    requestId: text,
    parts: [{ type: "text" as const, text }],
  }));
  await using chat = await openVirtual({
    onOp(op, emit) {
      if (op.type === "interrupt") emit({ type: "run_end", result: { ...RESULT, reason: "cancelled" } });
    },
  });
  chat.emit(RUN_START, { type: "queue", items: waiting });
  chat.feed("third");
  await chat.settle();
  chat.press("escape");
  assertMatch(await chat.screen(), /^first\nsecond\nthird$/m);
  assertEquals(
    chat.ops.flatMap((op) => op.type === "unqueue" ? [op.requestId] : []),
    ["first", "second"],
  );
});

Deno.test("Ctrl-L draws what is visible anew, once, after something else has written over it", async () => {
  await using chat = await openVirtual();
  chat.emit(RUN_START, ...answer("All is well."), end());
  const before = await chat.screen();
  await chat.scribble("\x1b[3;1Hsomebody writes here\x1b[6;1Hand here");
  assertMatch(await chat.screen(), /somebody writes here/);
  chat.press("\x0c");
  assertEquals(await chat.screen(), before);
});

Deno.test("/copy gives the last answer to the terminal's clipboard", async () => {
  await using chat = await openVirtual();
  chat.emit(RUN_START, ...answer("Eins **zwei** 漢."), end());
  chat.feed("/copy ");
  await chat.settle();
  chat.press("enter");
  await chat.settle();
  const sent = /\x1b\]52;c;([\w+/=]+)\x07/.exec(chat.written.join(""))?.[1] ?? "";
  assertEquals(new TextDecoder().decode(Uint8Array.fromBase64(sent)), "Eins **zwei** 漢.");
});

Deno.test("a mistyped command is told and stays in the draft; a path at the beginning is said", async () => {
  await using chat = await openVirtual();
  chat.feed("/modle");
  await chat.settle();
  chat.press("escape", "enter");
  const screen = await chat.screen();
  assertMatch(screen, /There is no command \/modle\. Did you mean \/model\?/);
  assertMatch(screen, /^\/modle$/m);
  assertEquals(chat.ops.filter(({ type }) => type === "prompt"), []);
  chat.app.interrupt();
  chat.feed("/tmp is full, why?");
  await chat.settle();
  chat.press("escape", "enter");
  await chat.settle();
  assertEquals(chat.ops.filter(({ type }) => type === "prompt").length, 1);
});

Deno.test("panels take the alternate screen and leave the conversation as it was", async () => {
  await using chat = await openVirtual();
  chat.emit(RUN_START, ...answer("Something to keep."), end());
  const before = await chat.screen();
  chat.press("f1");
  assertStringIncludes(await chat.screen(), "Help");
  chat.emit(RUN_START, ...call("read", { path: "a" }), end());
  chat.press("escape");
  const after = await chat.screen();
  assertStringIncludes(after, "Something to keep.");
  assertStringIncludes(after, "● read a");
  assertEquals(before.split("\n").slice(0, 3), after.split("\n").slice(0, 3));
});

Deno.test("NO_COLOR: not one colour is written", async () => {
  await using chat = await openVirtual({ ports: { environment: { NO_COLOR: "1" } } });
  await playAll(chat);
  // Weight and reverse are no colours.
  assertNotMatch(chat.written.join(""), /\x1b\[[\d;]*(3[0-8]|4[0-8]|9[0-7])[\d;]*m/);
});

Deno.test("keys come from the settings; what is no action is told", async () => {
  await using chat = await openVirtual({
    look: { keys: { "chat.help": ["ctrl+x"], "chat.nothing": ["ctrl+y"] } },
  });
  assertStringIncludes(await chat.screen(), 'there is no action "chat.nothing"');
  chat.press("\x18");
  assertStringIncludes(await chat.screen(), "Help");
});

Deno.test("on the alternate screen the chat scrolls by itself", async () => {
  await using chat = await openVirtual({ look: { screen: "alternate" } });
  chat.emit(RUN_START, ...answer(Array.from({ length: 60 }, (_, i) => `row ${i}`).join("\n\n")), end());
  assertStringIncludes(await chat.screen(), "row 59");
  chat.press("\x1b[5~", "\x1b[5~", "\x1b[5~", "\x1b[5~", "\x1b[5~", "\x1b[5~", "\x1b[5~");
  const up = await chat.screen();
  assertStringIncludes(up, "row 1\n");
  assert(!up.includes("row 59"));
});

const SIZES = [[10, 4], [17, 6], [40, 12], [80, 24], [300, 100]] as const;
const anyEvent = fc.constantFrom<EngineEvent[]>(
  [RUN_START],
  answer("# Head\n\nwords and `code`\n\n```ts\nlet a = 1;\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n"),
  answer("宽字符".repeat(60) + "x".repeat(400)),
  [{ type: "text_delta", text: "more words " }],
  [{ type: "text_delta", text: "\n\n" }],
  [{ type: "thinking_delta", text: "a thought\n" }],
  call("bash", { command: "y".repeat(300) }, { text: "z".repeat(999), isError: true }),
  [{ type: "tool_start", callId: "open", name: "task", args: { prompt: "p\tq" } }],
  [{ type: "tool_output", callId: "open", text: "line\r\nanother\tone\n".repeat(9) }],
  [PERMISSION],
  [{ type: "queue", items: [{ requestId: "r", parts: [{ type: "text", text: "later" }] }] }],
  [{ type: "retry", attempt: 1, delayMs: 999, cause: new LlmError("network", "gone") }],
  [end({ reason: "error", error: "e".repeat(200), hint: "h" })],
);
const anyKey = fc.constantFrom(
  "a",
  "enter",
  "escape",
  "f1",
  "\x0f",
  "\x1bt",
  "up",
  "down",
  "/",
  "@",
  "\x14",
  "y",
);

Deno.test("whatever happens, at whatever size: no line is wider than the terminal, nothing fails", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...SIZES),
      fc.array(fc.oneof(anyEvent, anyKey), { maxLength: 25 }),
      async ([columns, rows], steps) => {
        await using chat = await openVirtual({ columns, rows });
        for (const step of steps) {
          if (typeof step === "string") chat.press(step);
          else chat.emit(...step);
          chat.pass(200);
          chat.app.draw();
        }
        assertEquals(await chat.wrapped(), 0);
      },
    ),
    { numRuns: Deno.env.get("MYELIN_FULL") ? 300 : 25 },
  );
});

Deno.test("a picture is drawn once, over rows of its own, where the terminal shows pictures", async () => {
  const before = getCapabilities();
  setCapabilities({ ...before, images: "kitty" });
  try {
    await using chat = await openVirtual();
    // A PNG of 100 by 100: its header is all that is looked at.
    const head = new Uint8Array([
      0x89,
      0x50,
      0x4e,
      0x47,
      13,
      10,
      26,
      10,
      0,
      0,
      0,
      13,
      73,
      72,
      68,
      82,
      0,
      0,
      0,
      100,
      0,
      0,
      0,
      100,
    ]);
    const data = head.toBase64();
    chat.emit(
      RUN_START,
      ...call("read", { path: "a.png" }, { parts: [{ type: "image", mediaType: "image/png", data }] }),
      ...answer("A square."),
      end(),
    );
    await chat.settle();
    const written = chat.written.join("");
    assertEquals(written.split("\x1b_G").length, 2);
    const screen = await chat.screen();
    assertMatch(screen, /● read a\.png \(1 image\)\n\n\n+A square/);
  } finally {
    setCapabilities(before);
  }
});

async function playAll(chat: VirtualChat): Promise<void> {
  chat.emit(
    RUN_START,
    ...answer("# A\n\n```ts\nlet a = 1; // b\n```\n\n**b** `c` [d](http://e)"),
    ...call("bash", { command: "x" }, { isError: true, text: "bad" }),
    end({ reason: "error", error: "no", hint: "do" }),
  );
  chat.press("f1");
  await chat.settle();
  chat.press("escape");
  await chat.settle();
}
