/** Writing a builtin's output: its status once all is written. */
import type { Shell } from "../../run/shell.ts";

export function printed(sh: Shell, text: string, status = 0): number | Promise<number> {
  if (text === "") return status;
  const later = sh.print(text);
  return later instanceof Promise ? later.then(() => status) : status;
}
