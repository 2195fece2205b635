/**
 * Which lines of the conversation are finished and which still change. What
 * is finished goes up, once; of an answer that is coming in, the blocks that
 * further text cannot change go as soon as they are whole, and what does not
 * fit on the screen goes as it is: what has scrolled out is frozen.
 */
import type { Item, Transcript } from "../shared/transcript.ts";
import { gapBefore, itemLines, type ViewOptions } from "./item_view.ts";
import { BEGIN, blockLines, type Position, splitBlocks } from "./markdown.ts";
import type { Frame } from "./screen.ts";

/** Items that a resumed session shows; the rest is in the panel of the whole conversation. */
const RESUMED = 200;

export interface Conversation {
  /** `room`: rows that the changing part may take. */
  frame(options: ViewOptions, room: number): Frame;
  /** The last finished lines again. What is frozen of an open answer is open again afterwards. */
  recent(options: ViewOptions, rows: number): string[];
  /** Passes over what is there already, but its end; how many items that were. */
  skip(): number;
}

export function createConversation(transcript: Transcript): Conversation {
  const { items } = transcript;
  /** The first item that is not finished. */
  let next = 0;
  /** In an open answer: what went up as finished blocks, how many, and lines of what follows that went up as they were. */
  let position: Position = BEGIN;
  let blocks = 0;
  let frozen = 0;
  const advance = () => {
    next++;
    position = BEGIN;
    blocks = 0;
    frozen = 0;
  };
  const withGap = (at: number, lines: string[]) =>
    gapBefore(items[at - 1], items[at]) ? ["", ...lines] : lines;

  function answerLines(
    item: Item & { text: string },
    at: number,
    options: ViewOptions,
    commit: string[],
  ): string[] {
    const { settled, rest, next: after } = splitBlocks(item.text, position, item.done);
    const gap = (opens: boolean): string[] =>
      blocks > 0 ? (opens ? [""] : []) : gapBefore(items[at - 1], item) ? [""] : [];
    for (const block of settled) {
      const lines = [...gap(block.opens), ...blockLines(block, options.width, options.theme)];
      commit.push(...lines.slice(frozen));
      frozen = 0;
      blocks++;
    }
    position = after;
    if (rest === undefined) return [];
    return [...gap(rest.opens), ...blockLines(rest, options.width, options.theme)].slice(frozen);
  }

  return {
    frame(options, room) {
      const commit: string[] = [];
      let live: string[] = [];
      /** Lines at the beginning of `live` that may go up as they are. */
      let loose = 0;
      for (let at = next; at < items.length; at++) {
        const item = items[at];
        const head = at === next;
        if (head && item.kind === "answer") {
          const lines = answerLines(item, at, options, commit);
          live.push(...lines);
          if (item.done) advance();
          else loose = lines.length;
          continue;
        }
        const written = head && item.done;
        const lines = withGap(at, itemLines(item, written ? { ...options, pictures: true } : options));
        if (written) {
          commit.push(...lines.slice(frozen));
          advance();
        } else if (head && item.kind === "thinking") {
          const left = lines.slice(frozen);
          live.push(...left);
          loose = options.thinking ? left.length : 0;
        } else live.push(...lines);
      }
      const over = live.length - room;
      if (over > 0) {
        const up = Math.min(over, loose);
        commit.push(...live.splice(0, up));
        frozen += up;
        if (live.length > room) live = room <= 0 ? [] : live.slice(-room);
      }
      return { commit, live };
    },
    recent(options, rows) {
      const parts: string[][] = [];
      let count = 0;
      const head = items[next];
      if (head !== undefined && (head.kind === "answer") && position.at > 0) {
        const { settled } = splitBlocks(head.text.slice(0, position.at), BEGIN, true);
        const lines = settled.flatMap((block, i) => [
          ...(i > 0 && block.opens ? [""] : []),
          ...blockLines(block, options.width, options.theme),
        ]);
        parts.push(withGap(next, lines));
        count += lines.length;
      }
      frozen = 0;
      for (let at = next - 1; at >= 0 && count < rows; at--) {
        const lines = withGap(at, itemLines(items[at], options));
        parts.push(lines);
        count += lines.length;
      }
      const lines = parts.reverse().flat();
      return rows <= 0 ? [] : lines.slice(-rows);
    },
    skip() {
      const before = next;
      next = Math.max(next, items.length - RESUMED);
      return next - before;
    },
  };
}
