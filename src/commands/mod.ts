/** The commands of every interface, in the order in which they are listed. */
import type { Command } from "./shared/command.ts";
import { compact } from "./compact.ts";
import { context } from "./context.ts";
import { cost } from "./cost.ts";
import { exportSession } from "./export.ts";
import { fork } from "./fork.ts";
import { help } from "./help.ts";
import { mcp } from "./mcp.ts";
import { memory } from "./memory.ts";
import { model } from "./model.ts";
import { navigate } from "./navigate.ts";
import { clear, newSession } from "./new.ts";
import { permissions } from "./permissions.ts";
import { prepareCompact } from "./prepare_compact.ts";
import { quit } from "./quit.ts";
import { redo } from "./redo.ts";
import { resume } from "./resume.ts";
import { sessions } from "./sessions.ts";
import { shake } from "./shake.ts";
import { status } from "./status.ts";
import { thinking } from "./thinking.ts";
import { tools } from "./tools.ts";
import { undo } from "./undo.ts";

export {
  type Command,
  type CommandArgument,
  type CommandContext,
  type CommandHost,
  hintOf,
  schemaOf,
} from "./shared/command.ts";
export { parseCommand, type ParsedCommand } from "./shared/parse.ts";

export const commands: readonly Command[] = [
  help,
  newSession,
  clear,
  resume,
  sessions,
  navigate,
  fork,
  undo,
  redo,
  model,
  thinking,
  compact,
  prepareCompact,
  shake,
  status,
  context,
  cost,
  tools,
  permissions,
  mcp,
  memory,
  exportSession,
  quit,
];
