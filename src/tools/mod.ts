/** The list of tools, in the order in which models see them. */
import { ask } from "./ask/mod.ts";
import { bash, bashOutput, killShell } from "./bash/mod.ts";
import { checkpoint } from "./checkpoint/mod.ts";
import { edit } from "./edit/mod.ts";
import { fetchTool } from "./fetch/mod.ts";
import { gitCommit, gitDiff, gitLog, gitStatus } from "./git/mod.ts";
import { glob } from "./glob/mod.ts";
import { grep } from "./grep/mod.ts";
import { ls } from "./ls/mod.ts";
import { memory } from "./memory/mod.ts";
import { multiEdit } from "./multi_edit/mod.ts";
import { picker } from "./picker/mod.ts";
import { read } from "./read/mod.ts";
import { task, taskOutput } from "./task/mod.ts";
import { todo } from "./todo/mod.ts";
import { verify } from "./verify/mod.ts";
import { write } from "./write/mod.ts";
import type { Tool } from "./tool.ts";

export { loadNetwork } from "./fetch/mod.ts";
export type { Network, NetworkOptions } from "./fetch/mod.ts";
export { ReadStamps } from "./shared/read_stamps.ts";
export type {
  AgentReport,
  AgentRun,
  Agents,
  AgentTask,
  Artifacts,
  Checkpoints,
  FetchAnswer,
  Ledger,
  MainDeps,
  MainTool,
  Notes,
  People,
  ProgramEnd,
  ProgramRequest,
  Question,
  Reply,
  Restored,
  SheathDeps,
  SheathTool,
  Stamp,
  Tool,
  ToolLimits,
} from "./tool.ts";

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
  task,
  taskOutput,
  ask,
  multiEdit,
  picker,
  fetchTool,
  gitStatus,
  gitDiff,
  gitLog,
  gitCommit,
  memory,
  checkpoint,
  verify,
];

/** The default set. */
export const coreTools: readonly Tool[] = allTools.filter((tool) => tool.set === "core");
