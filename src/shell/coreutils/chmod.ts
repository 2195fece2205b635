/** chmod: changes modes, symbolic and octal. */
import type { UtilityContext } from "../builtin.ts";
import { modeText, parseMode } from "./shared/modes.ts";
import { Failure, parseOptions, UsageError } from "./shared/options.ts";
import { joinPath } from "./shared/paths.ts";
import { cite, complain, quote, reason } from "./shared/report.ts";

const TABLE = {
  options: [
    "c|changes",
    "f|silent|quiet",
    "v|verbose",
    "R|recursive",
    "reference=",
    "preserve-root",
    "no-preserve-root",
  ],
  usage: "[OPTION]... MODE[,MODE]... FILE...",
};

export async function run(context: UtilityContext): Promise<number> {
  // `-x` and `-w` are modes, not options.
  const args: string[] = [];
  let mode: string | undefined;
  for (const arg of context.args) {
    if (mode === undefined && /^-[rwxXstugo,=+-]/.test(arg) && !/^--[a-z]/.test(arg)) mode = arg;
    else args.push(arg);
  }
  const options = parseOptions(context, TABLE, args);
  const files = [...options.operands];
  const reference = options.value("reference");
  let change: (old: number, dir: boolean) => number;
  if (reference !== undefined) {
    try {
      const wanted = context.fs.stat(context.path(reference)).mode;
      change = () => wanted;
    } catch (error) {
      throw new Failure(`failed to get attributes of ${quote(reference)}: ${reason(error)}`);
    }
  } else {
    mode ??= files.shift();
    if (mode === undefined) throw new UsageError("missing operand");
    const parsed = parseMode(mode, context.umask);
    if (!parsed) throw new UsageError(`invalid mode: ${cite(mode)}`);
    change = parsed;
  }
  if (files.length === 0) {
    throw new UsageError(mode === undefined ? "missing operand" : `missing operand after ${cite(mode)}`);
  }
  let status = 0;
  const apply = async (path: string, shown: string, top: boolean): Promise<void> => {
    context.poll();
    try {
      if (!top && context.fs.lstat(path).kind === "symlink") return;
      const stat = context.fs.stat(path);
      const next = change(stat.mode, stat.kind === "dir");
      if (next !== stat.mode) context.fs.chmod(path, next);
      if (options.has("v") || (options.has("c") && next !== stat.mode)) {
        const text = (bits: number) =>
          `${bits.toString(8).padStart(4, "0")} (${modeText("file", bits).slice(1)})`;
        await context.stdout.print(
          next === stat.mode
            ? `mode of ${quote(shown)} retained as ${text(next)}\n`
            : `mode of ${quote(shown)} changed from ${text(stat.mode)} to ${text(next)}\n`,
        );
      }
      if (options.has("R") && stat.kind === "dir") {
        for (const entry of context.fs.readDir(path)) {
          await apply(`${path}/${entry.name}`, joinPath(shown, entry.name), false);
        }
      }
    } catch (error) {
      status = 1;
      if (options.has("f")) {
        reason(error);
        return;
      }
      const verb = (error as { code?: string }).code === "ENOENT"
        ? "cannot access"
        : "changing permissions of";
      await complain(context, `${verb} ${quote(shown)}: ${reason(error)}`);
    }
  };
  for (const name of files) await apply(context.path(name), name, true);
  return status;
}
