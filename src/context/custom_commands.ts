/**
 * Commands of the user's own: markdown files whose text is the prompt.
 * `commands/review.md` is `/review`, `commands/git/tidy.md` is `/git:tidy`.
 * `$ARGUMENTS` stands for all that is typed behind the name, `$1` to `$9` for
 * its words; where the text names neither, what is typed follows it.
 */
import { readFrontMatter } from "../lib/front_matter.ts";
import { listFolder, readPlainText } from "../lib/files/read_plain.ts";

/** A command that a person has written: a file of Markdown. */
export interface CustomCommand {
  readonly name: string;
  readonly description: string;
  readonly argumentHint?: string;
  readonly body: string;
  readonly path: string;
}

/** `reserved`: names that such a file cannot take, without the slash. */
interface CustomCommandsInput {
  /** The first folder wins where two commands have one name. */
  readonly folders: readonly string[];
  readonly reserved: readonly string[];
}

const MAX_BYTES = 64 * 1024;
const MAX_DEPTH = 3;

/** Finds them, sorted by name. */
export function loadCustomCommands(
  { folders, reserved }: CustomCommandsInput,
): { commands: readonly CustomCommand[]; warnings: readonly string[] } {
  const found = new Map<string, CustomCommand>();
  const warnings: string[] = [];
  for (const folder of folders) {
    for (const { path, name } of files(folder, "", 0)) {
      const read = readPlainText(path, MAX_BYTES);
      if (read.type !== "text") {
        if (read.type === "unusable") warnings.push(`Command left out: ${path} ${read.why}`);
        continue;
      }
      const other = found.get(name);
      if (reserved.includes(name)) {
        warnings.push(`Command left out: ${path}: "/${name}" is a built-in command`);
      } else if (other !== undefined) warnings.push(`Command left out: ${path}: ${other.path} wins`);
      else found.set(name, command(name, path, read.text));
    }
  }
  return { commands: [...found.values()].sort((a, b) => a.name < b.name ? -1 : 1), warnings };
}

function* files(folder: string, prefix: string, depth: number): Generator<{ path: string; name: string }> {
  for (const entry of listFolder(folder) ?? []) {
    const path = `${folder}/${entry.name}`;
    if (entry.folder && depth < MAX_DEPTH) yield* files(path, `${prefix}${entry.name}:`, depth + 1);
    const name = /^([\w.-]+)\.md$/.exec(entry.name)?.[1];
    if (name !== undefined && !entry.folder) yield { path, name: prefix + name };
  }
}

function command(name: string, path: string, text: string): CustomCommand {
  const { fields, body } = readFrontMatter(text);
  const hint = fields["argument-hint"];
  const first = body.split("\n").find((line) => line.trim() !== "")?.trim() ?? "";
  return {
    name,
    description: fields.description ?? first.slice(0, 100),
    ...(hint === undefined ? {} : { argumentHint: hint }),
    body: body.trim(),
    path,
  };
}

/** The text of a command with what was typed behind its name. */
export function expandCommand(body: string, words: string): string {
  const given = words.trim();
  const list = [...given.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");
  let named = false;
  const text = body.replace(/\$(ARGUMENTS|[1-9])/g, (_, which: string) => {
    named = true;
    return which === "ARGUMENTS" ? given : list[Number(which) - 1] ?? "";
  });
  return named || given === "" ? text : `${text}\n\n${given}`;
}
