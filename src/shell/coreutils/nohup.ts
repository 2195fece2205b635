/** nohup: runs a command that SIGHUP does not end, with its output in a file where it would go to a terminal. */
import type { RunOptions, UtilityContext } from "../builtin.ts";
import type { ByteSink, ByteSource } from "../host.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { complain, quote, reason } from "./shared/report.ts";

const TABLE = { options: [], stopAtOperand: true, usageStatus: 125, usage: "COMMAND [ARG]..." };
const FILE = "nohup.out";

export async function run(context: UtilityContext): Promise<number> {
  const argv = parseOptions(context, TABLE).operands;
  if (argv.length === 0) throw new UsageError("missing operand", 125);
  const [input, output, errors] = [0, 1, 2].map((fd) => context.isTerminal?.(fd) ?? false);
  let file: ByteSink | undefined;
  let name: string | undefined;
  if (output) {
    const opened = await openFile(context);
    if (opened === undefined) return 125;
    [file, name] = opened;
  }
  const notes = [
    ...input ? ["ignoring input"] : [],
    ...name !== undefined
      ? [`appending output to ${quote(name)}`]
      : errors
      ? ["redirecting stderr to stdout"]
      : [],
  ];
  if (notes.length > 0) await complain(context, notes.join(" and "));
  const nothing: ByteSource = { read: () => 0, close() {} };
  const options: RunOptions = {
    shield: "hangup",
    missing: (why) => `${context.name}: failed to run command ${quote(argv[0])}: ${why}`,
    ...(input ? { stdin: nothing } : {}),
    ...(file === undefined ? {} : { stdout: file }),
    ...(errors ? { stderr: file ?? context.stdout } : {}),
  };
  try {
    return await context.run(argv, options);
  } finally {
    file?.close();
  }
}

/** The file for the output: here, or in the home folder where none can be written here. */
async function openFile(context: UtilityContext): Promise<[ByteSink, string] | undefined> {
  const home = context.env.get("HOME");
  for (const name of home === undefined ? [FILE] : [FILE, `${home}/${FILE}`]) {
    try {
      const file = await context.fs.open(context.path(name), {
        write: true,
        create: true,
        append: true,
        mode: 0o600,
      });
      return [file, name];
    } catch (error) {
      await complain(context, `failed to open ${quote(name)}: ${reason(error)}`);
    }
  }
  return undefined;
}
