/** The interfaces that there are. The chat is loaded when it is started: nothing else needs a terminal library. */
import type { ChatPorts } from "./interface.ts";
import type { PromptPart } from "../engine/op.ts";
import type { ChatWish } from "./interface.ts";

export {
  createReporter,
  type HeadlessOptions,
  type OutputFormat,
  type Reporter,
  runHeadless,
} from "./headless/mod.ts";
export type {
  Chat,
  ChatLook,
  ChatPorts,
  ChatWish,
  EnginePort,
  ModelRow,
  NamedRow,
  Output,
  PastItem,
  SessionRow,
} from "./interface.ts";

/** How the chat begins. */
export interface ChatStart {
  readonly wish: ChatWish;
  /** Stands in the editor. */
  readonly draft?: string;
  /** Is sent at once. */
  readonly prompt?: string;
  readonly attach: readonly PromptPart[];
  /** Said at the beginning, where the draft is one that only waits for Enter. */
  readonly guide?: string;
  /** The command line that goes on with a session later. */
  goOn(sessionId: string): string;
  /** Lines only, nothing is ever drawn again: for screen readers. */
  readonly plain: boolean;
}

/** Runs the chat on the terminal of this process; resolves to the exit status. */
export async function startChat(ports: ChatPorts, start: ChatStart): Promise<number> {
  if (start.plain) return await (await import("./plain/mod.ts")).runPlainChat(ports, start);
  return await (await import("./tui/mod.ts")).runChat(ports, start);
}
