/** The small texts of a folder that somebody else may have filled. */
import { readPlainText } from "./read_plain.ts";

const MAX_FILES = 100;
const MAX_BYTES = 64 * 1024;

/** Texts whose file names end so, by name without the ending; what cannot be read as a text is left out. */
export function readTexts(
  folder: string,
  ending: string,
): readonly { readonly name: string; readonly text: string }[] {
  let names: string[];
  try {
    names = Array.from(Deno.readDirSync(folder), (entry) => entry.name);
  } catch {
    return []; // Not there, or not to be read: it adds nothing.
  }
  return names.filter((name) => name.endsWith(ending)).sort().slice(0, MAX_FILES).flatMap((name) => {
    const read = readPlainText(`${folder}/${name}`, MAX_BYTES);
    return read.type === "text" ? [{ name: name.slice(0, -ending.length), text: read.text }] : [];
  });
}
