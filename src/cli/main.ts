/**
 * The command line: finds the subcommand, turns what it throws into a message
 * and an exit status. Loads nothing that `--version` does not need.
 */
import { describe } from "../lib/errors.ts";
import { VERSION } from "../release/mod.ts";

/** Runs the program; resolves to its exit status. */
export async function main(args: readonly string[]): Promise<number> {
  const [first, ...rest] = args;
  if (first === "--version" || first === "-V") return print(`myelin ${VERSION}`);
  // A helper of the sandbox: started by this program itself, never by a person.
  if (first === "__relay") return await (await import("./subcommands/relay.ts")).run(rest);
  const { subcommands } = await import("./commands.ts");
  const command = subcommands.find((one) => one.name === first);
  try {
    if (command !== undefined) {
      const { run } = await command.load();
      return await run(rest);
    }
    const { top } = await import("./top.ts");
    return await top(args);
  } catch (error) {
    return await fail(error);
  }
}

function print(text: string): number {
  console.log(text);
  return 0;
}

/** What, where and the remedy; never a stack trace, unless it was asked for. */
async function fail(error: unknown): Promise<number> {
  if (error instanceof Deno.errors.BrokenPipe) return 141;
  const { reportFailure } = await import("./failure.ts");
  return reportFailure(error, describe(error));
}
