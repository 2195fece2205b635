/** The list of tools, in the order in which models see them. */
import { bash, bashOutput, killShell } from "./bash/mod.ts";
import { edit } from "./edit/mod.ts";
import { fetchTool } from "./fetch/mod.ts";
import type { Network, NetworkOptions } from "./fetch/network.ts";
import { gitCommit, gitDiff, gitLog, gitStatus } from "./git/mod.ts";
import { glob } from "./glob/mod.ts";
import { grep } from "./grep/mod.ts";
import { ls } from "./ls/mod.ts";
import { multiEdit } from "./multi_edit/mod.ts";
import { picker } from "./picker/mod.ts";
import { read } from "./read/mod.ts";
import { todo } from "./todo/mod.ts";
import { write } from "./write/mod.ts";
import type { Tool } from "./tool.ts";

export { ReadStamps } from "./shared/read_stamps.ts";
export type {
  Artifacts,
  Ledger,
  MainDeps,
  MainTool,
  ProgramEnd,
  ProgramRequest,
  SheathDeps,
  SheathTool,
  Stamp,
  Tool,
  ToolLimits,
} from "./tool.ts";

export type { FetchAnswer } from "./fetch/network.ts";

/** The side of `fetch` that reaches the network: for the main isolate. */
export async function loadNetwork(options: NetworkOptions): Promise<Network> {
  return (await import("./fetch/network.ts")).createNetwork(options);
}

/** Every tool there is. */
export const allTools: readonly Tool[] = [
  read,
  write,
  edit,
  ls,
  glob,
  grep,
  bash,
  bashOutput,
  killShell,
  todo,
  multiEdit,
  picker,
  fetchTool,
  gitStatus,
  gitDiff,
  gitLog,
  gitCommit,
];

/** The default set. */
export const coreTools: readonly Tool[] = allTools.filter((tool) => tool.set === "core");
