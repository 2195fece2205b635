/** The sections of the system prompt, in order: what never changes first, so that caches reach as far as they can. */
import type { Section } from "../section.ts";
import { cwd } from "./cwd.ts";
import { date } from "./date.ts";
import { devShell } from "./dev_shell.ts";
import { docs } from "./docs.ts";
import { git } from "./git.ts";
import { memory } from "./memory.ts";
import { projectContext } from "./project_context.ts";
import { prose } from "./prose.ts";
import { schemes } from "./schemes.ts";
import { skills } from "./skills.ts";
import { system } from "./system.ts";
import { tools } from "./tools.ts";
import { work } from "./work.ts";

/** A change of this order changes every cached prompt. */
export const sections: readonly Section[] = [
  system,
  docs,
  tools,
  schemes,
  work,
  prose,
  projectContext,
  skills,
  memory,
  cwd,
  devShell,
  git,
  date,
];
