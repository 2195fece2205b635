/**
 * What the tools of the main isolate work with: people, notes, checkpoints,
 * sub-agents. Loaded when the first of them is called.
 */
import type { Spent } from "../agent/mod.ts";
import { listNotes, readNote, removeNote, saveNote } from "../lib/files/notes.ts";
import type { MainDeps, Notes } from "../tools/mod.ts";
import { type AgentsOptions, createAgents } from "./agents.ts";
import { loadRoles } from "./roles.ts";

export interface ToolPortsOptions extends Pick<MainDeps, "limits" | "people" | "checkpoints"> {
  /** Where this project's notes are. */
  readonly notesFolder: string;
  /** Where the project's own roles are looked for; undefined: nowhere. */
  readonly projectFolder: string | undefined;
  readonly agents: Omit<AgentsOptions, "roles">;
}

export interface ToolPorts extends MainDeps {
  /** What sub-agents have spent since this was last asked. */
  takeSpent(): Spent;
  close(): void;
}

export function createToolPorts(options: ToolPortsOptions): ToolPorts {
  const agents = createAgents({ ...options.agents, roles: () => loadRoles(options.projectFolder) });
  return {
    limits: options.limits,
    people: options.people,
    checkpoints: options.checkpoints,
    notes: notesIn(options.notesFolder),
    agents,
    takeSpent: agents.takeSpent,
    close: agents.close,
  };
}

function notesIn(folder: string): Notes {
  return {
    place: folder,
    list: () => listNotes(folder),
    read: (title) => readNote(folder, title),
    save: (title, text) => saveNote(folder, title, text),
    remove: (title) => removeNote(folder, title),
  };
}
