/**
 * Roles of sub-agents: a text, the tools that go with it, and where it says so
 * the model, its thinking and the steps. The built-in ones come with the
 * program; a project adds its own in `.myelin/prompts/roles/`, as far as it is
 * heeded at all.
 */
import explore from "../../prompts/roles/explore.md" with { type: "text" };
import review from "../../prompts/roles/review.md" with { type: "text" };
import work from "../../prompts/roles/work.md" with { type: "text" };
import { AppError } from "../lib/errors.ts";
import { readTexts } from "../lib/files/read_texts.ts";
import { readFrontMatter } from "../lib/front_matter.ts";
import type { Thinking } from "../llm/mod.ts";

/** What a sub-agent is for, and what it may use. */
export interface Role {
  readonly name: string;
  readonly about: string;
  /** Names of its tools; those that are not offered here are left out. */
  readonly tools: readonly string[];
  readonly text: string;
  /** "provider/id"; absent: the session's. */
  readonly model?: string;
  readonly thinking?: Thinking;
  /** The most requests that it may make; absent: as many as a run. */
  readonly steps?: number;
  /** What is wrong with it: it cannot be used. */
  readonly problem?: string;
}

const THINKING_LEVELS: readonly Thinking[] = ["off", "low", "medium", "high"];

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
    ...(fields.model ? { model: fields.model } : {}),
    ...thinkingOf(fields.thinking),
    ...stepsOf(fields.steps),
  };
}

function thinkingOf(given: string | undefined): Pick<Role, "thinking" | "problem"> {
  if (!given) return {};
  const thinking = THINKING_LEVELS.find((level) => level === given);
  return thinking === undefined
    ? { problem: `its thinking is "${given}"; there are ${THINKING_LEVELS.join(", ")}` }
    : { thinking };
}

function stepsOf(given: string | undefined): Pick<Role, "steps" | "problem"> {
  if (!given) return {};
  return /^[1-9]\d{0,5}$/.test(given)
    ? { steps: Number(given) }
    : { problem: `its steps are "${given}"; they are a whole number from 1` };
}

/** The role of that name, the first where none is named. Throws AppError "no_role" or "bad_role". */
export function roleOf(roles: readonly Role[], name: string | undefined): Role {
  const role = name === undefined ? roles[0] : roles.find((one) => one.name === name);
  if (role === undefined) {
    throw new AppError(
      "no_role",
      `There is no role "${name}". Roles: ${roles.map((one) => one.name).join(", ")}`,
    );
  }
  if (role.problem !== undefined) {
    throw new AppError("bad_role", `The role "${role.name}" cannot be used: ${role.problem}`);
  }
  return role;
}
