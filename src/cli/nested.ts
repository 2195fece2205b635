/** Subcommands that have subcommands of their own: `sessions list`, `config show`. */
import { nearest } from "../lib/text/nearest.ts";
import {
  columns,
  type CommandSpec,
  helpText,
  parseCommand,
  type Parsed,
  UsageError,
  wrapped,
} from "./args.ts";
import { EXIT } from "./exit_codes.ts";

export interface NestedCommand {
  readonly name: string;
  readonly spec: CommandSpec;
  run(parsed: Parsed): Promise<number>;
}

/** Finds and runs the one that is named first; help and mistakes are answered here. */
export async function runNested(
  name: string,
  summary: string,
  commands: readonly NestedCommand[],
  args: readonly string[],
): Promise<number> {
  const [first, ...rest] = args;
  const names = commands.map((command) => command.name);
  if (first === undefined || first === "--help" || first === "-h") {
    const rows = commands.map((
      { spec },
    ): [string, string] => [`  myelin ${spec.usage}`, firstOf(spec.summary)]);
    const help = `${wrapped(summary)}\n\n${columns(rows, 42)}`;
    if (first === undefined) console.error(help);
    else console.log(help);
    return first === undefined ? EXIT.usage : EXIT.ok;
  }
  const command = commands.find((one) => one.name === first);
  if (command === undefined) {
    const near = nearest(first, names);
    throw new UsageError(
      `There is no "myelin ${name} ${first}"`,
      near === undefined
        ? `There are: ${names.map((one) => `myelin ${name} ${one}`).join(", ")}`
        : `Did you mean "myelin ${name} ${near}"?`,
    );
  }
  const parsed = parseCommand(command.spec, rest);
  if (parsed.has("help")) {
    console.log(helpText(command.spec).trimEnd());
    return EXIT.ok;
  }
  return await command.run(parsed);
}

/** A list has room for what a command does, and its own help for the rest. */
function firstOf(summary: string): string {
  return summary.split(/[.\n]/, 1)[0];
}
