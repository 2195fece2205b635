/**
 * From a path of entries to what a model is sent, and to what is going on in
 * it. Pure and incremental: the same entries always give the same messages,
 * and a further entry only ever adds messages at the end, so that a
 * provider's prompt cache holds. Two kinds are excepted, because that is what
 * they are for: `compaction` and `context_edit`.
 */
import type {
  AssistantMessage,
  ContentPart,
  Message,
  ToolCall,
  ToolResultMessage,
  UserMessage,
} from "../llm/message.ts";
import { type AnyEntry, type ContextEdit, type Entry, isKnown } from "./entry.ts";

/** A call that has no result yet. */
export interface OpenCall {
  readonly callId: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
  /** From its intent; undefined: it was not started. */
  readonly replay: "safe" | "never" | undefined;
}

/** A run that has begun and not ended. */
export interface OpenRun {
  readonly runId: string;
  readonly model: string;
  /** How often it was taken up again since it last got on (an answer or a result). */
  readonly stalls: number;
}

interface Slot {
  readonly call: ToolCall;
  replay: "safe" | "never" | undefined;
  result: ToolResultMessage | undefined;
  /** The entry of the result. */
  origin: string;
}

const LEFT_OUT = "(content of a kind that this version does not know)";
const LEFT_OUT_IMAGES = "(images or documents were left out)";
const LOST = "interrupted: no result of this call was recorded";

/** How a message of the program looks to a model. */
export function noteMessage(text: string): UserMessage {
  return { role: "user", parts: [{ type: "text", text: `<note>\n${text}\n</note>` }] };
}

/** How the summary of what was left out looks to a model. */
export function summaryMessage(text: string): UserMessage {
  return { role: "user", parts: [{ type: "text", text: `<summary>\n${text}\n</summary>` }] };
}

interface Placed {
  readonly message: Message;
  /** The entry that it comes from. */
  readonly origin: string;
}

export class Projection {
  #messages: Message[] = [];
  /** The entries that the messages come from, one for each. */
  #origins: string[] = [];
  /** The calls of the last answer, and how many of their results are among the messages. */
  #slots: Slot[] = [];
  #settled = 0;
  /** What came while calls were open: follows their results. */
  #held: Placed[] = [];
  #title: string | undefined;
  #model: string | undefined;
  #thinking: string | undefined;
  readonly #labels = new Map<string, string>();
  #run: OpenRun | undefined;

  /** What a model sees. Well-formed for a request when no call is open. The array grows; its elements never change. */
  get messages(): readonly Message[] {
    return this.#messages;
  }

  get title(): string | undefined {
    return this.#title;
  }

  /** "provider/id" that was chosen last in the session; undefined: none was, its runs had whatever was set up. */
  get model(): string | undefined {
    return this.#model;
  }

  /** The level that was chosen last in the session. */
  get thinking(): string | undefined {
    return this.#thinking;
  }

  /** Names of entries, by entry. */
  get labels(): ReadonlyMap<string, string> {
    return this.#labels;
  }

  /** The entry that each message comes from. */
  get origins(): readonly string[] {
    return this.#origins;
  }

  /** The run that was not ended. */
  get run(): OpenRun | undefined {
    return this.#run;
  }

