/**
 * Folds events into the items of a conversation, as interfaces draw them:
 * plain data, in the order in which things began. An item changes until it is
 * done and never afterwards; `revision` goes up with each change, so that who
 * draws can keep what he has drawn. Texts are raw: who draws strips them.
 */
import type { EngineEvent, RunResult, ToolResult, View } from "../../engine/event.ts";
import type { PromptPart } from "../../engine/op.ts";
import { counted, grouped } from "../../lib/text/count.ts";
import { textOf } from "../../llm/message.ts";
import type { PastItem } from "../interface.ts";

interface Drawn {
  /** Counts up over all items of a transcript. */
  readonly id: number;
  /** It will not change any more. */
  done: boolean;
  revision: number;
}

export interface UserItem extends Drawn {
  readonly kind: "user";
  readonly text: string;
  readonly images: number;
}
export interface AnswerItem extends Drawn {
  readonly kind: "answer" | "thinking";
  text: string;
}
export interface CallItem extends Drawn {
  readonly kind: "call";
  readonly callId: string;
  readonly name: string;
  readonly args: unknown;
  /** The end of what it has put out so far. */
  output: string;
  result: string;
  images: readonly { readonly mediaType: string; readonly data: string }[];
  view: View | undefined;
  isError: boolean;
  denied: boolean;
  durationMs: number | undefined;
}
export interface ShellItem extends Drawn {
  readonly kind: "shell";
  readonly command: string;
  /** Whether the model is told. */
  readonly told: boolean;
  output: string;
  status: number | undefined;
}
export interface LineItem extends Drawn {
  readonly kind: "info" | "warning" | "error" | "end";
  readonly text: string;
  /** What can be done about it. */
  readonly hint?: string;
}

export type Item = UserItem | AnswerItem | CallItem | ShellItem | LineItem;

/** Characters of live output that an item keeps. */
const OUTPUT = 64 * 1024;

export interface Transcript {
  readonly items: Item[];
  /** Takes an event in. */
  apply(event: EngineEvent): void;
  /** Draws what was there before again. */
  replay(past: readonly PastItem[]): void;
  /** The user has submitted something. */
  submitted(text: string, images: number): void;
  say(kind: LineItem["kind"], text: string, hint?: string): void;
  /** A command of the user himself. */
  shell(command: string, told: boolean): { output(text: string): void; end(status: number): void };
  clear(): void;
}

/** The parts of a prompt as people see them. */
export function partsShown(parts: readonly PromptPart[]): { readonly text: string; readonly images: number } {
  const text = parts.map((part) =>
    part.type === "text" || part.type === "paste"
      ? part.text
      : part.type === "file"
      ? part.path
      : part.type === "content"
      ? ` [${part.name}] `
      : ""
  ).join("");
  return {
    text: text.trim(),
    images: parts.filter((part) => part.type === "image" || part.type === "document").length,
  };
}

