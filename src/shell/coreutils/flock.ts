/** flock: holds a lock on a file while a command runs, or on a descriptor of the shell. */
import { UnsupportedOption, type UtilityContext } from "../builtin.ts";
import { HostError } from "../host.ts";
import { parseDuration } from "./shared/duration.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { reason } from "./shared/report.ts";

const TABLE = {
  options: [
    "s|shared",
    "x|exclusive",
    "e",
    "u|unlock",
    "n|nb|nonblock",
    "w|wait|timeout=",
    "o|close",
    "E|conflict-exit-code=",
    "F|no-fork",
    "verbose",
  ],
  stopAtOperand: true,
  usageStatus: 64,
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  if (context.openLock === undefined) throw new UnsupportedOption("(locks)");
  const [target, ...rest] = options.operands;
  if (target === undefined) throw new UsageError("not enough arguments", 64, false);
  const conflict = Number(options.value("E") ?? 1);
  const limit = options.value("w");
  const seconds = limit === undefined ? undefined : parseDuration(limit);
  if (limit !== undefined && seconds === undefined) throw new UsageError("invalid timeout value", 64, false);
  if (rest.length === 0 && !/^\d+$/.test(target)) {
    throw new UsageError(`bad file descriptor: '${target}'`, 64, false);
  }
  const command = /^(?:-c|--command)$/.test(rest[0] ?? "") ? ["sh", "-c", ...rest.slice(1)] : rest;
  if (command[0] === "sh" && rest !== command && rest.length !== 2) {
    throw new UsageError(`${rest[0]} requires exactly one command argument`, 64, false);
  }
  let lock;
  try {
    lock = await context.openLock(rest.length === 0 ? Number(target) : target);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    await context.stderr.print(
      rest.length === 0
        ? `${context.name}: ${target}: ${reason(error)}\n`
        : `${context.name}: cannot open lock file ${target}: ${reason(error)}\n`,
    );
    return rest.length === 0 ? 65 : 66;
  }
  const stop = new AbortController();
  const timer = seconds === undefined || options.has("n")
    ? undefined
    : context.host.sleep(seconds * 1000, stop.signal).then(() => stop.abort());
  try {
    if (options.has("u")) {
      lock.free();
      return 0;
    }
    const wait = options.has("n") ? undefined : AbortSignal.any([context.signal, stop.signal]);
    const got = await lock.take(!options.has("s"), wait);
    context.poll();
    if (!got) return conflict;
    if (rest.length === 0) return 0;
    return await context.run(command);
  } finally {
    if (rest.length > 0) lock.free();
    lock.close();
    stop.abort();
    await timer;
  }
}
