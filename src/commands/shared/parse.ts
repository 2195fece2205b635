/** From what a user typed to a command: an unknown `/word` is ordinary text. */
import { type Command, hintOf } from "./command.ts";

export type ParsedCommand =
  | { readonly type: "command"; readonly command: Command; readonly args: Readonly<Record<string, string>> }
  /** It is a command and its arguments do not fit: why, and how it is used. */
  | { readonly type: "wrong"; readonly problem: string };

/** Undefined: it is no command but something to say to the model. */
export function parseCommand(text: string, commands: readonly Command[]): ParsedCommand | undefined {
  const typed = /^\/([a-z][a-z-]*)(?:\s+([\s\S]*))?$/.exec(text.trim());
  const command = typed === null ? undefined : commands.find(({ name }) => name === typed[1]);
  if (typed === null || command === undefined) return undefined;
  const args: Record<string, string> = {};
  let rest = typed[2]?.trim() ?? "";
  for (const [at, { name, required, oneOf }] of command.args.entries()) {
    const last = at === command.args.length - 1;
    const word = last ? rest : rest.split(/\s/, 1)[0];
    rest = last ? "" : rest.slice(word.length).trim();
    if (word === "") {
      if (required) return wrong(command, `"${name}" is missing`);
      continue;
    }
    if (oneOf !== undefined && !oneOf.includes(word)) {
      return wrong(command, `"${word}" is none of ${oneOf.join(", ")}`);
    }
    args[name] = word;
  }
  if (rest !== "") return wrong(command, `it takes no words, but there is "${rest}"`);
  return { type: "command", command, args };
}

function wrong(command: Command, why: string): ParsedCommand {
  return {
    type: "wrong",
    problem: `/${command.name}: ${why}. Usage: /${command.name} ${hintOf(command)}`.trimEnd(),
  };
}
