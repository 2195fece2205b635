/** timeout: runs a command for at most so long. */
import type { UtilityContext } from "../builtin.ts";
import { parseDuration } from "./shared/duration.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { cite, complain, localized, quote } from "./shared/report.ts";

const TABLE = {
  options: ["f|foreground", "k|kill-after=", "p|preserve-status", "s|signal=", "v|verbose"],
  stopAtOperand: true,
  usageStatus: 125,
  usage: "[OPTION] DURATION COMMAND [ARG]...",
};

const SIGNALS: Readonly<Record<string, number>> = {
  HUP: 1,
  INT: 2,
  QUIT: 3,
  ABRT: 6,
  KILL: 9,
  USR1: 10,
  USR2: 12,
  PIPE: 13,
  ALRM: 14,
  TERM: 15,
  CONT: 18,
  STOP: 19,
};
/** Timers hold at most this long. */
const LONGEST = 2_000_000_000;

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const [text, ...argv] = options.operands;
  if (text === undefined || argv.length === 0) throw new UsageError("", 125);
  const duration = parseDuration(text);
  if (duration === undefined) throw new UsageError(`invalid time interval ${cite(text)}`, 125);
  const killText = options.value("k");
  const killAfter = killText === undefined ? undefined : parseDuration(killText);
  if (killText !== undefined && killAfter === undefined) {
    throw new UsageError(`invalid time interval ${cite(killText)}`, 125);
  }
  const signal = signalName(options.value("s") ?? "TERM");
  if (signal === undefined) throw new UsageError(`${cite(options.value("s")!)}: invalid signal`, 125);

  const first = new AbortController();
  const kill = new AbortController();
  const stop = new AbortController();
  let fired: string | undefined;
  const limited = duration !== 0 && Number.isFinite(duration);
  const at = context.host.now() + Math.min(LONGEST, duration * 1000);
  const passed = () => {
    if (fired !== undefined || stop.signal.aborted) return;
    fired = signal;
    first.abort(signal);
  };
  const timer = async () => {
    if (!limited) return;
    await context.host.sleep(Math.min(LONGEST, duration * 1000), stop.signal);
    if (stop.signal.aborted && fired === undefined) return;
    if (options.has("v")) {
      await complain(context, `sending signal ${signal.slice(3)} to command ${quote(argv[0])}`);
    }
    passed();
    if (stop.signal.aborted) return;
    if (killAfter === undefined || killAfter === 0) return;
    await context.host.sleep(Math.min(LONGEST, killAfter * 1000), stop.signal);
    if (stop.signal.aborted) return;
    fired = "SIGKILL";
    if (options.has("v")) await complain(context, `sending signal KILL to command ${quote(argv[0])}`);
    kill.abort("SIGKILL");
  };
  const waiting = timer();
  try {
    const status = await context.run(argv, {
      signal: first.signal,
      kill: kill.signal,
      ...(limited ? { deadline: { at, passed } } : {}),
      missing: (why) => localized(context, `${context.name}: failed to run command ${cite(argv[0])}: ${why}`),
    });
    if (fired === undefined) return status;
    if (fired === "SIGKILL") return 137;
    return options.has("p") ? status : 124;
  } finally {
    stop.abort();
    await waiting;
  }
}

function signalName(text: string): string | undefined {
  const upper = text.toUpperCase().replace(/^SIG/, "");
  if (Object.hasOwn(SIGNALS, upper)) return "SIG" + upper;
  const found = Object.entries(SIGNALS).find(([, number]) => String(number) === text);
  return found && "SIG" + found[0];
}
