/** The contract of a section of the system prompt. */

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
}

/** A file with standing instructions, such as AGENTS.md. */
export interface InstructionFile {
  /** As shown to the model. */
  readonly path: string;
  readonly text: string;
}

export interface Section {
  readonly name: string;
  /** The section's text; undefined leaves it out. Same input, same bytes. */
  render(input: PromptInput): string | undefined;
}
