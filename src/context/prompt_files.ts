/**
 * Files that replace built-in prompt texts: `prompts/NAME.md` of the user's
 * folder, and of the project before it. An empty file switches a section off.
 */
import { readPlainText } from "../lib/files/read_plain.ts";

/** The names that are looked for. */
export const PROMPT_FILES = [
  "SYSTEM.md",
  "WORK.md",
  "PROSE.md",
  "SUMMARY_SYSTEM.md",
  "SUMMARY.md",
  "SUMMARY_UPDATE.md",
  "SUMMARY_TURN.md",
  "SUMMARY_BRANCH.md",
] as const;

const MAX_BYTES = 64 * 1024;

/** Name of the file -> its text. */
export type PromptFiles = ReadonlyMap<string, string>;

/** Reads them from the folders; the first folder that has a file wins. */
export function readPromptFiles(folders: readonly string[]): { files: PromptFiles; warnings: string[] } {
  const files = new Map<string, string>();
  const warnings: string[] = [];
  for (const folder of folders) {
    for (const name of PROMPT_FILES) {
      if (files.has(name)) continue;
      const read = readPlainText(`${folder}/${name}`, MAX_BYTES);
      if (read.type === "unusable") warnings.push(`Prompt left out: ${folder}/${name} ${read.why}`);
      if (read.type !== "text") continue;
      if (read.cut) {
        warnings.push(`${folder}/${name} is ${read.size} bytes; only the first ${MAX_BYTES} are used`);
      }
      files.set(name, read.text);
    }
  }
  return { files, warnings };
}
