/** Names: of the session (its title) and of entries (labels). */
import { resolveEntry } from "../../session/mod.ts";
import type { EngineDeps } from "../deps.ts";
import type { Op } from "../op.ts";

/** Longer titles are cut. */
const TITLE = 120;
const LABEL = 60;

export async function title(op: Op & { type: "title" }, { session, emit }: EngineDeps): Promise<void> {
  const text = oneLine(op.title, TITLE);
  if (text === "") return;
  await session.append({ kind: "title", title: text });
  emit({ type: "titled", title: text });
}

export async function label(op: Op & { type: "label" }, { session }: EngineDeps): Promise<void> {
  const target = resolveEntry(session, op.entry);
  await session.append({ kind: "label", target, label: oneLine(op.label, LABEL) });
}

function oneLine(text: string, most: number): string {
  return text.replace(/\s+/g, " ").trim().slice(0, most).toWellFormed();
}
