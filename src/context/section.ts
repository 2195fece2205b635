/** The contract of a section of the system prompt. */
import type { GitState } from "./git_state.ts";
import type { PromptFiles } from "./prompt_files.ts";
import type { Skill } from "./skills.ts";

/** Everything that a section may draw on; gathered by the engine before the first request. */
export interface PromptInput {
  /** Absolute path of the workspace. */
  readonly cwd: string;
  readonly platform: string;
  /** Local date, YYYY-MM-DD. */
  readonly date: string;
  /** Such as "workspace: tools may read and write below the folder, no network". */
  readonly sandbox: string;
  readonly instructions: readonly InstructionFile[];
  /** Sorted by name. */
  readonly skills: readonly Skill[];
  /** Pages about the program that the model can read. */
  readonly docs: readonly string[];
  /** Names of the tools on offer. */
  readonly tools?: readonly string[];
  /** Names that tools take beside paths, each with what it is: "artifact://N: …". */
  readonly schemes: readonly string[];
  /** Where the repository stands; absent where there is none, or the project is not heeded. */
  readonly git?: GitState;
  /** What the development shell comes from that commands run in; absent: they run in none. */
  readonly devShell?: "nix" | "direnv";
  /** Titles of notes of earlier sessions. */
  readonly notes?: readonly string[];
  /** Texts of the user or the project in place of built-in ones. */
  readonly files: PromptFiles;
}

/** A file with standing instructions, such as AGENTS.md. */
export interface InstructionFile {
  /** As shown to the model. */
  readonly path: string;
  readonly text: string;
}

/** One part of the system prompt. */
export interface Section {
  readonly name: string;
  /** The section's text; undefined leaves it out. Same input, same bytes. */
  render(input: PromptInput): string | undefined;
}
