/** A mistyped command is told, not said to the model. */
import { nearest } from "../../lib/text/nearest.ts";

/**
 * What to tell, where a text looks like a command that is not there: one word
 * alone, or one that is nearly that of a command. Undefined: it is something
 * to say, such as "/tmp is full".
 */
export function unknownCommand(text: string, names: readonly string[]): string | undefined {
  const typed = /^\/([a-z][\w-]*)(\s|$)/.exec(text);
  if (typed === null || names.includes(typed[1])) return undefined;
  const near = nearest(typed[1], names);
  if (near === undefined && text.trim() !== `/${typed[1]}`) return undefined;
  return `There is no command /${typed[1]}.${near === undefined ? "" : ` Did you mean /${near}?`} ` +
    "With a space before it, it is said to the model; /help lists the commands.";
}
