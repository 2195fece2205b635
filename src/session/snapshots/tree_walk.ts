/** All that is in a folder, itself first, each with its look: for folders that come or go as a whole. */
import { lookAt } from "./file_state.ts";
import type { Places } from "./places.ts";

/** The paths of a folder and of everything in it; links are not followed. */
export function* walkTree(path: string, places: Places): Generator<string> {
  yield path;
  if (!lookAt(path, places)?.isDirectory) return;
  let names: string[];
  try {
    names = places.toThing(path, (at) => Array.from(Deno.readDirSync(at), ({ name }) => name));
  } catch {
    return; // gone, closed to us, or swapped for something else
  }
  for (const name of names) yield* walkTree(`${path}/${name}`, places);
}

/** Bytes of a file; 0 for everything else. */
export function sizeOf(path: string, places: Places): number {
  const info = lookAt(path, places);
  return info?.isFile ? info.size : 0;
}
