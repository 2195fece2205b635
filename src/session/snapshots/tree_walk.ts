/** All that is in a folder, itself first, each with its look: for folders that come or go as a whole. */
import { lookAt } from "./file_state.ts";

/** The paths of a folder and of everything in it; links are not followed. */
export function* walkTree(path: string): Generator<string> {
  yield path;
  if (!lookAt(path)?.isDirectory) return;
  let names: string[];
  try {
    names = Array.from(Deno.readDirSync(path), ({ name }) => name);
  } catch {
    return; // gone, or closed to us
  }
  for (const name of names) yield* walkTree(`${path}/${name}`);
}

/** Bytes of a file; 0 for everything else. */
export function sizeOf(path: string): number {
  const info = lookAt(path);
  return info?.isFile ? info.size : 0;
}
