/**
 * Names of files that hold a secret. The session shows marks in their place,
 * since it is read, exported and told to a model; the change as it was is kept
 * beside the contents of files, by its hash, so that it can be put back
 * whoever knows the secret by then.
 */
import type { FileChange, LostChange } from "../entry.ts";
import type { ObjectStore } from "./object_store.ts";

/** Puts marks in the place of secrets; the same text where there is none. */
export type Mask = (text: string) => string;

/** The change as the session says it. Rejects with "io" where it cannot be kept. */
export function hidden(change: FileChange, mask: Mask, store: ObjectStore): FileChange {
  const { path, before, after } = change;
  const shown = { path: mask(path), before: masked(before, mask), after: masked(after, mask) };
  if (shown.path === path && shown.before === before && shown.after === after) return change;
  return { ...shown, whole: store.put(new TextEncoder().encode(JSON.stringify(change))) };
}

function masked(state: FileChange["before"], mask: Mask): FileChange["before"] {
  if (state?.type !== "link") return state;
  const target = mask(state.target);
  return target === state.target ? state : { ...state, target };
}

/** What was changed, by its real name; as lost what cannot be read any more. */
export function whole(change: FileChange, store: ObjectStore): FileChange | LostChange {
  if (change.whole === undefined) return change;
  try {
    return JSON.parse(new TextDecoder().decode(store.get(change.whole))) as FileChange;
  } catch {
    return { path: change.path, why: "its name holds a secret, and what was kept of it is gone" };
  }
}
