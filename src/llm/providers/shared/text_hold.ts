/**
 * Lets the text of an answer through up to the first line that begins like a
 * tool call, and holds the rest until the answer is whole. Only what stands at
 * the start of a line counts, outside of code fences and indented code: an
 * answer may speak of such markup freely. However the text is cut, the same is
 * held.
 */
import { MARKS } from "./text_calls.ts";

/** For the text of one answer. */
export interface TextHold {
  push(text: string): void;
  /** Something is held back. */
  readonly holds: boolean;
  /** The text so far ends inside a code fence. */
  readonly fenced: boolean;
  /** Gives out what was held back for its beginning only, and answers with the text from the first mark on ("": none). */
  end(): string;
}

interface Fence {
  readonly char: string;
  readonly length: number;
  /** Where in its line it stands: behind the mark of a list, perhaps. */
  readonly indent: number;
}

const LISTED = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)*/;

/** Makes one for an answer. */
export function createTextHold(onText: (text: string) => void): TextHold {
  /** The line so far, as long as nothing is known of it. */
  let line = "";
  let held: string | undefined;
  let known = false;
  let fence: Fence | undefined;
  /** Nothing but white space has come yet. */
  let first = true;

  function look(): "plain" | "mark" | "wait" {
    const ended = line.endsWith("\n");
    const fenceLine = lookForFence(ended);
    if (fenceLine !== undefined) return fenceLine;
    if (fence !== undefined) return "plain";
    // Deeper than this, a line is code.
    const start = line.replace(/^ {1,3}/, "");
    if (first && start.trimStart() !== "") {
      first = false;
      if (start.startsWith("{")) return "mark";
    }
    if (MARKS.some((mark) => start.startsWith(mark))) return "mark";
    return MARKS.some((mark) => mark.startsWith(start)) ? "wait" : "plain";
  }

  /** Undefined: the line is none that begins or ends a fence. */
  function lookForFence(ended: boolean): "plain" | "wait" | undefined {
    const indent = fence === undefined ? LISTED.exec(line)?.[0].length ?? 0 : line.search(/\S|$/);
    const [run] = /^(?:`+|~+)/.exec(line.slice(indent)) ?? [""];
    const rest = line.slice(indent + run.length);
    if (run === "" || (run.length < 3 && rest !== "")) {
      // White space may go on to a fence: of that, nothing can be said yet.
      return rest === "" && !ended ? "wait" : undefined;
    }
    if (fence !== undefined) {
      const closes = run[0] === fence.char && indent <= fence.indent + 3 && rest.trim() === "";
      if (closes && !ended) return "wait";
      if (closes && run.length >= fence.length) fence = undefined;
      return "plain";
    }
    if (!ended) return "wait";
    // With another backtick in it, the line is inline code.
    if (run.length < 3 || (run[0] === "`" && rest.includes("`"))) return undefined;
    fence = { char: run[0], length: run.length, indent };
    first = false;
    return "plain";
  }

  return {
    get holds() {
      return held !== undefined || line !== "";
    },
    get fenced() {
      return fence !== undefined;
    },
    push(text) {
      if (held !== undefined) {
        held += text;
        return;
      }
      for (let at = 0; at < text.length;) {
        const end = text.indexOf("\n", at);
        const piece = end < 0 ? text.slice(at) : text.slice(at, end + 1);
        at += piece.length;
        if (known) onText(piece);
        else {
          line += piece;
          const seen = look();
          if (seen === "mark") {
            held = line + text.slice(at);
            return;
          }
          if (seen === "plain" || end >= 0) {
            onText(line);
            line = "";
            known = true;
          }
        }
        if (end >= 0) known = false;
      }
    },
    end() {
      if (held !== undefined) return held;
      if (line !== "") onText(line);
      line = "";
      return "";
    },
  };
}
