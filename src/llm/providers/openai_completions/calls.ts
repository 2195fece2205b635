/**
 * Joins the fragments of tool calls. By the protocol a fragment belongs to the
 * call of its index; real servers leave the index out, give every call the
 * same one, repeat names and ids, change ids in mid-call, or send everything
 * twice. The rules here read each of these the one way that makes sense; the
 * order of calls is the order in which they began.
 */
import { isRecord } from "../../../lib/json.ts";
import type { OpenCall } from "../../fold.ts";
import type { Answer } from "../shared/answer.ts";
import { isObjectText } from "../shared/json.ts";

/** A fragment with the fields that are usable. */
interface Fragment {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  /** Text to append; undefined where there is none. */
  readonly text: string | undefined;
  /** The text is a whole object, which the server sent as one. */
  readonly whole: boolean;
  /** What the server wants back beside the call, unchanged. */
  readonly extra: unknown;
}

interface Slot {
  /** The id as the server says it, "" until it does. */
  serverId: string;
  name: string;
  text: string;
  /** "{}" has come, and nothing yet that would take its place. */
  empty: boolean;
  /** Undefined until the name is known. */
  call: OpenCall | undefined;
  place: number;
  extra: unknown;
}

/** Collects the calls of one answer. */
export class CallCollector {
  readonly #answer: Answer;
  readonly #slots: Slot[] = [];
  readonly #byIndex = new Map<number, Slot>();
  #running: Slot | undefined;

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  /** Takes the `tool_calls` of one delta. */
  push(fragments: readonly unknown[]): void {
    fragments.forEach((raw, position) => {
      const fragment = readFragment(raw);
      if (fragment !== undefined) this.#take(fragment, position > 0);
    });
  }

  /** Begins what still waits for its name; a call without any is never run, and nothing at all without arguments. */
  end(): void {
    for (const slot of this.#slots) {
      if (slot.call === undefined && (slot.text !== "" || slot.name !== "")) this.#begin(slot);
    }
  }

  #take(fragment: Fragment, follows: boolean): void {
    const found = fragment.index === undefined
      ? this.#withoutIndex(fragment, follows)
      : this.#withIndex(fragment, fragment.index);
    if (found === "repetition") return;
    const slot = found ?? this.#open(fragment);
    if (fragment.index !== undefined) this.#byIndex.set(fragment.index, slot);
    this.#running = slot;
    if (slot.serverId === "") slot.serverId = fragment.id;
    if (slot.call === undefined) this.#nameIt(slot, fragment);
    if (fragment.text !== undefined) this.#append(slot, fragment);
    if (fragment.extra !== undefined) {
      slot.extra = fragment.extra;
      if (slot.call !== undefined) slot.call.opaque = fragment.extra;
    }
  }

  /** A name may come in pieces: while it is but the beginning of a tool's, and nothing else has come, it waits. */
  #nameIt(slot: Slot, fragment: Fragment): void {
    const { name } = fragment;
    slot.name = slot.name === "" || name.startsWith(slot.name) ? name || slot.name : slot.name + name;
    if (slot.name !== "" && (!this.#mayGrow(slot.name) || fragment.text)) this.#begin(slot);
  }

  #mayGrow(name: string): boolean {
    const names = this.#answer.options.tools?.map((tool) => tool.name) ?? [];
    return !names.includes(name) && names.some((one) => one.startsWith(name));
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
      const begins = isComplete(slot) || (slot.text === "" && fragment.name !== "");
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
    const goesOn = running.text !== "" && !isComplete(running) &&
      (fragment.name === "" || fragment.name === running.name);
    const lateId = running.serverId === "" && fragment.id !== "" && running.text === "" && !running.empty &&
      (fragment.name === "" || fragment.name === running.name);
    return goesOn || lateId ? running : undefined;
  }

  /** A fragment with the slot's own id, or none: it goes on, repeats what is whole, or begins another call. */
  #sameCall(slot: Slot, fragment: Fragment): Slot | "repetition" | undefined {
    if (fragment.name === "" || slot.name === "" || slot.call === undefined) return slot;
    const complete = isComplete(slot);
    if (fragment.name !== slot.name) return complete || slot.text === "" ? undefined : slot;
    if (!complete || fragment.text === undefined || fragment.text.trim() === "") return slot;
    if (!fragment.text.trimStart().startsWith("{")) return slot;
    const same = fragment.id !== "" && sameJson(fragment.text, slot.empty ? "{}" : slot.text);
    return same ? "repetition" : undefined;
  }

  #open(fragment: Fragment): Slot {
    // The order of calls is that of their beginnings.
    for (const earlier of this.#slots) {
      if (earlier.call === undefined && earlier.name !== "") this.#begin(earlier);
    }
    const slot: Slot = {
      serverId: fragment.id,
      name: "",
      text: "",
      empty: false,
      call: undefined,
      place: -1,
      extra: undefined,
    };
    this.#slots.push(slot);
    return slot;
  }

  #begin(slot: Slot): void {
    const { call, index } = this.#answer.openCall(slot.serverId, slot.name);
    slot.place = index;
    slot.call = call;
    if (slot.extra !== undefined) call.opaque = slot.extra;
    this.#answer.addArguments(call, index, slot.text);
  }

  #append(slot: Slot, fragment: Fragment): void {
    const { text = "", whole } = fragment;
    // An empty object after text is how some servers fill a field they have nothing for.
    if (text === "" || (whole && slot.text !== "")) return;
    // At the beginning it may be that too: empty arguments come to the same in the end.
    slot.empty = slot.text === "" && text.trim() === "{}";
    if (slot.empty) return;
    slot.text += text;
    if (slot.call !== undefined) this.#answer.addArguments(slot.call, slot.place, text);
  }
}

function isComplete(slot: Slot): boolean {
  return slot.empty || isObjectText(slot.text);
}

function readFragment(raw: unknown): Fragment | undefined {
  if (typeof raw !== "object" || raw === null) return undefined;
  const { index, id, function: called, name: flatName, arguments: flatArgs, extra_content: extra } =
    raw as Record<string, unknown>;
  const { name = flatName, arguments: args = flatArgs } = (called ?? {}) as Record<string, unknown>;
  const whole = typeof args === "object" && args !== null;
  return {
    index: typeof index === "number" && index >= 0 ? index : undefined,
    id: typeof id === "string" ? id : typeof id === "number" ? String(id) : "",
    name: typeof name === "string" ? name.trim() : "",
    text: whole ? JSON.stringify(args) : typeof args === "string" ? args : undefined,
    whole,
    extra: isRecord(extra) ? extra : undefined,
  };
}

function sameJson(a: string, b: string): boolean {
  if (a === b) return true;
  try {
    return JSON.stringify(JSON.parse(a)) === JSON.stringify(JSON.parse(b));
  } catch {
    return false;
  }
}
