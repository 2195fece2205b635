/**
 * What goes with every summary without a model having a say in it: the user's
 * own words, the files that were read and changed, open todos, instructions
 * met on the way, the text that the model asked to keep, and where the whole
 * conversation stands. Gathered from the session's entries, so that a second
 * summary carries what the first one did.
 */
import { textOf } from "../../llm/message.ts";
import type { AnyEntry, Entry } from "../../session/entry.ts";
import { isKnown } from "../../session/entry.ts";
import { estimateTokens } from "./tokens.ts";

/** What a call does to the file that one of its arguments names; undefined for other tools. */
export type FileUse = (tool: string, args: string) => { path: string; effect: "read" | "write" } | undefined;

/** What goes on beside the text of a summary. */
export interface Carried {
  /** What the user said in the part that goes, oldest first. */
  readonly userTexts: readonly string[];
  readonly filesRead: readonly string[];
  readonly filesModified: readonly string[];
  readonly todos: readonly { readonly text: string; readonly state: string }[];
  /** Blocks of instructions of folders that were touched. */
  readonly instructions: readonly string[];
  /** What the model put between the marks since the last summary. */
  readonly checkpoint: string | undefined;
}

/** How many files are listed beside the summary; the list as a whole is in the artifact. */
const MAX_FILES = 200;

const CHECKPOINT = /<session_checkpoint>\s*([\s\S]*?)\s*<\/session_checkpoint>/g;
const INSTRUCTIONS = /<project_context>\n[\s\S]*?\n<\/project_context>/g;

/**
 * Gathers it from the path. `kept`: the entries whose messages stay; what
 * they say is not carried, it is there.
 */
export function gather(path: Iterable<AnyEntry>, kept: ReadonlySet<string>, fileUse: FileUse): Carried {
  const userTexts: string[] = [];
  const read = new Set<string>();
  const modified = new Set<string>();
  const instructions = new Set<string>();
  let todos: Carried["todos"] = [];
  let checkpoint: { readonly text: string; readonly at: number } | undefined;
  const places = new Map<string, number>();
  for (const entry of path) {
    const at = places.size;
    places.set(entry.id, at);
    if (!isKnown(entry)) continue;
    switch (entry.kind) {
      case "submission":
        if (!kept.has(entry.id)) userTexts.push(textOf(entry.message));
        break;
      case "assistant":
        for (const part of entry.message.parts) {
          if (part.type !== "tool_call") continue;
          const use = fileUse(part.name, part.arguments);
          if (use !== undefined) renew(use.effect === "write" ? modified : read, use.path);
        }
        if (!kept.has(entry.id)) {
          for (const [, text] of textOf(entry.message.parts).matchAll(CHECKPOINT)) checkpoint = { text, at };
        }
        break;
      case "result":
        todos = todosOf(entry) ?? todos;
        if (!kept.has(entry.id)) {
          for (const [block] of textOf(entry.parts).matchAll(INSTRUCTIONS)) instructions.add(block);
        }
        break;
      case "changes":
        for (const { path } of entry.files) renew(modified, path);
        break;
      case "compaction":
        // It took what stood in the part that went; what it kept is still to be carried.
        if (checkpoint !== undefined && checkpoint.at < (places.get(entry.firstKept ?? "") ?? at)) {
          checkpoint = undefined;
        }
        break;
    }
  }
  for (const path of modified) read.delete(path);
  return {
    userTexts: userTexts.filter((text) => text.trim() !== ""),
    filesRead: [...read],
    filesModified: [...modified],
    todos,
    instructions: [...instructions],
    checkpoint: checkpoint?.text === "" ? undefined : checkpoint?.text,
  };
}

/** Moves a path to the end: the newest use counts. */
function renew(set: Set<string>, path: string): void {
  set.delete(path);
  set.add(path);
}

function todosOf({ view }: Entry & { kind: "result" }): Carried["todos"] | undefined {
  const drawn = view as { type?: unknown; items?: unknown } | undefined;
  return drawn?.type === "todo" && Array.isArray(drawn.items) ? drawn.items : undefined;
}

/** Keeps a text where the model can read it; its name ("artifact://3"), or undefined where nothing is kept. */
export type KeepText = (text: string) => Promise<string | undefined>;

/**
 * The text that stands in place of what was left out: the summary and what is
 * carried. The user's newest texts stand there word for word within `budget`
 * tokens; the older ones, and what is too long for lists, go to an artifact.
 */
export async function composeSummary(
  summary: string,
  carried: Carried,
  options: { readonly budget: number; readonly sessionFile: string | undefined; readonly keep: KeepText },
): Promise<string> {
  const { shown, older } = newestWithin(carried.userTexts, options.budget);
  const tooLong = carried.filesRead.length > MAX_FILES || carried.filesModified.length > MAX_FILES;
  const kept = older || tooLong ? await options.keep(everything(carried)) : undefined;
  // What the user said is never given up for room: without another place it stays here.
  const words = kept === undefined ? carried.userTexts : shown;
  const blocks = [summary.trim()];
  const block = (name: string, text: string) => {
    if (text !== "") blocks.push(`<${name}>\n${text}\n</${name}>`);
  };
  block("session_checkpoint", carried.checkpoint ?? "");
  block("user_messages", words.map((text) => text.trim()).join("\n---\n"));
  block("files_modified", carried.filesModified.slice(-MAX_FILES).join("\n"));
  block("files_read", carried.filesRead.slice(-MAX_FILES).join("\n"));
  block("todos", carried.todos.map(({ text, state }) => `[${state}] ${text}`).join("\n"));
  for (const text of carried.instructions) blocks.push(text);
  if (kept !== undefined) {
    blocks.push(`All messages of the user and all files up to here: ${kept}`);
  }
  if (options.sessionFile !== undefined) {
    blocks.push(`The whole conversation: ${options.sessionFile} (one JSON object a line)`);
  }
  return blocks.join("\n\n");
}

/** The newest texts that fit, oldest of them first; the very newest always, cut where it alone is too long. */
function newestWithin(texts: readonly string[], budget: number): { shown: string[]; older: boolean } {
  const shown: string[] = [];
  let left = budget;
  for (let at = texts.length - 1; at >= 0; at--) {
    left -= estimateTokens(texts[at]);
    if (left < 0 && shown.length > 0) return { shown, older: true };
    shown.unshift(texts[at]);
  }
  return { shown, older: false };
}

function everything({ userTexts, filesRead, filesModified }: Carried): string {
  return [
    "# Messages of the user, oldest first",
    ...userTexts,
    "# Files changed",
    filesModified.join("\n"),
    "# Files read",
    filesRead.join("\n"),
  ].join("\n\n");
}
