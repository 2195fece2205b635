/**
 * Tells thoughts from text where a server puts both into the content: between
 * <think> and </think>, or what other models were taught in their place, at
 * its start. Tags may be split anywhere. Only tags at the very start count, so
 * that an answer may speak of <think> freely.
 */

const TAGS: readonly { readonly open: string; readonly close: string }[] = [
  { open: "<think>", close: "</think>" },
  { open: "<thinking>", close: "</thinking>" },
  { open: "<thought>", close: "</thought>" },
  { open: "<seed:think>", close: "</seed:think>" },
  { open: "[THINK]", close: "[/THINK]" },
];

/** For the content of one answer. */
interface ThinkSplitter {
  push(text: string): void;
  /** Gives out what was held back because it might have been a tag. */
  end(): void;
}

/** Splits content into the two callbacks. */
export function createThinkSplitter(
  onText: (text: string) => void,
  onThought: (text: string) => void,
): ThinkSplitter {
  let state: "start" | "thought" | "text" = "start";
  /** The tag that ends the thought. */
  let close = "";
  /** What may be the beginning of a tag, or white space around one. */
  let held = "";
  let thoughtBegun = false;
  let spoken = false;
  /** A thought has ended: white space after it is no text. */
  let after = false;

  function thought(text: string): void {
    // The tag stands on a line of its own; its line end is not a thought.
    const trimmed = thoughtBegun ? text : text.trimStart();
    if (trimmed === "") return;
    if (!thoughtBegun && spoken) onThought("\n");
    thoughtBegun = spoken = true;
    onThought(trimmed);
  }

  function push(text: string): void {
    if (state === "text") return onText(text);
    held += text;
    while (state === "start" ? begin() : end());
  }

  /** At the start, or after a thought; false: nothing is decided or nothing is left. */
  function begin(): boolean {
    const trimmed = held.trimStart();
    const tag = TAGS.find(({ open }) => trimmed.startsWith(open));
    if (tag !== undefined) {
      state = "thought";
      close = tag.close;
      thoughtBegun = false;
      held = trimmed.slice(tag.open.length);
      return true;
    }
    if (after) held = trimmed;
    if (!TAGS.some(({ open }) => open.startsWith(trimmed))) release("text");
    return false;
  }

  /** In a thought; true once its end is found. */
  function end(): boolean {
    const at = held.indexOf(close);
    if (at >= 0) {
      thought(held.slice(0, at).trimEnd());
      held = held.slice(at + close.length);
      state = "start";
      after = true;
      return true;
    }
    // White space and the beginning of a closing tag wait for what follows.
    let keep = held.length;
    for (let length = Math.min(close.length - 1, held.length); length > 0; length--) {
      if (!close.startsWith(held.slice(-length))) continue;
      keep = held.length - length;
      break;
    }
    keep = held.slice(0, keep).trimEnd().length;
    thought(held.slice(0, keep));
    held = held.slice(keep);
    return false;
  }

  function release(next: "text"): void {
    state = next;
    const text = held;
    held = "";
    if (text !== "") onText(text);
  }

  return {
    push,
    end() {
      if (state === "start") release("text");
      else if (state === "thought") thought(held.trimEnd());
      held = "";
    },
  };
}
