/**
 * Names that no skill and no command of the user's own may have: those of the
 * built-in commands, apart from them, because they are needed before the
 * first request and the commands are not.
 */
export const commandNames: readonly string[] = [
  "help",
  "new",
  "clear",
  "resume",
  "sessions",
  "navigate",
  "fork",
  "undo",
  "redo",
  "model",
  "thinking",
  "compact",
  "prepare-compact",
  "shake",
  "status",
  "context",
  "cost",
  "tools",
  "permissions",
  "mcp",
  "memory",
  "export",
  "quit",
];
