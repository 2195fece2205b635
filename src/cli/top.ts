/** `myelin` without a subcommand: help, unknown words, and the chat when it is there. */
import { nearest } from "../lib/text/nearest.ts";
import { VERSION } from "../release/mod.ts";
import { subcommands } from "./commands.ts";
import { EXIT } from "./exit_codes.ts";
import { UsageError } from "./args.ts";

function helpText(): string {
  const width = Math.max(...subcommands.map((one) => one.name.length)) + 2;
  return `myelin ${VERSION}: a coding agent in one executable

Usage: myelin COMMAND [options]

Commands:
${subcommands.map((one) => `  ${one.name.padEnd(width)}${one.summary}`).join("\n")}

Options:
  -h, --help      show this text (myelin COMMAND --help: that of a command)
  -V, --version   show the version

Try it without a key: myelin run --model demo/tour
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
  if (first === undefined) {
    console.error(
      'The chat needs a terminal and is not part of this version yet. For one task: myelin run "…"',
    );
    console.error("All commands: myelin --help");
    return EXIT.usage;
  }
  if (first.startsWith("-")) {
    throw new UsageError(`Unknown option ${first}`, "Options and commands: myelin --help");
  }
  const near = nearest(first, subcommands.map((one) => one.name));
  throw new UsageError(
    `There is no command "${first}"`,
    near === undefined
      ? `For one task: myelin run "…". Commands: myelin --help`
      : `Did you mean "myelin ${near}"?`,
  );
}
