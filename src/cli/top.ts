/** `myelin` without a subcommand: help, unknown words, and the chat when it is there. */
import { nearest } from "../lib/text/nearest.ts";
import { VERSION } from "../release/mod.ts";
import { subcommands } from "./commands.ts";
import { EXIT } from "./exit_codes.ts";
import { UsageError } from "./args.ts";

function helpText(): string {
  const width = Math.max(...subcommands.map((one) => one.name.length)) + 2;
  return `myelin ${VERSION}: a coding agent in one executable

Usage: myelin [options]           the chat in this terminal
       myelin COMMAND [options]

Commands:
${subcommands.map((one) => `  ${one.name.padEnd(width)}${one.summary}`).join("\n")}

Options:
  -h, --help      show this text (myelin COMMAND --help: that of a command)
  -V, --version   show the version

Options of the chat: --model, --continue, --resume ID, --cwd DIR, --approve WHO,
--plain and others of run.
Try it without a key: myelin --model demo/tour
`;
}

/** Answers a command line that names no subcommand. */
export async function top(args: readonly string[]): Promise<number> {
  const [first, second] = args;
  const asked = first === "help" ? subcommands.find((one) => one.name === second) : undefined;
  if (asked !== undefined) return await (await asked.load()).run(["--help"]);
  if (first === "--help" || first === "-h" || first === "help") {
    console.log(helpText().trimEnd());
    return EXIT.ok;
  }
  // Everything that begins with an option is for the chat, which knows which ones there are.
  if (first === undefined || first.startsWith("-")) {
    return await (await import("./subcommands/chat/mod.ts")).run(args);
  }
  if (first === "version") throw new UsageError('There is no command "version"', "Did you mean --version?");
  const near = nearest(first, subcommands.map((one) => one.name));
  throw new UsageError(
    `There is no command "${first}"`,
    near === undefined
      ? `For one task: myelin run "…". Commands: myelin --help`
      : `Did you mean "myelin ${near}"?`,
  );
}
