/** Passes a person's answer on to the question that waits for it. */
import type { EngineDeps } from "../deps.ts";
import type { Op } from "../op.ts";

export function answer(op: Op & { type: "answer" }, { questions }: EngineDeps): Promise<void> {
  questions.answer(op.questionId, {
    chosen: op.chosen ?? [],
    ...(op.text === undefined ? {} : { text: op.text }),
  });
  return Promise.resolve();
}
