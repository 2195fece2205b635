/**
 * Skills: folders with a SKILL.md, whose front matter gives a name and a
 * description. Only those two go into the prompt; the text is read when it is
 * needed. One that is broken is named with file and line and hides no other.
 */
import { describe } from "../lib/errors.ts";
import { listFolder, readPlainText, realPath } from "../lib/files/read_plain.ts";

/** A text that the model reads when it needs it. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  /** Absolute path of its SKILL.md. */
  readonly path: string;
  /** What may follow `/name`, for people. */
  readonly argumentHint?: string;
  readonly from: "project" | "user";
}

/** Where skills are looked for, and which names they cannot take. */
export interface SkillsInput {
  /** Folders to look through, the first one winning where two skills have one name. */
  readonly folders: readonly { readonly path: string; readonly from: Skill["from"] }[];
  /** Names that are taken by built-in commands: such a skill is left out. */
  readonly reserved: readonly string[];
}

/** The skills there are, and what is to be told about them. */
export interface Skills {
  /** Sorted by name. */
  readonly skills: readonly Skill[];
  readonly warnings: readonly string[];
}

const MAX_BYTES = 256 * 1024;
/** Folders within folders that are looked through. */
const MAX_DEPTH = 4;
/** A folder with more entries is no folder of skills. */
const MAX_ENTRIES = 2_000;
const MAX_DESCRIPTION = 1_024;

/** Finds them. Only where a SKILL.md is there is a YAML reader loaded. */
export async function loadSkills({ folders, reserved }: SkillsInput): Promise<Skills> {
  const found = new Map<string, Skill>();
  const warnings: string[] = [];
  const seen = new Set<string>();
  for (const { path: folder, from } of folders) {
    for (const path of skillFiles(folder, seen, warnings)) {
      const read = await readSkill(path, from);
      if (typeof read === "string") {
        warnings.push(`Skill left out: ${read}`);
      } else if (reserved.includes(read.name)) {
        warnings.push(`Skill left out: ${path}: "/${read.name}" is a built-in command`);
      } else if (found.has(read.name)) {
        warnings.push(
          `Skill left out: ${path}: "${read.name}" is also in ${found.get(read.name)!.path}, which wins`,
        );
      } else {
        found.set(read.name, read);
      }
    }
  }
  const skills = [...found.values()].sort((a, b) => a.name < b.name ? -1 : 1);
  return { skills, warnings };
}

/** A skill's text with what the user typed behind its name; undefined where it can no longer be read. */
export function expandSkill(skill: Skill, words: string): string | undefined {
  const read = readPlainText(skill.path, MAX_BYTES);
  const body = read.type === "text" ? split(read.text)?.body.trim() : undefined;
  if (body === undefined) return undefined;
  const text = `<skill name="${skill.name}" path="${skill.path}">\n${body}\n</skill>`;
  return words.trim() === "" ? text : `${text}\n\n${words.trim()}`;
}

/** The SKILL.md files below a folder, in stable order. A folder that is a skill is not searched further; rings of links end. */
function skillFiles(folder: string, seen: Set<string>, warnings: string[], depth = 0): string[] {
  const real = realPath(folder);
  if (real === undefined || seen.has(real)) return [];
  seen.add(real);
  const entries = listFolder(folder);
  if (entries === undefined) {
    if (depth === 0) warnings.push(`Skills left out: ${folder} cannot be listed`);
    return [];
  }
  if (depth > 0 && entries.some(({ name }) => name === "SKILL.md")) return [`${folder}/SKILL.md`];
  if (depth >= MAX_DEPTH || entries.length > MAX_ENTRIES) return [];
  const below = entries.filter(({ name, folder, link }) =>
    (folder || link) && !name.startsWith(".") && name !== "node_modules"
  );
  return below.flatMap(({ name }) => skillFiles(`${folder}/${name}`, seen, warnings, depth + 1));
}

/** A skill, or what is wrong with it, with file and line. */
async function readSkill(path: string, from: Skill["from"]): Promise<Skill | string> {
  const read = readPlainText(path, MAX_BYTES);
  if (read.type !== "text") return `${path} ${read.type === "absent" ? "cannot be read" : read.why}`;
  const parts = split(read.text);
  if (parts === undefined) {
    return `${path}:1: it does not begin with front matter (name and description between two lines "---")`;
  }
  const { parse } = await import("../lib/std/yaml.ts");
  let fields: unknown;
  try {
    fields = parse(parts.front);
  } catch (error) {
    const { line, why } = yamlProblem(error);
    return `${path}:${line + 1}: ${why}`;
  }
  if (typeof fields !== "object" || fields === null) return `${path}:2: the front matter has no fields`;
  const { name, description, "argument-hint": hint } = fields as Record<string, unknown>;
  const own = typeof name === "string" && name.trim() !== "" ? name.trim() : folderOf(path);
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/i.test(own)) {
    return `${path}:2: "${own}" cannot be a name: letters, digits, ".", "_" and "-" make one`;
  }
  if (typeof description !== "string" || description.trim() === "") return `${path}:2: it has no description`;
  return {
    name: own,
    description: description.replace(/\s+/g, " ").trim().slice(0, MAX_DESCRIPTION),
    path,
    ...(typeof hint === "string" && hint.trim() !== "" ? { argumentHint: hint.trim() } : {}),
    from,
  };
}

function split(text: string): { front: string; body: string } | undefined {
  const match = /^---[ \t]*\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\n|$)/.exec(text);
  return match === null ? undefined : { front: match[1], body: text.slice(match[0].length) };
}

function folderOf(path: string): string {
  return path.split("/").at(-2) ?? "";
}

/** Line (from 1, within the front matter) and reason, as far as the YAML reader tells. */
function yamlProblem(error: unknown): { line: number; why: string } {
  const text = describe(error);
  const line = Number(/line (\d+)/i.exec(text)?.[1] ?? 1);
  return {
    line,
    why: `the front matter is not valid YAML: ${
      text.split("\n")[0].replace(/\s*at line \d+.*$/i, "").trim()
    }`,
  };
}