export function createTranscript(): Transcript {
  const items: Item[] = [];
  let ids = 0;
  const running = new Map<string, CallItem>();
  let open: AnswerItem | undefined;
  /** What this step has streamed: a finished message says it again. */
  let streamed = { answer: false, thinking: false };

  const fresh = (done: boolean) => ({ id: ids++, done, revision: 0 });
  const say = (kind: LineItem["kind"], text: string, hint?: string) => {
    items.push({ ...fresh(true), kind, text, ...(hint === undefined ? {} : { hint }) });
  };
  const close = () => {
    if (open === undefined) return;
    open.done = true;
    open.revision++;
    open = undefined;
  };
  const piece = (kind: AnswerItem["kind"], text: string) => {
    if (open?.kind !== kind) {
      // Blank lines before the first word are no answer.
      if (text.trim() === "") return;
      close();
      open = { ...fresh(false), kind, text: "" };
      items.push(open);
      streamed = { ...streamed, [kind]: true };
    }
    open.text += text;
    open.revision++;
  };
  const begin = (callId: string, name: string, args: unknown): CallItem => {
    const item: CallItem = {
      ...fresh(false),
      kind: "call",
      callId,
      name,
      args,
      output: "",
      result: "",
      images: [],
      view: undefined,
      isError: false,
      denied: false,
      durationMs: undefined,
    };
    items.push(item);
    running.set(callId, item);
    return item;
  };
  const finish = (item: CallItem, result: ToolResult, durationMs: number | undefined) => {
    item.result = textOf(result.parts);
    item.images = result.parts.filter((part) => part.type === "image");
    item.view = result.view;
    item.isError = result.isError;
    item.denied = result.denied !== undefined;
    item.durationMs = durationMs;
    item.output = "";
    item.done = true;
    item.revision++;
    running.delete(item.callId);
  };
  const endRun = (result: RunResult) => {
    close();
    for (const item of running.values()) {
      item.isError = true;
      item.result ||= "cut off";
      item.done = true;
      item.revision++;
    }
    running.clear();
    const { reason, error, hint } = result;
    if (reason === "cancelled") say("warning", "Interrupted. What was done is kept.");
    else if (error !== null) say("error", error, hint ?? undefined);
    if (result.steps > 0) say("end", "");
  };

  function apply(event: EngineEvent): void {
    switch (event.type) {
      case "step_start":
        close();
        streamed = { answer: false, thinking: false };
        break;
      case "text_delta":
        piece("answer", event.text);
        break;
      case "thinking_delta":
        piece("thinking", event.text);
        break;
      case "message_end": {
        close();
        // A server that does not stream says it only here.
        const text = textOf(event.message.parts);
        if (!streamed.answer && text.trim() !== "") {
          piece("answer", text);
          close();
        }
        break;
      }
      case "tool_start":
        close();
        begin(event.callId, event.name, event.args);
        break;
      case "tool_output": {
        const item = running.get(event.callId);
        if (item === undefined) break;
        item.output = (item.output + event.text).slice(-OUTPUT);
        item.revision++;
        break;
      }
      case "tool_end":
        finish(
          running.get(event.callId) ?? begin(event.callId, event.name, undefined),
          event.result,
          event.durationMs,
        );
        break;
      case "permission":
        if (event.decision === "deny") {
          say("warning", `Denied${event.by === "person" ? " by you" : ""}: ${event.request}`);
        } else if (event.scope !== undefined) {
          const far = event.scope === "project" ? "this project" : "this session";
          say("info", `Allowed for ${far}: ${event.rule ?? event.request}`);
        }
        break;
      case "retry": {
        // What came of the answer so far is said again.
        if (open !== undefined) close();
        const seconds = (event.delayMs / 1000).toFixed(1);
        say("warning", `${event.cause.message}; trying again in ${seconds} s (${event.attempt})`);
        break;
      }
      case "notice":
        say(event.level === "warning" ? "warning" : "info", event.text);
        break;
      case "compaction":
        if (event.action !== "failed") {
          const what = event.action === "clear" ? "Cleared old tool output" : "Summarised the older part";
          say("info", `${what}: ~${grouped(event.tokensBefore)} to ~${counted(event.tokensAfter, "token")}`);
        }
        break;
      case "files_restored": {
        const word = event.direction === "undo" ? "Put back" : "Changed again";
        const { restored, conflicts, failed } = event;
        if (restored.length > 0) say("info", `${word}: ${restored.join(", ")}`);
        if (conflicts.length > 0) say("warning", `Changed since, left alone: ${conflicts.join(", ")}`);
        for (const { path, why } of failed) say("error", `${path}: ${why}`);
        if (restored.length + conflicts.length + failed.length === 0) {
          say("info", `Nothing to ${event.direction}.`);
        }
        break;
      }
      case "steered": {
        close();
        const { text, images } = partsShown(event.parts);
        items.push({ ...fresh(true), kind: "user", text, images });
        break;
      }
      case "navigated":
        if (event.summary !== null) say("info", `Of what was left: ${event.summary}`);
        break;
      case "run_end":
        endRun(event.result);
        break;
    }
  }

  function replay(past: readonly PastItem[]): void {
    for (const one of past) {
      switch (one.type) {
        case "user":
          items.push({ ...fresh(true), kind: "user", text: one.text, images: one.images });
          break;
        case "assistant":
          if (one.thinking.trim() !== "") {
            items.push({ ...fresh(true), kind: "thinking", text: one.thinking });
          }
          if (one.text.trim() !== "") items.push({ ...fresh(true), kind: "answer", text: one.text });
          break;
        case "call":
          finish(begin(one.callId, one.name, one.args), {
            parts: [{ type: "text", text: one.open ? "cut off" : one.text }],
            isError: one.isError || one.open === true,
            ...(one.view === undefined ? {} : { view: one.view }),
          }, one.durationMs);
          break;
        case "note":
          say("info", one.text);
          break;
        case "run_end":
          if (one.error !== undefined) say("error", one.error);
          else if (one.reason === "cancelled") say("warning", "Interrupted. What was done is kept.");
          break;
      }
    }
  }

  return {
    items,
    apply,
    replay,
    say,
    submitted(text, images) {
      close();
      items.push({ ...fresh(true), kind: "user", text, images });
    },
    shell(command, told) {
      const item: ShellItem = {
        ...fresh(false),
        kind: "shell",
        command,
        told,
        output: "",
        status: undefined,
      };
      items.push(item);
      return {
        output(text) {
          item.output = (item.output + text).slice(-OUTPUT);
          item.revision++;
        },
        end(status) {
          item.status = status;
          item.done = true;
          item.revision++;
        },
      };
    },
    clear() {
      items.length = 0;
      running.clear();
      open = undefined;
    },
  };
}
