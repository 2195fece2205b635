import { assertEquals, assertThrows } from "@std/assert";
import { AppError } from "../../../src/lib/errors.ts";
import { listNotes, MAX_NOTES, readNote, removeNote, saveNote } from "../../../src/lib/files/notes.ts";

function inFolder(work: (folder: string) => void): void {
  const root = Deno.makeTempDirSync();
  try {
    work(`${root}/notes`);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}

Deno.test("notes are saved, listed, read, replaced and removed by their titles", () => {
  inFolder((folder) => {
    assertEquals(listNotes(folder), []);
    saveNote(folder, "How to  release", "Run the script.\n\nThen tag.");
    saveNote(folder, "Ärger / Windows", "CRLF");
    assertEquals(listNotes(folder).map((note) => note.title).sort(), ["How to release", "Ärger / Windows"]);
    assertEquals(readNote(folder, "how to release"), "Run the script.\n\nThen tag.\n");
    saveNote(folder, "How to release", "Changed.");
    assertEquals(listNotes(folder).length, 2);
    assertEquals(readNote(folder, "How to release"), "Changed.\n");
    assertEquals([removeNote(folder, "How to release"), removeNote(folder, "How to release")], [true, false]);
  });
});

Deno.test("notes that people wrote by hand count; what is no text does not", () => {
  inFolder((folder) => {
    Deno.mkdirSync(folder);
    Deno.writeTextFileSync(`${folder}/plain.md`, "no title here\n");
    Deno.writeTextFileSync(`${folder}/other.txt`, "not a note");
    Deno.writeFileSync(`${folder}/broken.md`, new Uint8Array([0xff, 0]));
    assertEquals(listNotes(folder).map((note) => note.title), ["plain"]);
    assertEquals(readNote(folder, "plain"), "no title here\n");
  });
});

Deno.test("notes are bounded in size and number, and titles cannot lead out of the folder", () => {
  inFolder((folder) => {
    assertThrows(() => saveNote(folder, "big", "x".repeat(20_000)), AppError, "at most");
    saveNote(folder, "../../evil", "x");
    assertEquals(Array.from(Deno.readDirSync(folder), (entry) => entry.name), ["evil.md"]);
    for (let i = 1; i < MAX_NOTES; i++) saveNote(folder, `note ${i}`, "x");
    assertThrows(() => saveNote(folder, "one more", "x"), AppError, "already");
    saveNote(folder, "note 1", "replaced");
  });
});
