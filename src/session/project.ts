/**
 * From a path of entries to what a model is sent, and to what is going on in
 * it. Pure and incremental: the same entries always give the same messages,
 * and a further entry only ever adds messages at the end, so that a
 * provider's prompt cache holds.
 */
import type {
  AssistantMessage,
  ContentPart,
  Message,
  ToolCall,
  ToolResultMessage,
  UserMessage,
} from "../llm/message.ts";
import { type AnyEntry, type Entry, isKnown } from "./entry.ts";

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
}

const LEFT_OUT = "(content of a kind that this version does not know)";
const LOST = "interrupted: no result of this call was recorded";

/** How a message of the program looks to a model. */
export function noteMessage(text: string): UserMessage {
  return { role: "user", parts: [{ type: "text", text: `<note>\n${text}\n</note>` }] };
}

export class Projection {
  readonly #messages: Message[] = [];
  /** The calls of the last answer, and how many of their results are among the messages. */
  #slots: Slot[] = [];
  #settled = 0;
  /** What came while calls were open: follows their results. */
  #held: Message[] = [];
  #title: string | undefined;
  #model: string | undefined;
  #run: OpenRun | undefined;

  /** What a model sees. Well-formed for a request when no call is open. The array grows; its elements never change. */
  get messages(): readonly Message[] {
    return this.#messages;
  }

  get title(): string | undefined {
    return this.#title;
  }

  /** "provider/id" of the last run. */
  get model(): string | undefined {
    return this.#model;
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
        return this.#say({ role: "system", text: entry.text });
      case "submission":
        return this.#say({ role: "user", parts: content(entry.message) });
      case "note":
        return this.#say(noteMessage(entry.text));
      case "assistant":
        return this.#answer(entry.message);
      case "intent": {
        const slot = this.#openSlot(entry.callId);
        if (slot) slot.replay = entry.replay;
        return;
      }
      case "result":
        return this.#result(entry);
      case "run_start":
        this.#model = entry.model;
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
      case "usage":
      case "leaf":
        return;
    }
  }

  #say(message: Message): void {
    if (this.#settled < this.#slots.length) this.#held.push(wellFormed(message));
    else this.#messages.push(wellFormed(message));
  }

  #answer(message: AssistantMessage): void {
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
    this.#messages.push(own);
    this.#slots = own.parts.filter((part) => part.type === "tool_call").map((call) => ({
      call,
      replay: undefined,
      result: undefined,
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
    this.#progress();
    this.#settle();
  }

  /** Moves results to the messages as far as they are there in call order, and after the last what waited for them. */
  #settle(): void {
    while (this.#settled < this.#slots.length) {
      const { result } = this.#slots[this.#settled];
      if (!result) return;
      this.#messages.push(result);
      this.#settled++;
    }
    this.#messages.push(...this.#held);
    this.#held = [];
  }

  #openSlot(callId: string): Slot | undefined {
    const id = callId.toWellFormed();
    return this.#slots.find((slot) => slot.call.id === id && !slot.result);
  }

  #progress(): void {
    if (this.#run && this.#run.stalls > 0) this.#run = { ...this.#run, stalls: 0 };
  }
}

/** The projection of a whole path. */
export function project(path: Iterable<AnyEntry>): Projection {
  const projection = new Projection();
  for (const entry of path) projection.add(entry);
  return projection;
}

/** Without parts of a type that only a newer version knows; an empty message would be refused. */
function content(parts: readonly ContentPart[]): readonly ContentPart[] {
  const known = parts.filter(({ type }) => type === "text" || type === "image");
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
    const copy = value.map(repaired);
    return copy.some((own, at) => own !== value[at]) ? copy : value;
  }
  if (typeof value !== "object" || value === null) return value;
  let copy: Record<string, unknown> | undefined;
  for (const [key, old] of Object.entries(value)) {
    const own = repaired(old);
    if (own !== old) copy = { ...(copy ?? value), [key]: own };
  }
  return copy ?? value;
}
