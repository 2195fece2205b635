/**
 * Joins the fragments of tool calls. By the protocol a fragment belongs to the
 * call of its index; real servers leave the index out, give every call the
 * same one, repeat names and ids, change ids in mid-call, or send everything
 * twice. The rules here read each of these the one way that makes sense; the
 * order of calls is the order in which they began.
 */
import type { OpenCall } from "../../fold.ts";
import type { StreamEvent } from "../../event.ts";
import type { Draft } from "../../fold.ts";

/** A fragment with the fields that are usable. */
interface Fragment {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  /** Text to append; undefined where there is none. */
  readonly text: string | undefined;
  /** The text is a whole object, which the server sent as one. */
  readonly whole: boolean;
}

interface Slot {
  /** The id as the server says it, "" until it does. */
  serverId: string;
  name: string;
  text: string;
  /** Undefined until the name is known. */
  call: OpenCall | undefined;
  place: number;
}

/** Collects the calls of one message into a draft. */
export class CallCollector {
  readonly #draft: Draft;
  readonly #idPrefix: string;
  readonly #slots: Slot[] = [];
  readonly #byIndex = new Map<number, Slot>();
  readonly #ids = new Set<string>();
  #running: Slot | undefined;

  /** `idPrefix` makes ids for servers that send none; it should differ between the messages of a conversation. */
  constructor(draft: Draft, idPrefix: string) {
    this.#draft = draft;
    this.#idPrefix = idPrefix;
  }

  /** Takes the `tool_calls` of one delta. */
  push(fragments: readonly unknown[], out: StreamEvent[]): void {
    fragments.forEach((raw, position) => {
      const fragment = readFragment(raw);
      if (fragment !== undefined) this.#take(fragment, position > 0, out);
    });
  }

  /** Calls that never got a name: kept, and never to be run, where they have arguments; else nothing. */
  end(out: StreamEvent[]): void {
    for (const slot of this.#slots) {
      if (slot.call === undefined && slot.text !== "") this.#begin(slot, out);
    }
  }

  #take(fragment: Fragment, follows: boolean, out: StreamEvent[]): void {
    const found = fragment.index === undefined
      ? this.#withoutIndex(fragment, follows)
      : this.#withIndex(fragment, fragment.index);
    if (found === "repetition") return;
    const slot = found ?? this.#open(fragment);
    if (fragment.index !== undefined) this.#byIndex.set(fragment.index, slot);
    this.#running = slot;
    if (slot.serverId === "") slot.serverId = fragment.id;
    if (slot.name === "") slot.name = fragment.name;
    if (slot.call === undefined && slot.name !== "") this.#begin(slot, out);
    if (fragment.text !== undefined) this.#append(slot, fragment, out);
  }

  /** The call that a fragment with an index belongs to; undefined: a new one. */
  #withIndex(fragment: Fragment, index: number): Slot | "repetition" | undefined {
    const slot = this.#byIndex.get(index);
    if (slot === undefined) return undefined;
    const otherId = fragment.id !== "" && slot.serverId !== "" && fragment.id !== slot.serverId;
    if (otherId) {
      // Seen before under the same index: a server that numbers all calls 0 and interleaves them.
      const known = this.#slots.find((other) => other.serverId === fragment.id);
      if (known !== undefined) return known;
      const begins = isObjectText(slot.text) || (slot.text === "" && fragment.name !== "");
      // Unfinished arguments and another id: a server that makes up an id for every delta.
      return begins ? undefined : slot;
    }
    return this.#sameCall(slot, fragment);
  }

  #withoutIndex(fragment: Fragment, follows: boolean): Slot | "repetition" | undefined {
    const known = fragment.id === ""
      ? undefined
      : this.#slots.findLast((slot) => slot.serverId === fragment.id);
    if (known !== undefined) return this.#sameCall(known, fragment);
    const running = this.#running;
    if (running === undefined) return undefined;
    if (fragment.id === "" && fragment.name === "") return running;
    if (follows) return undefined;
    if (fragment.id !== "" && running.serverId !== "") return undefined;
    const goesOn = running.text !== "" && !isObjectText(running.text) &&
      (fragment.name === "" || fragment.name === running.name);
    const lateId = running.serverId === "" && fragment.id !== "" && running.text === "" &&
      (fragment.name === "" || fragment.name === running.name);
    return goesOn || lateId ? running : undefined;
  }

  /** A fragment with the slot's own id, or none: it goes on, repeats what is whole, or begins another call. */
  #sameCall(slot: Slot, fragment: Fragment): Slot | "repetition" | undefined {
    if (fragment.name === "" || slot.name === "") return slot;
    const complete = isObjectText(slot.text);
    if (fragment.name !== slot.name) return complete || slot.text === "" ? undefined : slot;
    if (!complete || fragment.text === undefined || fragment.text.trim() === "") return slot;
    if (!fragment.text.trimStart().startsWith("{")) return slot;
    const same = fragment.id !== "" && sameJson(fragment.text, slot.text);
    return same ? "repetition" : undefined;
  }

  #open(fragment: Fragment): Slot {
    const slot: Slot = { serverId: fragment.id, name: "", text: "", call: undefined, place: -1 };
    this.#slots.push(slot);
    return slot;
  }

  #begin(slot: Slot, out: StreamEvent[]): void {
    slot.place = this.#draft.calls.length;
    const id = this.#unique(slot.serverId === "" ? `${this.#idPrefix}${slot.place}` : slot.serverId);
    slot.call = this.#draft.openCall(id, slot.name);
    out.push({ type: "tool_call_start", index: slot.place, id, name: slot.name });
    if (slot.text === "") return;
    slot.call.arguments = slot.text;
    out.push({ type: "tool_call_delta", index: slot.place, arguments: slot.text });
  }

  #append(slot: Slot, fragment: Fragment, out: StreamEvent[]): void {
    const { text = "", whole } = fragment;
    // An empty object after text is how some servers fill a field they have nothing for.
    if (text === "" || (whole && slot.text !== "")) return;
    slot.text += text;
    if (slot.call === undefined) return;
    slot.call.arguments = slot.text;
    out.push({ type: "tool_call_delta", index: slot.place, arguments: text });
  }

  #unique(id: string): string {
    let unique = id;
    for (let n = 2; this.#ids.has(unique); n++) unique = `${id}_${n}`;
    this.#ids.add(unique);
    return unique;
  }
}

function readFragment(raw: unknown): Fragment | undefined {
  if (typeof raw !== "object" || raw === null) return undefined;
  const { index, id, function: called, name: flatName, arguments: flatArgs } = raw as Record<string, unknown>;
  const { name = flatName, arguments: args = flatArgs } = (called ?? {}) as Record<string, unknown>;
  const whole = typeof args === "object" && args !== null;
  return {
    index: typeof index === "number" && index >= 0 ? index : undefined,
    id: typeof id === "string" ? id : typeof id === "number" ? String(id) : "",
    name: typeof name === "string" ? name.trim() : "",
    text: whole ? JSON.stringify(args) : typeof args === "string" ? args : undefined,
    whole,
  };
}

/** True for the text of a complete JSON object. */
export function isObjectText(text: string): boolean {
  // Most fragments end inside the object: look at the last character before parsing.
  if (!/\}\s*$/.test(text.slice(-16))) return false;
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function sameJson(a: string, b: string): boolean {
  if (a === b) return true;
  try {
    return JSON.stringify(JSON.parse(a)) === JSON.stringify(JSON.parse(b));
  } catch {
    return false;
  }
}