  get openCalls(): readonly OpenCall[] {
    return this.#slots.filter((slot) => !slot.result).map(({ call, replay }) => ({
      callId: call.id,
      name: call.name,
      arguments: call.arguments,
      replay,
    }));
  }

  add(entry: AnyEntry): void {
    if (isKnown(entry)) this.#add(entry);
  }

  #add(entry: Entry): void {
    switch (entry.kind) {
      case "system":
        return this.#say(entry.id, { role: "system", text: entry.text });
      case "submission":
        return this.#say(entry.id, { role: "user", parts: content(entry.message) });
      case "note":
        return this.#say(entry.id, noteMessage(entry.text));
      case "branch_summary":
        return this.#say(entry.id, summaryMessage(entry.summary));
      case "assistant":
        return this.#answer(entry.id, entry.message);
      case "compaction":
        return this.#compact(entry);
      case "context_edit":
        return this.#edit(entry.edits);
      case "intent": {
        const slot = this.#openSlot(entry.callId);
        if (slot) slot.replay = entry.replay;
        return;
      }
      case "result":
        return this.#result(entry);
      case "run_start":
        this.#run = {
          runId: entry.runId,
          model: entry.model,
          stalls: this.#run?.runId === entry.runId ? this.#run.stalls + 1 : 0,
        };
        return;
      case "run_end":
        if (this.#run?.runId === entry.runId) this.#run = undefined;
        return;
      case "title":
        this.#title = entry.title;
        return;
      case "model":
        this.#model = entry.model;
        return;
      case "thinking":
        this.#thinking = entry.level;
        return;
      case "label":
        if (entry.label === "") this.#labels.delete(entry.target);
        else this.#labels.set(entry.target, entry.label);
        return;
      case "usage":
      case "leaf":
      case "changes":
      case "undo":
      case "undo_end":
      case "checkpoint":
      case "queued":
      case "unqueued":
        return;
    }
  }

  #say(origin: string, message: Message): void {
    const placed = { origin, message: wellFormed(message) };
    if (this.#settled < this.#slots.length) this.#held.push(placed);
    else this.#place(placed);
  }

  #place({ origin, message }: Placed): void {
    this.#messages.push(message);
    this.#origins.push(origin);
  }

  #answer(origin: string, message: AssistantMessage): void {
    // Only damage leads here with a call open: every call must have its result before the next answer.
    for (const slot of this.#slots) slot.result ??= lost(slot.call);
    this.#settle();
    const own = wellFormed({
      ...message,
      role: "assistant" as const,
      parts: message.parts.filter(({ type }) =>
        type === "text" || type === "thinking" || type === "tool_call"
      ),
    });
    this.#place({ origin, message: own });
    this.#slots = own.parts.filter((part) => part.type === "tool_call").map((call) => ({
      call,
      replay: undefined,
      result: undefined,
      origin,
    }));
    this.#settled = 0;
    this.#progress();
  }

  #result(entry: Entry & { kind: "result" }): void {
    const slot = this.#openSlot(entry.callId);
    // A second result, or one whose answer is lost: a request with it would be refused.
    if (!slot) return;
    slot.result = wellFormed({
      role: "tool_result",
      callId: slot.call.id,
      name: entry.name,
      parts: content(entry.parts),
      isError: entry.isError === true,
    });
    slot.origin = entry.id;
    this.#progress();
    this.#settle();
  }

  /** Moves results to the messages as far as they are there in call order, and after the last what waited for them. */
  #settle(): void {
    while (this.#settled < this.#slots.length) {
      const { result, origin } = this.#slots[this.#settled];
      if (!result) return;
      this.#place({ origin, message: result });
      this.#settled++;
    }
    for (const placed of this.#held) this.#place(placed);
    this.#held = [];
  }

  /** What comes before the first kept message goes, but for system prompts; the summary stands in its place. */
  #compact(entry: Entry & { kind: "compaction" }): void {
    let cut = entry.firstKept === null ? this.#messages.length : this.#origins.indexOf(entry.firstKept);
    if (cut < 0) cut = this.#messages.length;
    // A result without its call would be refused.
    while (this.#messages[cut]?.role === "tool_result") cut++;
    // While a call of it is open, the last answer stays with the results that it has.
    if (this.#settled < this.#slots.length) {
      cut = Math.min(cut, this.#messages.findLastIndex(({ role }) => role === "assistant"));
    }
    const [messages, origins] = [this.#messages, this.#origins];
    const keep = (at: number) => at >= cut || messages[at].role === "system";
    this.#messages = [];
    this.#origins = [];
    for (let at = 0; at <= messages.length; at++) {
      if (at === cut) this.#place({ origin: entry.id, message: wellFormed(summaryMessage(entry.summary)) });
      if (at < messages.length && keep(at)) this.#place({ origin: origins[at], message: messages[at] });
    }
  }

  #edit(edits: readonly ContextEdit[]): void {
    this.#messages = [...this.#messages];
    for (const edit of edits) {
      for (let at = 0; at < this.#messages.length; at++) {
        if (this.#origins[at] === edit.entry) this.#messages[at] = edited(this.#messages[at], edit);
      }
    }
  }

  #openSlot(callId: string): Slot | undefined {
    const id = callId.toWellFormed();
    return this.#slots.find((slot) => slot.call.id === id && !slot.result);
  }

  #progress(): void {
    if (this.#run && this.#run.stalls > 0) this.#run = { ...this.#run, stalls: 0 };
  }
}

/** The message with an edit's content, as far as its role can have it. */
function edited(message: Message, { parts, drop }: ContextEdit): Message {
  if (message.role === "system") return message;
  if (message.role === "assistant") {
    if (drop !== "thinking") return message;
    return { ...message, parts: message.parts.filter(({ type }) => type !== "thinking") };
  }
  const given = parts === undefined ? message.parts : content(parts);
  const left = drop === "images"
    ? given.filter(({ type }) => type !== "image" && type !== "document")
    : given;
  return wellFormed({
    ...message,
    parts: left.length > 0 ? left : [{ type: "text" as const, text: LEFT_OUT_IMAGES }],
  });
}

/** The projection of a whole path. */
export function project(path: Iterable<AnyEntry>): Projection {
  const projection = new Projection();
  for (const entry of path) projection.add(entry);
  return projection;
}

/** Without parts of a type that only a newer version knows; an empty message would be refused. */
function content(parts: readonly ContentPart[]): readonly ContentPart[] {
  const known = parts.filter(({ type }) => type === "text" || type === "image" || type === "document");
  return known.length > 0 ? known : [{ type: "text", text: parts.length > 0 ? LEFT_OUT : "" }];
}

function lost(call: ToolCall): ToolResultMessage {
  return {
    role: "tool_result",
    callId: call.id,
    name: call.name,
    parts: [{ type: "text", text: LOST }],
    isError: true,
  };
}

/** The same value with U+FFFD for halves of surrogate pairs, which no server accepts; itself where there are none. */
function wellFormed<T>(value: T): T {
  return repaired(value) as T;
}

function repaired(value: unknown): unknown {
  if (typeof value === "string") return value.isWellFormed() ? value : value.toWellFormed();
  if (Array.isArray(value)) {
    let copy: unknown[] | undefined;
    for (let at = 0; at < value.length; at++) {
      const own = repaired(value[at]);
      if (own !== value[at]) (copy ??= [...value])[at] = own;
    }
    return copy ?? value;
  }
  if (typeof value !== "object" || value === null) return value;
  let copy: Record<string, unknown> | undefined;
  // Not Object.entries: a long session is read through here whole.
  for (const key in value) {
    const old = (value as Record<string, unknown>)[key];
    const own = repaired(old);
    if (own !== old) copy = { ...(copy ?? value), [key]: own };
  }
  return copy ?? value;
}
