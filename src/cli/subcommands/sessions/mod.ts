/** `myelin sessions`: what was kept, and what can be done with it. */
import { type NestedCommand, runNested } from "../../nested.ts";
import { exportSession, gc, importFile, remove, rename } from "./keep.ts";
import { list, search, show } from "./look.ts";
import { undo } from "./undo.ts";

const JSON_OPTION = { name: "json", help: "for scripts" };
const ALL_OPTION = { name: "all", help: "of every folder" };

const commands: readonly NestedCommand[] = [
  {
    name: "list",
    spec: {
      usage: "sessions list [options]",
      summary: "the sessions of this folder, newest first",
      options: [ALL_OPTION, JSON_OPTION],
    },
    run: list,
  },
  {
    name: "search",
    spec: {
      usage: "sessions search TEXT… [options]",
      summary: "where something was said in them",
      options: [ALL_OPTION, JSON_OPTION],
    },
    run: search,
  },
  {
    name: "show",
    spec: {
      usage: "sessions show [ID|FILE]",
      summary: "what was said and done in it",
      options: [JSON_OPTION],
      more: "Without ID: the newest session of this folder.",
    },
    run: show,
  },
  {
    name: "undo",
    spec: {
      usage: "sessions undo [ID|FILE] [options]",
      summary: "put back what the last prompt changed in files",
      options: [
        { name: "to", value: "ENTRY", help: "all changes since that entry" },
        { name: "redo", help: "take the last undo back" },
        { name: "list", help: "show what can be undone, and change nothing" },
        JSON_OPTION,
      ],
      more:
        "Without ID: the newest session of this folder. Exit status 1 where something could not be put back.",
    },
    run: undo,
  },
  {
    name: "export",
    spec: {
      usage: "sessions export ID|FILE [--format markdown|html|jsonl]",
      summary: "print it to keep or to share",
      options: [{
        name: "format",
        value: "FORMAT",
        choices: ["markdown", "html", "jsonl"],
        help: "default: markdown",
      }],
    },
    run: exportSession,
  },
  {
    name: "import",
    spec: {
      usage: "sessions import FILE…",
      summary: "take over session files from elsewhere, damaged ones too",
      options: [],
    },
    run: importFile,
  },
  {
    name: "rename",
    spec: { usage: "sessions rename ID|FILE TITLE…", summary: "give it another title", options: [] },
    run: rename,
  },
  {
    name: "rm",
    spec: { usage: "sessions rm ID|FILE…", summary: "move it to the trash folder", options: [] },
    run: remove,
  },
  {
    name: "gc",
    spec: {
      usage: "sessions gc",
      summary: "free what no session needs any more: attachments and contents kept for undo",
      options: [],
    },
    run: gc,
  },
];

export function run(args: string[]): Promise<number> {
  return runNested("sessions", "Sessions that were kept:", commands, args);
}
