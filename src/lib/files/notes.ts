/**
 * Small texts with titles in a folder, one Markdown file each: `# Title` in
 * the first line, the text below. People may edit, add and remove them; a file
 * whose first line is no title goes by its name. Bounded in number and size,
 * so that what is shown of them stays small.
 */
import { AppError } from "../errors.ts";
import { readPlainText } from "./read_plain.ts";

/** `bytes`: of the whole file. */
interface Note {
  readonly title: string;
  readonly bytes: number;
}

/** In one folder. */
export const MAX_NOTES = 100;
/** Of the whole file, title included. */
const MAX_NOTE_BYTES = 16 * 1024;

interface Found extends Note {
  readonly path: string;
  readonly text: string;
}

/** The notes of a folder, by title. A folder that is not there holds none. */
export function listNotes(folder: string): readonly Note[] {
  return find(folder).map(({ title, bytes }) => ({ title, bytes }));
}

/** The text of a note, without its title. */
export function readNote(folder: string, title: string): string | undefined {
  return find(folder).find((note) => same(note.title, title))?.text;
}

/** Replaces the note of that title, or adds it. Throws AppError "too_big", "too_many" or "io". */
export function saveNote(folder: string, title: string, text: string): void {
  const heading = title.replace(/\s+/g, " ").trim().slice(0, 120).toWellFormed();
  const content = new TextEncoder().encode(`# ${heading}\n\n${text.trim()}\n`);
  if (content.length > MAX_NOTE_BYTES) {
    throw new AppError(
      "too_big",
      `A note holds at most ${MAX_NOTE_BYTES} bytes, this one has ${content.length}`,
      {
        hint: "Split it, or keep less",
      },
    );
  }
  const notes = find(folder);
  const known = notes.find((note) => same(note.title, heading));
  if (known === undefined && notes.length >= MAX_NOTES) {
    throw new AppError("too_many", `There are ${MAX_NOTES} notes already`, { hint: "Remove one first" });
  }
  const path = known?.path ?? `${folder}/${freeName(heading, notes)}`;
  const temporary = `${path}.${crypto.randomUUID().slice(0, 8)}.tmp`;
  try {
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    Deno.writeFileSync(temporary, content, { createNew: true, mode: 0o600 });
    Deno.renameSync(temporary, path);
  } catch (cause) {
    throw new AppError("io", `The note cannot be kept: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
}

/** False where there is none of that title. */
export function removeNote(folder: string, title: string): boolean {
  const known = find(folder).find((note) => same(note.title, title));
  if (known === undefined) return false;
  Deno.removeSync(known.path);
  return true;
}

function find(folder: string): Found[] {
  let names: string[];
  try {
    names = Array.from(Deno.readDirSync(folder), (entry) => entry.name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return [];
    throw error;
  }
  const found: Found[] = [];
  for (const name of names.filter((one) => one.endsWith(".md")).sort()) {
    const path = `${folder}/${name}`;
    const read = readPlainText(path, MAX_NOTE_BYTES);
    if (read.type !== "text") continue;
    const heading = /^#[ \t]+(.+?)[ \t]*(?:\n|$)/.exec(read.text);
    found.push({
      path,
      title: heading?.[1] ?? name.slice(0, -3),
      text: heading === null ? read.text : read.text.slice(heading[0].length).replace(/^\n+/, ""),
      bytes: read.size,
    });
    if (found.length === MAX_NOTES) break;
  }
  return found;
}

function same(a: string, b: string): boolean {
  const plain = (text: string) => text.replace(/\s+/g, " ").trim().toLowerCase();
  return plain(a) === plain(b);
}

/** A file name that tells the title, and that no other note has. */
function freeName(title: string, notes: readonly Found[]): string {
  const base = title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 60) ||
    "note";
  const taken = new Set(notes.map((note) => note.path.slice(note.path.lastIndexOf("/") + 1)));
  for (let n = 1;; n++) {
    const name = n === 1 ? `${base}.md` : `${base}-${n}.md`;
    if (!taken.has(name)) return name;
  }
}
