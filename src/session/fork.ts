/**
 * A new session that begins as a copy of another's path. The entries keep
 * their ids, so that what refers to them stays true.
 */
import { withData } from "./attachments.ts";
import type { AttachmentStore } from "./blobs.ts";
import { type AnyEntry, encode, isKnown, type PromptPart } from "./entry.ts";
import { SessionError } from "./errors.ts";
import { copyFolder } from "./log/files.ts";
import { artifactsPath, PENDING } from "./paths.ts";
import type { Session, SessionView } from "./session.ts";
import { type CreateOptions, createSession } from "./store.ts";

export interface Fork {
  readonly session: Session;
  /** Where the fork is from something that the user said: that, to edit and submit again. It is not in the new session. */
  readonly editable: readonly PromptPart[] | undefined;
}

/** Forks from an entry: the new path ends with it, or before it where it is a submission. Rejects with "not_found" for an entry that the source has not. */
export async function forkSession(
  source: SessionView,
  entryId: string,
  options: Omit<CreateOptions, "forkedFrom">,
): Promise<Fork> {
  const id = resolveEntry(source, entryId);
  const from = source.entry(id);
  if (!from) throw unknown(source, entryId);
  const submission = isKnown(from) && from.kind === "submission" ? from : undefined;
  const session = await createSession({ ...options, forkedFrom: { session: source.id, entry: id } });
  const end = submission ? submission.parentId : id;
  try {
    await session.adopt(source.pathTo(end));
    if (end !== source.leaf) await closeRun(session);
    if (source.file !== undefined && session.file !== undefined) {
      // Entries name artifacts of theirs; the copy must be able to show them when the source is gone.
      // What a call of the source is changing just now is the source's to write down.
      await copyFolder(artifactsPath(source.file), artifactsPath(session.file), PENDING);
    }
  } catch (error) {
    await session.close();
    throw error;
  }
  return { session, editable: submission?.parts };
}

const LEFT_BEHIND =
  "This conversation was forked here, before the result of this call: in the one that it comes from the call " +
  "may have had its effect. It was not run again. Check the state of things before repeating it.";

/** In the source the run went on: here nothing was cut off, and nothing of it is to be taken up. */
async function closeRun(session: Session): Promise<void> {
  const { openCalls, run } = session.projection;
  for (const { callId, name } of openCalls) {
    await session.append({
      kind: "result",
      callId,
      name,
      parts: [{ type: "text", text: LEFT_BEHIND }],
      isError: true,
    });
  }
  if (run !== undefined) await session.append({ kind: "run_end", runId: run.runId, reason: "forked" });
}

/** The whole id of the entry that `wanted` is, or ends or begins with. */
export function resolveEntry(source: SessionView, wanted: string): string {
  if (source.entry(wanted)) return wanted;
  const hits = wanted === ""
    ? []
    : [...source.entries()].filter(({ id }) => id.startsWith(wanted) || id.endsWith(wanted));
  if (hits.length === 1) return hits[0].id;
  throw unknown(source, wanted);
}

function unknown(source: SessionView, wanted: string): SessionError {
  return new SessionError("not_found", `Cannot find one entry "${wanted}" in session ${source.id}`, {
    hint: "`myelin sessions show --json` lists the entries with their ids",
  });
}

/** The lines of a session's path as a file of its own; with `get` the bytes of attachments are in it, as far as they are there. */
export function toJsonl(view: SessionView, get?: AttachmentStore["get"]): string {
  const entries = get === undefined ? view.path() : view.path().map((entry) => inlined(entry, get));
  return [view.header, ...entries].map((line) => encode(line) + "\n").join("");
}

function inlined(entry: AnyEntry, get: AttachmentStore["get"]): AnyEntry {
  if (!isKnown(entry)) return entry;
  try {
    if (entry.kind === "submission") {
      return { ...entry, parts: withData(entry.parts, get), message: withData(entry.message, get) };
    }
    return entry.kind === "result" ? { ...entry, parts: withData(entry.parts, get) } : entry;
  } catch {
    return entry; // lost: the reference stays, and says which it was
  }
}
