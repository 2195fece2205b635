/**
 * Places of the workspace that editors and shells run code from and that a
 * program has made where none was. A wrapper cannot cover what is not there;
 * so it is told, once for each, as soon as a program has ended.
 */
import { editorPlaces } from "../default_paths.ts";
import type { Policy } from "../policy.ts";
import { HostError, type HostFs } from "../../shell/host.ts";

export interface AppearedPlaces {
  /** Paths that came into being since it was made, and were not told yet. */
  news(): string[];
}

/** Looks now, and at each `news` again. */
export function watchPlaces(policy: Policy, fs: Pick<HostFs, "lstat">): AppearedPlaces {
  const tops = policy.mode === "workspace" ? [policy.workspace, ...policy.writeRoots] : [];
  const missing = new Set(
    tops.filter((top) => top !== "/").flatMap(editorPlaces).filter((path) => !isThere(fs, path)),
  );
  return {
    news() {
      const found = [...missing].filter((path) => isThere(fs, path));
      for (const path of found) missing.delete(path);
      return found;
    },
  };
}

/** What the user is told. */
export function appearedText(paths: readonly string[]): string {
  return `A program has made ${paths.join(", ")}: what stands there can run code outside of the sandbox. ` +
    "Look at it before an editor or a shell comes upon it";
}

function isThere(fs: Pick<HostFs, "lstat">, path: string): boolean {
  try {
    fs.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof HostError) return false;
    throw error;
  }
}
