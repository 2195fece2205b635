/** What the golden frames show: one scene for each kind of item, panel and picker. */
import type { EngineEvent, RunResult } from "../../../src/engine/event.ts";
import type { TreeNode } from "../../../src/engine/snapshot.ts";
import type { AssistantMessage } from "../../../src/llm/message.ts";
import { LlmError } from "../../../src/llm/errors.ts";
import { RESULT, RUN_START, type VirtualChat, type VirtualOptions } from "./virtual.ts";

export interface Scene {
  readonly name: string;
  readonly options?: VirtualOptions;
  play?(chat: VirtualChat): void | Promise<void>;
}

const message = (text: string): AssistantMessage => ({
  role: "assistant",
  parts: [{ type: "text", text }],
  stopReason: "stop",
  model: "mock/one",
});
export const answer = (text: string): EngineEvent[] => [
  { type: "step_start", step: 1 },
  { type: "text_delta", text },
  { type: "message_end", message: message(text) },
];
export const end = (result: Partial<RunResult> = {}): EngineEvent => ({
  type: "run_end",
  result: { ...RESULT, ...result },
});
type Ended = Extract<EngineEvent, { type: "tool_end" }>;
export const call = (
  name: string,
  args: Readonly<Record<string, unknown>>,
  result: Partial<Ended["result"]> & { readonly text?: string } = {},
  durationMs = 20,
): EngineEvent[] => {
  const callId = `${name}-${JSON.stringify(args).length}`;
  const { text = "", ...rest } = result;
  return [
    { type: "tool_start", callId, name, args },
    {
      type: "tool_end",
      callId,
      name,
      durationMs,
      result: { parts: [{ type: "text", text }], isError: false, ...rest },
    },
  ];
};

const MARKDOWN = `# Shipping

Orders of **5000 cents** and more ship free; see \`cart.sh\`:

\`\`\`ts
// free from the limit on
export function shipping(cents: number): number {
  return cents >= 5000 ? 0 : 495;
}
\`\`\`

1. read the rule
2. compare with *the test*
   - at the limit

| order | pays |
| --- | --- |
| 4999 | 495 |
| 5000 | 0 |

> The limit itself is free.
`;

const DIFF = `--- a/cart.sh
+++ b/cart.sh
@@ -9,7 +9,7 @@
 # shipping CENTS: orders of 5000 cents and more ship free
 shipping() {
-  if [ "$1" -gt 5000 ]; then
+  if [ "$1" -ge 5000 ]; then
     echo 0
   else
     echo 495
`;

const PERMISSION: EngineEvent = {
  type: "permission_request",
  permitId: "p1",
  callId: "c",
  request: "run git push origin main",
  reason: 'the rule "run(git push *)" says to ask',
  rule: "run(git push origin *)",
};
const QUESTION: EngineEvent = {
  type: "question",
  questionId: "q1",
  callId: "c",
  text: "Which limit is meant?",
  options: ["5000 and more", "more than 5000"],
  multiple: false,
};

const TREE: readonly TreeNode[] = [
  { id: "e1", parentId: null, kind: "user", text: "find the fault", at: "", onPath: true },
  { id: "e2", parentId: "e1", kind: "answer", text: "It is in cart.sh.", at: "", onPath: true },
  { id: "e3", parentId: "e2", kind: "user", text: "mend it", label: "first try", at: "", onPath: false },
  { id: "e4", parentId: "e2", kind: "user", text: "write a test first", at: "", onPath: true },
];

const old = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

