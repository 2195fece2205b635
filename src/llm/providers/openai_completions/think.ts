/**
 * Tells thoughts from text where a server puts both into the content: between
 * <think> and </think> at its start. Tags may be split anywhere. Only a tag at
 * the very start counts, so that an answer may speak of <think> freely.
 */

const OPEN = "<think>";
const CLOSE = "</think>";

export interface ThinkSplitter {
  push(text: string): void;
  /** Gives out what was held back because it might have been a tag. */
  end(): void;
}

/** Splits content into the two callbacks. */
export function createThinkSplitter(
  onText: (text: string) => void,
  onThought: (text: string) => void,
): ThinkSplitter {
  let state: "start" | "thought" | "after" | "text" = "start";
  /** What may be the beginning of a tag, or white space around one. */
  let held = "";
  let thoughtBegun = false;

  function thought(text: string): void {
    // The tag stands on a line of its own; its line end is not a thought.
    const trimmed = thoughtBegun ? text : text.trimStart();
    if (trimmed === "") return;
    thoughtBegun = true;
    onThought(trimmed);
  }

  function push(text: string): void {
    if (state === "text") return onText(text);
    held += text;
    if (state === "start") {
      const trimmed = held.trimStart();
      if (trimmed.startsWith(OPEN)) {
        state = "thought";
        held = trimmed.slice(OPEN.length);
      } else if (OPEN.startsWith(trimmed)) return;
      else return release("text");
    }
    if (state === "thought") {
      const at = held.indexOf(CLOSE);
      if (at >= 0) {
        thought(held.slice(0, at).trimEnd());
        held = held.slice(at + CLOSE.length);
        state = "after";
      } else {
        // White space and the beginning of a closing tag wait for what follows.
        const keep = /\s*(?:<(?:\/(?:t(?:h(?:i(?:n(?:k)?)?)?)?)?)?)?$/.exec(held)?.[0].length ?? 0;
        thought(held.slice(0, held.length - keep));
        held = held.slice(held.length - keep);
        return;
      }
    }
    if (state === "after") {
      held = held.trimStart();
      if (held !== "") release("text");
    }
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
