/**
 * Makes any history fit the model that it goes to next. Pure, and the same
 * message comes out the same in every later request, so that a prefix stays a
 * prefix:
 *
 * - What another model thought, signed or gave an id to stays out.
 * - Call ids take the form that the target accepts, and are unique in the
 *   whole history; the results follow them.
 * - Each call has exactly one result right after its message: one that is
 *   missing is made, one without a call is left out.
 *
 * Images for a model without eyes are the encoders' part, which have words for them.
 */
import type {
  AssistantMessage,
  AssistantPart,
  Message,
  TextPart,
  ToolCall,
  ToolResultMessage,
} from "./message.ts";
import { type Model, modelName } from "./model.ts";

/** What a server takes as the id of a call. */
export interface CallIdForm {
  /** Matches an id that goes through as it is. */
  readonly pattern: RegExp;
  /** Characters of an id that is made anew; letters and digits only. */
  readonly length: number;
}

/** What all but a few take. */
export const USUAL_IDS: CallIdForm = { pattern: /^[\w-]{1,40}$/, length: 24 };

const LOST = "(no result: the call was interrupted)";

/** The history as the model may be given it. Messages that need no change are the same objects. */
export function handoff(
  messages: readonly Message[],
  model: Model,
  ids: CallIdForm = USUAL_IDS,
): readonly Message[] {
  const name = modelName(model);
  const used = new Set<string>();
  const out: Message[] = [];
  let changed = false;
  let open: OpenCalls | undefined;
  const close = () => {
    if (open === undefined) return;
    for (const result of open.missing()) {
      out.push(result);
      changed = true;
    }
    open = undefined;
  };
  for (const message of messages) {
    if (message.role === "tool_result") {
      const result = open?.take(message);
      if (result !== undefined) out.push(result);
      if (result !== message) changed = true;
      continue;
    }
    close();
    if (message.role !== "assistant") {
      out.push(message);
      continue;
    }
    const fitted = fitAnswer(message, message.model === name, ids, used);
    if (fitted.message !== message) changed = true;
    out.push(fitted.message);
    if (fitted.ids !== undefined) open = new OpenCalls(fitted.ids);
  }
  close();
  return changed ? out : messages;
}

/** The calls of the latest answer that wait for results: the id in the history -> the one that is sent, and the tool. */
class OpenCalls {
  readonly #waiting: ReadonlyMap<string, { readonly id: string; readonly name: string }[]>;

  constructor(ids: ReadonlyMap<string, { readonly id: string; readonly name: string }[]>) {
    this.#waiting = ids;
  }

  /** The result under the id that is sent; undefined: nobody waits for it. */
  take(result: ToolResultMessage): ToolResultMessage | undefined {
    const call = this.#waiting.get(result.callId)?.shift();
    if (call === undefined) return undefined;
    return call.id === result.callId ? result : { ...result, callId: call.id };
  }

  *missing(): Generator<ToolResultMessage> {
    for (const calls of this.#waiting.values()) {
      for (const { id, name } of calls) {
        yield {
          role: "tool_result",
          callId: id,
          name,
          parts: [{ type: "text", text: LOST }],
          isError: true,
        };
      }
    }
  }
}

function fitAnswer(
  message: AssistantMessage,
  own: boolean,
  form: CallIdForm,
  used: Set<string>,
): { message: AssistantMessage; ids: Map<string, { id: string; name: string }[]> | undefined } {
  let ids: Map<string, { id: string; name: string }[]> | undefined;
  let changed = false;
  const parts: AssistantPart[] = [];
  for (const part of message.parts) {
    if (part.type === "thinking") {
      if (own) parts.push(part);
      else changed = true;
      continue;
    }
    let fitted: TextPart | ToolCall = part;
    if (!own && part.opaque !== undefined) fitted = withoutOpaque(part);
    if (fitted.type === "tool_call") {
      // The server that made an id knows it, whatever its form.
      const fits = own || form.pattern.test(fitted.id);
      const id = unique(fits ? fitted.id : madeId(fitted.id, form.length), used, form.length);
      used.add(id);
      ids ??= new Map();
      const calls = ids.get(fitted.id);
      if (calls === undefined) ids.set(fitted.id, [{ id, name: fitted.name }]);
      else calls.push({ id, name: fitted.name });
      // An id that had to change belongs to no item of the server any more.
      if (id !== fitted.id) fitted = { ...withoutOpaque(fitted), id };
    }
    if (fitted !== part) changed = true;
    parts.push(fitted);
  }
  return { message: changed ? { ...message, parts } : message, ids };
}

function withoutOpaque<T extends TextPart | ToolCall>(part: T): T {
  const { opaque: _, ...rest } = part;
  return rest as T;
}

function unique(id: string, used: ReadonlySet<string>, length: number): string {
  let own = id;
  for (let n = 2; used.has(own); n++) own = madeId(`${id} ${n}`, length);
  return own;
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Letters and digits that depend on the id alone. */
function madeId(id: string, length: number): string {
  let made = "";
  // FNV-1a over the id, stirred once more for each character.
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  let other = id.length;
  for (let i = 0; i < id.length; i++) {
    other = Math.imul(other ^ id.charCodeAt(i), 0x5bd1e995) ^ (other >>> 13);
  }
  for (let n = 0; n < length; n++) {
    hash = Math.imul(hash ^ (hash >>> 15) ^ other, 0x2c1b3c6d) + n;
    other = Math.imul(other ^ (other >>> 12), 0x297a2d39) ^ hash;
    made += LETTERS[((hash ^ (hash >>> 16)) >>> 0) % LETTERS.length];
  }
  return made;
}
