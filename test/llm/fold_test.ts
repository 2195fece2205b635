import { assertEquals } from "@std/assert";
import { LlmError } from "../../src/llm/errors.ts";
import type { StreamEvent } from "../../src/llm/event.ts";
import { fold } from "../../src/llm/fold.ts";

const call = (index: number, id: string): StreamEvent => ({
  type: "tool_call_start",
  index,
  id,
  name: "read",
});
const args = (index: number, text: string): StreamEvent => ({
  type: "tool_call_delta",
  index,
  arguments: text,
});

Deno.test("fold() keeps the order of parallel calls whose fragments are mixed", () => {
  const { message, ended } = fold([
    { type: "start" },
    { type: "text_delta", text: "I " },
    { type: "text_delta", text: "look." },
    call(0, "a"),
    call(1, "b"),
    args(1, '{"n":2}'),
    args(0, '{"n":1}'),
  ], "p/m");
  assertEquals(ended, "no");
  assertEquals(
    message.parts.map((part) => part.type === "tool_call" ? `${part.id} ${part.arguments}` : part.text),
    [
      "I look.",
      'a {"n":1}',
      'b {"n":2}',
    ],
  );
});

Deno.test("fold() marks every call of an unfinished message as broken", () => {
  const { message } = fold([call(0, "a"), args(0, "{}")], "p/m");
  assertEquals(message.parts, [{ type: "tool_call", id: "a", name: "read", arguments: "{}", broken: true }]);
});

Deno.test("fold() forgets what an attempt said that is sent again", () => {
  const error = new LlmError("overloaded", "busy");
  const { message } = fold([
    { type: "start" },
    { type: "text_delta", text: "half" },
    { type: "retry", attempt: 1, delayMs: 1, cause: error },
    { type: "start" },
    { type: "text_delta", text: "whole" },
  ], "p/m");
  assertEquals(message.parts, [{ type: "text", text: "whole" }]);
});

Deno.test("fold() gives the message of done, and of an error what had arrived", () => {
  const done = { role: "assistant", parts: [], stopReason: "stop", model: "p/m" } as const;
  assertEquals(fold([{ type: "text_delta", text: "x" }, { type: "done", message: done }], "p/m"), {
    message: done,
    ended: "done",
  });
  const error = new LlmError("network", "gone");
  const folded = fold([{ type: "thinking_delta", text: "hm" }, { type: "error", error }], "p/m");
  assertEquals(folded.ended, "error");
  assertEquals(folded.error, error);
  assertEquals(folded.message.parts, [{ type: "thinking", text: "hm" }]);
});
