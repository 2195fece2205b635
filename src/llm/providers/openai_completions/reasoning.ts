/**
 * Thoughts in fields of their own: `reasoning_content`, `reasoning`,
 * `reasoning_text`, `thinking`, and `reasoning_details`, which holds the same again in
 * blocks that must come back unchanged. A server that fills several is shown
 * once: the first field that speaks is the one that counts.
 */
import { isRecord, type Json } from "../../../lib/json.ts";

const FIELDS = ["reasoning_content", "reasoning", "reasoning_text", "thinking"] as const;

/** `field`: the wire field that it goes back in; undefined for thoughts that only blocks held. */
interface Thought {
  readonly text: string;
  readonly field: string | undefined;
}

/** Collects the thoughts of one message. */
export class ReasoningCollector {
  #field: string | undefined;
  #details: Json[] = [];

  /** The thought of a delta; undefined where it has none. */
  push(delta: Json): Thought | undefined {
    const details = Array.isArray(delta.reasoning_details) ? delta.reasoning_details : [];
    let fromDetails = "";
    for (const detail of details) if (isRecord(detail)) fromDetails += this.#addDetail(detail);
    const field = this.#field ?? FIELDS.find((name) => typeof delta[name] === "string" && delta[name] !== "");
    const text = field === undefined ? undefined : delta[field];
    if (typeof text === "string" && text !== "") {
      this.#field = field;
      return { text, field };
    }
    // Only where no plain field speaks: they say the same.
    return this.#field === undefined && fromDetails !== ""
      ? { text: fromDetails, field: undefined }
      : undefined;
  }

  get field(): string | undefined {
    return this.#field;
  }

  /** The blocks of `reasoning_details`, whole again; undefined where there were none. */
  get details(): readonly Json[] | undefined {
    return this.#details.length === 0 ? undefined : this.#details;
  }

  /** Pieces of one block follow each other: their texts are joined, as the server joins them when it does not stream. */
  #addDetail(detail: Json): string {
    const last = this.#details.at(-1);
    const text = textOf(detail);
    if (
      last !== undefined && last.type === detail.type && last.index === detail.index && sameId(last, detail)
    ) {
      for (const [key, value] of Object.entries(detail)) {
        if (
          ["text", "summary", "data"].includes(key) && typeof value === "string" &&
          typeof last[key] === "string"
        ) {
          last[key] += value;
        } else if (value !== null && value !== undefined) last[key] = value;
      }
    } else this.#details.push({ ...detail });
    return text;
  }
}

function sameId(a: Json, b: Json): boolean {
  return a.id === b.id || a.id === undefined || a.id === null || b.id === undefined || b.id === null;
}

function textOf(detail: Json): string {
  if (typeof detail.text === "string") return detail.text;
  return typeof detail.summary === "string" ? detail.summary : "";
}
