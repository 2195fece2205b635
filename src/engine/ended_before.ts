/**
 * A run that ended without an answer leaves what the user said standing there
 * unanswered. Before the next prompt the model is told what became of it, so
 * that it neither takes both for one request nor believes the first one done.
 */
import { isKnown, type Session } from "../session/mod.ts";

/** Why a run ended, for the model. */
const WORDS: Readonly<Record<string, string>> = {
  error: "it failed",
  cancelled: "the user interrupted it",
  timeout: "its time was up",
  max_steps: "it had used up its steps",
  budget: "it had used up its budget",
  interrupted: "the program was ended",
  forked: "the conversation was forked here",
};

const MAX_ERROR = 200;

/** What to tell the model before the next prompt; undefined where the last run came to its answer, or said itself how it ended. */
export function endedBefore(session: Session): string | undefined {
  const { messages, origins } = session.projection;
  const last = messages.at(-1);
  if (last === undefined || last.role === "assistant" || last.role === "system") return undefined;
  for (const entry of session.path().toReversed()) {
    if (!isKnown(entry)) continue;
    // The note of an interruption, or a summary: nothing is left open.
    if (entry.id === origins.at(-1) && entry.kind !== "submission" && entry.kind !== "result") {
      return undefined;
    }
    if (entry.kind === "run_start") return undefined;
    if (entry.kind !== "run_end") continue;
    const words = WORDS[entry.reason];
    if (words === undefined) return undefined;
    const error = entry.error === undefined || entry.reason !== "error"
      ? ""
      : ` (${entry.error.split("\n")[0].slice(0, MAX_ERROR).toWellFormed()})`;
    return `The run ended here without your answer: ${words}${error}. The user's next message follows.`;
  }
  return undefined;
}
