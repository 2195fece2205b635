import { assert, assertEquals } from "@std/assert";
import type { EngineEvent } from "../../src/engine/event.ts";
import { createQuestions } from "../../src/engine/questions.ts";

const question = { text: "Which one?", options: ["red", "green", "blue"], multiple: true };

Deno.test("a question goes to the interfaces, and the first answer counts", async () => {
  const events: EngineEvent[] = [];
  const questions = createQuestions((event) => events.push(event));
  const reply = questions.ask(question, "call-1", new AbortController().signal);
  const [asked] = events;
  assert(asked.type === "question");
  assertEquals([asked.callId, asked.text, asked.options, asked.multiple], [
    "call-1",
    ...Object.values(question),
  ]);
  // What was not offered cannot be chosen.
  questions.answer(asked.questionId, { chosen: ["blue", "red", "pink"], text: "and more" });
  questions.answer(asked.questionId, { chosen: ["green"] });
  assertEquals(await reply, { chosen: ["red", "blue"], text: "and more" });
  assertEquals(events.at(-1), { type: "question_closed", questionId: asked.questionId, answered: true });
});

Deno.test("a question that nobody answers ends with its call", async () => {
  const events: EngineEvent[] = [];
  const questions = createQuestions((event) => events.push(event));
  const abort = new AbortController();
  const reply = questions.ask(question, "call-1", abort.signal);
  abort.abort();
  assertEquals(await reply, undefined);
  assertEquals(events.map((event) => event.type), ["question", "question_closed"]);
});
