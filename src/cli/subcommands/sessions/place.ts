/** Where sessions are, and which one a command means. */
import { homePaths } from "../../../config/mod.ts";
import { findSession, newestSession } from "../../../session/mod.ts";
import { UsageError } from "../../args.ts";
import { workspaceOf } from "../../workspace.ts";

export const root = () => homePaths().sessions;

/** Where contents of files are kept for undo. */
export const snapshots = () => `${homePaths().root}/snapshots`;

/** The folder whose sessions are meant. */
export const here = () => workspaceOf();

export function fileOf(wanted: string | undefined): string {
  if (wanted === undefined) throw new UsageError("Which session?", "List them with: myelin sessions list");
  return findSession(root(), wanted, here());
}

/** The one that is named, else the newest of this folder. */
export function fileOrNewest(wanted: string | undefined): string {
  if (wanted !== undefined) return fileOf(wanted);
  const newest = newestSession(root(), here());
  if (newest === undefined) {
    throw new UsageError("There is no session of this folder", "List all with: myelin sessions list --all");
  }
  return newest;
}
