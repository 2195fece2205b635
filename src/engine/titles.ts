/** Titles of sessions, made in the background by one small request after the first answer. Nothing depends on them: without one the first words stand for it. */
import task from "../../prompts/tasks/title.md" with { type: "text" };
import type { StreamEvent } from "../llm/event.ts";
import { type Message, textOf } from "../llm/message.ts";
import type { Session } from "../session/mod.ts";
import type { Broadcast } from "./engine.ts";

export interface TitleOptions {
  readonly session: Session;
  readonly broadcast: Broadcast;
  /** One answer to these messages, without tools and thinking. */
  request(messages: readonly Message[], signal: AbortSignal): AsyncIterable<StreamEvent>;
}

/** Characters of what the user said that the request holds. */
const SAID = 2000;
const TITLE = 80;

/** Gives the session a title once its first run has ended well; answers with what ends that. */
export function titleInBackground({ session, broadcast, request }: TitleOptions): { close(): Promise<void> } {
  const ending = new AbortController();
  let asking: Promise<void> | undefined;
  const stop = broadcast.subscribe((event) => {
    if (event.type !== "run_end" || event.result.reason !== "stop" || asking !== undefined) return;
    if (session.projection.title !== undefined) return;
    asking = ask().catch(() => {/* the first words do */});
  });

  async function ask(): Promise<void> {
    const said = session.projection.messages.find(({ role }) => role === "user");
    const text = said?.role === "user" ? textOf(said.parts).slice(0, SAID).trim() : "";
    if (text === "") return;
    const messages: Message[] = [
      { role: "system", text: task.trim() },
      { role: "user", parts: [{ type: "text", text: text.toWellFormed() }] },
    ];
    for await (const event of request(messages, ending.signal)) {
      if (event.type !== "done") continue;
      const title = clean(textOf(event.message.parts));
      // Somebody may have given it one meanwhile.
      if (title === "" || session.projection.title !== undefined || ending.signal.aborted) return;
      await session.append({ kind: "title", title });
      broadcast.emit({ type: "titled", title });
    }
  }

  return {
    async close() {
      stop();
      ending.abort();
      await asking;
    },
  };
}

/** The first line without what models put around titles. */
function clean(text: string): string {
  const line = text.trim().split("\n", 1)[0].replace(/\s+/g, " ").trim();
  return line.replace(/^(?:title:\s*)?["'“”«*#\s]+|["'“”»*\s.]+$/gi, "").slice(0, TITLE).toWellFormed()
    .trim();
}
