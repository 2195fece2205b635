/** Finds, makes or forks the session that a run is to work in. */
import { AppError } from "../lib/errors.ts";
import {
  type AttachmentStore,
  createMemorySession,
  createSession,
  describeDamage,
  findSession,
  forkSession,
  newestSession,
  openSession,
  type PromptPart,
  readSession,
  type Session,
  shortId,
} from "../session/mod.ts";

/** Which session is meant. */
export type SessionChoice =
  | { readonly kind: "new" }
  /** Nothing is kept. */
  | { readonly kind: "none" }
  /** The newest of the folder; a new one where there is none. */
  | { readonly kind: "newest" }
  /** By id, part of one, or file. */
  | { readonly kind: "named"; readonly wanted: string };

/** The session, and what is to be told about how it was found. */
export interface OpenedSession {
  readonly session: Session;
  readonly resumed: boolean;
  /** What the user should know. */
  readonly notices: readonly string[];
  /** What was said where a fork begins, to be edited and said again: it is not in the session. */
  readonly editable?: readonly PromptPart[];
}

export interface SessionPlace {
  /** The folder of all sessions. */
  readonly root: string;
  readonly cwd: string;
  /** Keeps the bytes of images. */
  readonly attachments?: AttachmentStore;
}

/** Rejects with SessionError, or AppError "usage" for an entry that is not there. */
export async function openChosen(
  choice: SessionChoice,
  place: SessionPlace,
  forkEntry: string | undefined,
): Promise<OpenedSession> {
  const file = choice.kind === "named"
    ? findSession(place.root, choice.wanted, place.cwd)
    : choice.kind === "newest" || forkEntry !== undefined
    ? newestSession(place.root, place.cwd)
    : undefined;
  if (forkEntry !== undefined) return await fork(file, forkEntry, place);
  if (file !== undefined) {
    const session = await openSession(file, place);
    const other = session.cwd !== "" && session.cwd !== place.cwd
      ? [`The session was begun in ${session.cwd}; it goes on in ${place.cwd}`]
      : [];
    const fresh = session.damages.filter((damage) => !("known" in damage && damage.known));
    return {
      session,
      resumed: session.leaf !== null,
      notices: [...other, ...fresh.map((damage) => `${file}: ${describeDamage(damage)}`)],
    };
  }
  const session = choice.kind === "none"
    ? createMemorySession({ cwd: place.cwd })
    : await createSession(place);
  const notices = choice.kind === "newest"
    ? ["There is no session of this folder yet; this is a new one"]
    : [];
  return { session, resumed: false, notices };
}

async function fork(file: string | undefined, entry: string, place: SessionPlace): Promise<OpenedSession> {
  if (file === undefined) {
    throw new AppError("usage", "There is no session to fork from in this folder", {
      hint: "Name one with --resume ID",
    });
  }
  const source = await readSession(file, { cwd: place.cwd });
  const { session, editable } = await forkSession(source, entry, place);
  return {
    session,
    resumed: session.leaf !== null,
    notices: [`Forked from session ${shortId(source.id)}`],
    ...(editable === undefined ? {} : { editable }),
  };
}
