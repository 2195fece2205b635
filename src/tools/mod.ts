/** The list of tools, in the order in which models see them. */
import { edit } from "./edit/mod.ts";
import { read } from "./read/mod.ts";
import { write } from "./write/mod.ts";
import type { Tool } from "./tool.ts";

export type {
  Artifacts,
  Ledger,
  MainDeps,
  MainTool,
  SheathDeps,
  SheathTool,
  Stamp,
  Tool,
  ToolLimits,
} from "./tool.ts";

/** Every tool there is. */
export const allTools: readonly Tool[] = [read, write, edit];

/** The default set. */
export const coreTools: readonly Tool[] = allTools.filter((tool) => tool.set === "core");
