/** Finding words in sessions: in what users and models said, tool calls and results included. */
import { textOf } from "../llm/message.ts";
import { asEntry, isKnown } from "./entry.ts";
import { type ListOptions, listSessions, type SessionSummary } from "./list.ts";
import { realDisk } from "./log/disk.ts";
import { readLog } from "./log/reader.ts";

export interface SearchHit {
  readonly session: SessionSummary;
  readonly entryId: string;
  readonly kind: "submission" | "assistant" | "result";
  /** The words around the first place where it stands, on one line. */
  readonly excerpt: string;
}

/** Characters on each side of a hit. */
const AROUND = 40;

/** Hits, those of the newest sessions first; each entry once. `text` is looked for as it is, letter case aside. */
export async function* searchSessions(options: ListOptions, text: string): AsyncGenerator<SearchHit> {
  const wanted = text.toLowerCase();
  for (const session of listSessions(options)) {
    const hits: SearchHit[] = [];
    try {
      const file = await realDisk.open(session.file, { readOnly: true });
      try {
        await readLog(file, {
          take(value) {
            const entry = asEntry(value);
            if (!entry || !isKnown(entry)) return entry !== undefined;
            if (entry.kind !== "submission" && entry.kind !== "assistant" && entry.kind !== "result") {
              return true;
            }
            const excerpt = around(contentOf(entry), wanted);
            if (excerpt !== undefined) hits.push({ session, entryId: entry.id, kind: entry.kind, excerpt });
            return true;
          },
          damage: () => {},
        });
      } finally {
        file.close();
      }
    } catch {
      // A file that cannot be read hides no other; `list` says what is wrong with it.
    }
    yield* hits;
  }
}

function contentOf(
  entry: Extract<ReturnType<typeof asEntry>, { kind: "submission" | "assistant" | "result" }>,
): string {
  if (entry.kind === "submission") return textOf(entry.message);
  if (entry.kind === "result") return textOf(entry.parts);
  return entry.message.parts.map((part) =>
    part.type === "text" ? part.text : part.type === "tool_call" ? `${part.name} ${part.arguments}` : ""
  ).join("\n");
}

function around(text: string, wanted: string): string | undefined {
  const at = text.toLowerCase().indexOf(wanted);
  if (at < 0) return undefined;
  const from = Math.max(0, at - AROUND);
  const to = Math.min(text.length, at + wanted.length + AROUND);
  const cut = text.slice(from, to).toWellFormed().replace(/\s+/g, " ").trim();
  return `${from > 0 ? "…" : ""}${cut}${to < text.length ? "…" : ""}`;
}
