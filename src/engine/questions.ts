/** Questions of the model on their way to whoever can answer them; the first answer counts. */
import { newId } from "../lib/ids.ts";
import type { People, Reply } from "../tools/mod.ts";
import type { EngineEvent } from "./event.ts";

/** Questions of tools to a person. */
export interface Questions extends People {
  /** An interface answers. Unknown or answered questions are ignored. */
  answer(questionId: string, reply: Reply): void;
}

export function createQuestions(emit: (event: EngineEvent) => void): Questions {
  const open = new Map<string, (reply: Reply | undefined) => void>();
  return {
    ask(question, callId, signal) {
      const questionId = newId();
      return new Promise((resolve) => {
        const finish = (reply: Reply | undefined) => {
          if (!open.delete(questionId)) return;
          signal.removeEventListener("abort", withdraw);
          emit({ type: "question_closed", questionId, answered: reply !== undefined });
          resolve(reply);
        };
        const withdraw = () => finish(undefined);
        open.set(
          questionId,
          (reply) => finish(reply && { ...reply, chosen: known(reply.chosen, question.options) }),
        );
        if (signal.aborted) return withdraw();
        signal.addEventListener("abort", withdraw);
        emit({ type: "question", questionId, callId, ...question });
      });
    },
    answer: (questionId, reply) => open.get(questionId)?.(reply),
  };
}

/** Of what was chosen, what was offered, in the order of the offer. */
function known(chosen: readonly string[], options: readonly string[]): string[] {
  return options.filter((option) => chosen.includes(option));
}
