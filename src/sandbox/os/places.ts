/** What a look at the disk tells the wrappers, and where the system's own tools lie. Never throws. */
import { existsSync } from "node:fs";
import { isWithin } from "../glob.ts";
import type { Policy } from "../policy.ts";

/** What cannot be looked at counts as missing. */
export function exists(path: string): "dir" | "file" | undefined {
  // Most are missing, and an error costs ten times as much as this.
  if (!existsSync(path)) return undefined;
  try {
    return Deno.statSync(path).isDirectory ? "dir" : "file";
  } catch {
    return undefined;
  }
}

/** The path itself where it is gone, or cannot be looked at. */
export function realPath(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    // Gone since it was looked at.
    return path;
  }
}

const FOLDERS = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin", "/run/current-system/sw/bin"];

/** Where a program of the system lies; never inside the workspace or another place that programs may write. */
export function systemProgram(name: string, policy: Policy): string | undefined {
  const folders = new Set(FOLDERS);
  const written = [policy.workspace, policy.tempDir, ...policy.writeRoots].filter((root) => root !== "/");
  for (const folder of (Deno.env.get("PATH") ?? "").split(":")) {
    if (folder.startsWith("/")) folders.add(folder);
  }
  const found = [...folders].filter((folder) => !written.some((root) => isWithin(root, folder)))
    .map((folder) => `${folder}/${name}`).filter((at) => exists(at) === "file");
  // What cannot be started stands in for nothing that can; alone it is told of by what it answers.
  return found.find(isExecutable) ?? found[0];
}

function isExecutable(path: string): boolean {
  try {
    return ((Deno.statSync(path).mode ?? 0) & 0o111) !== 0;
  } catch {
    return false;
  }
}
