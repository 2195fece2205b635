/**
 * Places of the workspace that a program has made where none was, and that run
 * code outside of the sandbox later. A wrapper cannot cover what is not there;
 * so they are looked for as soon as a program has ended. What editors and
 * shells run is told, once for each. What git would run in a repository that
 * was there before is moved aside: no program that git itself starts makes it,
 * and the next `git status` of the user would heed it.
 */
import { editorPlaces, gitPlaces } from "../default_paths.ts";
import type { Policy } from "../policy.ts";
import { HostError, type HostFs } from "../../shell/host.ts";

export interface Appeared {
  readonly path: string;
  /** The name that it has now. */
  readonly moved?: string;
}

export interface AppearedPlaces {
  /** Those that came into being since it was made, and were not told yet. Of the git ones: each time. */
  news(): Promise<Appeared[]>;
}

/** Looks now, and at each `news` again. A `.git` that is there is mounted in each program's view, so none can swap it. */
export function watchPlaces(policy: Policy, fs: Pick<HostFs, "lstat" | "rename">): AppearedPlaces {
  const tops = (policy.mode === "workspace" ? [policy.workspace, ...policy.writeRoots] : [])
    .filter((top) => top !== "/");
  const isMissing = (path: string) => !isThere(fs, path);
  const missing = new Set(tops.flatMap(editorPlaces).filter(isMissing));
  const unwanted = tops.filter((top) => isFolder(fs, `${top}/.git`)).flatMap(gitPlaces).filter(isMissing);
  return {
    async news() {
      const told: Appeared[] = [...missing].filter((path) => isThere(fs, path)).map((path) => ({ path }));
      for (const { path } of told) missing.delete(path);
      for (const path of unwanted) {
        if (!isThere(fs, path)) continue;
        const moved = await setAside(path, fs);
        told.push(moved === undefined ? { path } : { path, moved });
      }
      return told;
    },
  };
}

/** The new name; undefined where it could not be moved. */
async function setAside(path: string, fs: Pick<HostFs, "lstat" | "rename">): Promise<string | undefined> {
  const moved = `${path}.set-aside-${crypto.randomUUID().slice(0, 8)}`;
  try {
    await fs.rename(path, moved);
    return moved;
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}

/** What the user is told. */
export function appearedText(places: readonly Appeared[]): string {
  const stays = places.filter(({ moved }) => moved === undefined).map(({ path }) => path);
  const moved = places.filter((place) => place.moved !== undefined);
  return [
    ...(stays.length === 0 ? [] : [
      `A program has made ${stays.join(", ")}: what stands there can run code outside of the sandbox. ` +
      "Look at it before an editor, a shell or git comes upon it",
    ]),
    ...moved.map((place) =>
      `A program has made ${place.path}, from which git would run code outside of the sandbox. ` +
      `It was moved to ${place.moved}`
    ),
  ].join(". ");
}

function isThere(fs: Pick<HostFs, "lstat">, path: string): boolean {
  return kindOf(fs, path) !== undefined;
}

function isFolder(fs: Pick<HostFs, "lstat">, path: string): boolean {
  return kindOf(fs, path) === "dir";
}

function kindOf(fs: Pick<HostFs, "lstat">, path: string): string | undefined {
  try {
    return fs.lstat(path).kind;
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}
