/**
 * What an interface may ask of the engine: plain data, imperative names. With
 * the events it is all that interfaces see, in this process or over a wire.
 */
import type { PromptPart } from "../session/entry.ts";

/** What an interface may ask of the engine. */
export type Op =
  /** Submits a prompt and runs to its end. Without parts: goes on with an unfinished run. */
  | {
    readonly type: "prompt";
    /** Accepted once: a second submission with it is ignored. */
    readonly requestId: string;
    readonly parts: readonly PromptPart[];
    /** In place of parts: a word of the program to the model, which the user did not say. */
    readonly note?: "prepare";
  }
  /** Says something to a run that works: the model sees it after the calls that are running. Without a run: a prompt. */
  | { readonly type: "steer"; readonly requestId: string; readonly parts: readonly PromptPart[] }
  /** Says something when the run is over. Without a run: a prompt. */
  | { readonly type: "follow_up"; readonly requestId: string; readonly parts: readonly PromptPart[] }
  /** Takes a follow-up back. */
  | { readonly type: "unqueue"; readonly requestId: string }
  /** Another model for the requests from here on: "provider/id". */
  | { readonly type: "model"; readonly model: string }
  | { readonly type: "thinking"; readonly level: "off" | "low" | "medium" | "high" }
  /** Puts a summary in place of the older part of the conversation. `focus`: what to keep in particular. */
  | { readonly type: "compact"; readonly focus?: string }
  /** Replaces or leaves out what is old: long outputs, images, thinking. */
  | { readonly type: "shake"; readonly mode: "elide" | "images" | "thinking" }
  /** Ends what is running. "user" closes the run; "shutdown" leaves it to be resumed. */
  | { readonly type: "interrupt"; readonly by: "user" | "shutdown" | "timeout" }
  /** Goes to another entry of the session (null: before the first); `summarize`: with a summary of what is left. */
  | { readonly type: "navigate"; readonly to: string | null; readonly summarize?: boolean }
  /** Gives the session a title. */
  | { readonly type: "title"; readonly title: string }
  /** Gives an entry a name; an empty one takes it away. */
  | { readonly type: "label"; readonly entry: string; readonly label: string }
  /** Puts files back that calls have changed: those of the last prompt, or all since the entry `to`. */
  | { readonly type: "undo"; readonly to?: string }
  /** Takes the last undo back. */
  | { readonly type: "redo" }
  /** Answers a `question`: what was chosen of its options, and own words. */
  | {
    readonly type: "answer";
    readonly questionId: string;
    readonly chosen?: readonly string[];
    readonly text?: string;
  }
  /** Answers a `permission_request`. */
  | {
    readonly type: "approve";
    readonly permitId: string;
    readonly allow: boolean;
    /** With a yes: how far it reaches. "session" and "project" mean all that the question's rule covers; absent: once. */
    readonly scope?: "once" | "session" | "project";
    /** A word to the model, with a refusal. */
    readonly reason?: string;
  };

export type { PromptPart };