export const SCENES: readonly Scene[] = [
  { name: "start" },
  {
    name: "tour",
    options: {
      app: {
        draft: "The tests of this project fail. Find the fault and mend it.",
        guide: "The tour: a scripted model mends a small project in /tmp/tour/cart. Press Enter and watch.",
      },
    },
  },
  {
    name: "markdown",
    play(chat) {
      chat.emit(RUN_START, ...answer(MARKDOWN), end());
    },
  },
  {
    name: "thinking",
    play(chat) {
      chat.emit(RUN_START, { type: "step_start", step: 1 }, {
        type: "thinking_delta",
        text: "The test at the limit fails.\nSo the comparison is wrong.",
      });
      chat.emit({ type: "text_delta", text: "The comparison is wrong." });
    },
  },
  {
    name: "tools",
    play(chat) {
      chat.emit(
        RUN_START,
        ...call("read", { path: "cart.sh" }),
        ...call("glob", { pattern: "*.sh" }, {
          view: { type: "files", title: "*.sh", paths: ["cart.sh", "test.sh"] },
        }),
        ...call("bash", { command: "./test.sh" }, {
          text: "ok 1\nok 2\nFAIL at the limit\n",
          isError: true,
          view: { type: "command", command: "./test.sh", status: 1 },
        }, 1800),
        ...call("edit", { path: "cart.sh" }, {
          view: { type: "diff", path: "cart.sh", diff: DIFF, added: 1, removed: 1 },
        }),
        ...call("write", { path: "/etc/passwd" }, {
          text: "Not allowed: /etc/passwd is outside of the workspace",
          isError: true,
          denied: "write /etc/passwd",
        }),
      );
    },
  },
  {
    name: "todo",
    play(chat) {
      chat.emit(
        RUN_START,
        ...call("todo", {}, {
          view: {
            type: "todo",
            items: [
              { text: "read the rule", state: "done" },
              { text: "mend the comparison", state: "active" },
              { text: "run the tests", state: "open" },
            ],
          },
        }),
      );
    },
  },
  {
    name: "running",
    play(chat) {
      chat.emit(RUN_START, {
        type: "tool_start",
        callId: "b",
        name: "bash",
        args: { command: "make all" },
      }, {
        type: "tool_output",
        callId: "b",
        text: Array.from({ length: 12 }, (_, i) => `compiling ${i}\n`).join(""),
      });
      chat.emit({
        type: "queue",
        items: [{ requestId: "r", parts: [{ type: "text", text: "then write the changelog" }] }],
      });
    },
  },
  {
    name: "sub_agent",
    play(chat) {
      chat.emit(RUN_START, {
        type: "tool_start",
        callId: "t",
        name: "task",
        args: { prompt: "Find every use of shipping()" },
      }, { type: "tool_output", callId: "t", text: "● grep shipping\n● read cart.sh\n" });
    },
  },
  {
    name: "error",
    play(chat) {
      chat.emit(
        RUN_START,
        { type: "notice", level: "warning", text: "A file was left out." },
        {
          type: "retry",
          attempt: 1,
          delayMs: 2000,
          cause: new LlmError("overloaded", "The server is overloaded (503)"),
        },
        end({
          reason: "error",
          error: "The key of provider mock is refused (401)",
          hint: "Log in again: myelin auth login mock",
        }),
      );
    },
  },
  {
    name: "hostile",
    play(chat) {
      chat.emit(
        RUN_START,
        ...answer("An answer \x1b[2J\x1b[31mwith\x1b]0;title\x07 sequences\x9b5A and \u202etxt.exe"),
        ...call("bash", { command: "printf '\x1b[H'" }, {
          text: "\x1b[1;1Hover\x08\x08there\x1b]52;c;AAAA\x07\n",
          view: { type: "command", command: "x", status: 0 },
        }),
      );
    },
  },
  {
    name: "shell",
    async play(chat) {
      chat.press(..."!ls", "enter");
      await chat.settle();
    },
  },
  {
    name: "permission_long",
    play(chat) {
      const lines = Array.from({ length: 40 }, (_, i) => `echo step ${i}`);
      chat.emit(RUN_START, {
        ...PERMISSION,
        request: `run bash -c '${lines.join("\n")}\nrm -rf build'`,
      } as EngineEvent);
    },
  },
  {
    name: "permission",
    async play(chat) {
      chat.emit(RUN_START, PERMISSION);
      await chat.settle();
      chat.pass(1000);
      chat.resize(...sizeOf(chat));
    },
  },
  {
    name: "permission_word",
    async play(chat) {
      chat.emit(RUN_START, PERMISSION);
      await chat.settle();
      chat.pass(1000);
      chat.press("w", ..."not on main");
    },
  },
  {
    name: "ask",
    async play(chat) {
      chat.emit(RUN_START, QUESTION);
      await chat.settle();
      chat.pass(1000);
      chat.press("down");
    },
  },
  {
    name: "ask_many",
    async play(chat) {
      chat.emit(RUN_START, { ...QUESTION, multiple: true } as EngineEvent);
      await chat.settle();
      chat.pass(1000);
      chat.press("1");
    },
  },
  {
    name: "commands",
    async play(chat) {
      chat.press(..."/th");
      await chat.settle();
    },
  },
  {
    name: "files",
    async play(chat) {
      chat.press(..."look at @cart");
      await chat.settle();
      await chat.settle();
    },
  },
  {
    name: "paste",
    play(chat) {
      chat.press(..."see ");
      chat.feed(`\x1b[200~${"a line\r".repeat(40)}\x1b[201~`);
    },
  },
  {
    name: "wide",
    play(chat) {
      chat.press(..."한글 ");
      chat.emit(RUN_START, ...answer("宽字符 and 👨‍👩‍👧 fit in their cells."));
    },
  },
  {
    name: "sessions",
    options: {
      ports: {
        sessions: {
          list: () =>
            Promise.resolve([
              row("s1", "Mend the cart", 12, 0.1),
              row("s2", "Find a flaky test", 48, 30),
              { ...row("s3", "", 0, 100), problem: "a torn line" },
            ]),
          search: () =>
            Promise.resolve([{ ...row("s2", "Find a flaky test", 48, 30), excerpt: "the clock is mocked" }]),
          preview: () =>
            Promise.resolve([
              { type: "user", text: "mend the cart", images: 0 },
              { type: "assistant", text: "It is **mended**.", thinking: "" },
            ]),
          rename: () => Promise.resolve(),
          remove: () => Promise.resolve(),
          export: () => Promise.resolve(""),
        },
      },
    },
    play: (chat) => chat.press("\x1bs"),
  },
  {
    name: "sessions_said",
    options: {
      ports: {
        sessions: {
          list: () => Promise.resolve([]),
          search: () =>
            Promise.resolve([{ ...row("s2", "Find a flaky test", 48, 30), excerpt: "the clock is mocked" }]),
          preview: () => Promise.resolve([]),
          rename: () => Promise.resolve(),
          remove: () => Promise.resolve(),
          export: () => Promise.resolve(""),
        },
      },
    },
    async play(chat) {
      chat.press("\x1bs", "\x06");
      await chat.settle();
      chat.press(..."clock", "enter");
    },
  },
  {
    name: "models",
    options: {
      ports: {
        models: () =>
          Promise.resolve([
            { name: "mock/one", contextWindow: 200_000, price: [3, 15], reasoning: true },
            { name: "mock/two", contextWindow: 32_000, price: [0.5, 2], reasoning: false },
            { name: "local/qwen", contextWindow: undefined, price: undefined, reasoning: false },
          ]),
      },
    },
    play: (chat) => chat.press("\x1bm"),
  },
  { name: "tree", options: { tree: TREE }, play: (chat) => chat.press("\x1bt") },
  { name: "help", play: (chat) => chat.press("f1") },
  {
    name: "themes",
    async play(chat) {
      chat.press(..."/theme");
      await chat.settle();
      chat.press("escape", "enter");
    },
  },
  {
    name: "settings",
    options: {
      ports: {
        settings: () =>
          Promise.resolve([
            { name: "model", text: '"mock/one"  (command line)' },
            { name: "sandbox.mode", text: '"workspace"  (default)' },
          ]),
      },
    },
    async play(chat) {
      chat.press(..."/settings");
      await chat.settle();
      chat.press("escape", "enter");
    },
  },
  {
    name: "tool_list",
    async play(chat) {
      chat.press(..."/tools");
      await chat.settle();
      chat.press("escape", "enter");
    },
  },
  {
    name: "skills",
    async play(chat) {
      chat.press(..."/skills");
      await chat.settle();
      chat.press("escape", "enter");
    },
  },
  {
    name: "servers",
    options: {
      ports: { servers: () => Promise.resolve([{ name: "docs", text: "https://docs.example/mcp" }]) },
    },
    async play(chat) {
      chat.press(..."/mcp");
      await chat.settle();
      chat.press("escape", "enter");
    },
  },
  {
    name: "trust",
    options: {
      ports: {
        trust: {
          wanted: () => Promise.resolve([".myelin/settings.jsonc", ".envrc"]),
          give: () => Promise.resolve(),
        },
      },
    },
    async play(chat) {
      chat.press(..."/trust");
      await chat.settle();
      chat.press("escape", "enter");
    },
  },
  {
    name: "transcript",
    async play(chat) {
      chat.emit(
        RUN_START,
        ...call("bash", { command: "./test.sh" }, {
          text: Array.from({ length: 12 }, (_, i) => `ok ${i}`).join("\n"),
          view: { type: "command", command: "./test.sh", status: 0 },
        }),
        ...answer("All is well."),
      );
      await chat.settle();
      chat.press("\x0f");
    },
  },
  {
    name: "resumed",
    options: {
      past: [
        { type: "user", text: "mend the cart", images: 1 },
        { type: "assistant", text: "I look.", thinking: "Where is it?" },
        { type: "call", callId: "c", name: "read", args: { path: "cart.sh" }, text: "x", isError: false },
        { type: "run_end", reason: "cancelled" },
      ],
    },
  },
];

function row(id: string, title: string, messages: number, hours: number) {
  return { id, shortId: id, title, changedAt: old(hours), messages, model: "mock/one", problem: undefined };
}

/** Draws again without a change of the size. */
function sizeOf(chat: VirtualChat): [number, number] {
  return chat.size;
}
