/**
 * Roles of sub-agents: a text and the tools that go with it. The built-in ones
 * come with the program; a project adds its own in `.myelin/prompts/roles/`,
 * as far as it is heeded at all.
 */
import explore from "../../prompts/roles/explore.md" with { type: "text" };
import review from "../../prompts/roles/review.md" with { type: "text" };
import work from "../../prompts/roles/work.md" with { type: "text" };
import { readTexts } from "../lib/files/read_texts.ts";
import { readFrontMatter } from "../lib/front_matter.ts";

export interface Role {
  readonly name: string;
  readonly about: string;
  /** Names of its tools; those that are not offered here are left out. */
  readonly tools: readonly string[];
  readonly text: string;
}

/** What a role without a list of tools gets: those that only read. */
const READING = ["read", "ls", "glob", "grep"];

/** The built-in roles, then the project's; the project's win where names are the same. */
export function loadRoles(projectFolder: string | undefined): readonly Role[] {
  const roles = new Map<string, Role>();
  for (const [name, text] of [["explore", explore], ["review", review], ["work", work]]) {
    roles.set(name, toRole(name, text));
  }
  if (projectFolder !== undefined) {
    for (const { name, text } of readTexts(`${projectFolder}/.myelin/prompts/roles`, ".md")) {
      const role = toRole(name, text);
      roles.set(role.name, role);
    }
  }
  return [...roles.values()];
}

function toRole(fileName: string, text: string): Role {
  const { fields, body } = readFrontMatter(text);
  const tools = fields.tools?.replace(/^\[|\]$/g, "").split(/[\s,]+/).filter((name) => name !== "");
  return {
    name: fields.name || fileName,
    about: fields.about ?? fields.description ?? "",
    tools: tools === undefined || tools.length === 0 ? READING : tools,
    text: body.trim(),
  };
}
