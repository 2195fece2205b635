/** The options of `run`: one table, and their values read and checked. */
import type { OutputFormat } from "../ui/mod.ts";
import {
  type CommandSpec,
  durationOption,
  numberOption,
  parseCommand,
  type Parsed,
  UsageError,
} from "./args.ts";

export const RUN: CommandSpec = {
  usage: "run [options] [PROMPT…]",
  summary: "Does one task to its end. The answer goes to stdout, everything else to stderr.\n" +
    'A piped stdin (or "-") is appended to the prompt.',
  options: [
    {
      name: "model",
      short: "m",
      value: "PROVIDER/ID",
      help: "the model; demo/tour is scripted and needs no key",
    },
    {
      name: "thinking",
      value: "LEVEL",
      choices: ["off", "low", "medium", "high"],
      help: "reasoning effort (default: the model's own)",
    },
    { name: "cwd", short: "C", value: "DIR", help: "the workspace (default: the current folder)" },
    { name: "continue", short: "c", help: "go on with the newest session of the folder" },
    { name: "resume", short: "r", value: "ID|FILE", help: "go on with that session" },
    {
      name: "fork",
      value: "ENTRY",
      help: "a new session from that entry of the newest (or of --resume's) session",
    },
    {
      name: "attach",
      short: "a",
      value: "FILE",
      repeat: true,
      help: "hand over an image, a PDF or a text file (repeatable)",
    },
    { name: "no-session", help: "keep nothing on disk" },
    {
      name: "output",
      short: "o",
      value: "FORMAT",
      choices: ["text", "json", "stream-json"],
      help: "what stdout gets (default: text)",
    },
    { name: "output-schema", value: "FILE", help: "a JSON Schema that the final answer must satisfy" },
    { name: "max-steps", value: "N", help: "answers of the model, at most (default: 50)" },
    { name: "budget", value: "USD", help: "stop before a request when that much is spent" },
    { name: "timeout", value: "TIME", help: "stop after 90s, 5m, 2h" },
    {
      name: "sandbox",
      value: "MODE",
      choices: ["read-only", "workspace", "off"],
      help: "what tools may touch (default: workspace)",
    },
    {
      name: "approve",
      value: "WHO",
      choices: ["ask", "auto", "never", "always"],
      help:
        "who decides what the rules leave open: auto is a model, which says no where it is not sure; in a run nobody can be asked, so ask means never (default: never)",
    },
    { name: "tools", value: "NAME,…", help: "offer exactly these tools" },
    { name: "no-tools", help: "offer none" },
    {
      name: "record",
      value: "FILE",
      help: "write what the model said to FILE, to be played back by replay/FILE",
    },
    { name: "quiet", short: "q", help: "only problems on stderr" },
    { name: "verbose", short: "v", help: "live output of tools on stderr" },
  ],
  more: `Exit status: 0 done, 1 failed, 2 wrong usage or settings, 3 a needed permission was denied, 4 a limit
(steps, budget), 5 the session is in use, 124 --timeout, 130 interrupted, 143 terminated.

Examples:
  myelin run -m demo/tour
  myelin run "find out why the tests fail and mend it"
  git diff | myelin run -o json "review this change" -`,
};

export interface RunOptions {
  readonly prompt: string;
  /** stdin was asked for by name. */
  readonly dash: boolean;
  readonly model?: string;
  readonly thinking?: "off" | "low" | "medium" | "high";
  readonly cwd?: string;
  readonly continue: boolean;
  readonly resume?: string;
  readonly fork?: string;
  readonly attach: readonly string[];
  readonly noSession: boolean;
  readonly format: OutputFormat;
  readonly outputSchema?: string;
  readonly maxSteps?: number;
  readonly budgetUsd?: number;
  readonly timeoutMs?: number;
  readonly sandbox?: "read-only" | "workspace" | "off";
  readonly approve?: "ask" | "auto" | "never" | "always";
  readonly tools?: readonly string[];
  readonly record?: string;
  readonly level: "quiet" | "normal" | "verbose";
}

/** Reads a command line; undefined: the help was asked for. Throws UsageError. */
export function readRunOptions(args: readonly string[]): RunOptions | undefined {
  const parsed = parseCommand(RUN, args);
  if (parsed.has("help")) return undefined;
  const alone = ["continue", "resume", "no-session"].filter((name) => parsed.has(name));
  if (alone.length > 1) throw new UsageError(`Options --${alone.join(" and --")} exclude each other`);
  if (parsed.has("fork") && parsed.has("no-session")) {
    throw new UsageError("Options --fork and --no-session exclude each other");
  }
  if (parsed.has("tools") && parsed.has("no-tools")) {
    throw new UsageError("Options --tools and --no-tools exclude each other");
  }
  const words = parsed.positionals.filter((word) => word !== "-");
  return {
    prompt: words.join(" "),
    dash: words.length < parsed.positionals.length,
    model: parsed.get("model"),
    thinking: choice(parsed, "thinking"),
    cwd: parsed.get("cwd"),
    continue: parsed.has("continue"),
    resume: parsed.get("resume"),
    fork: parsed.get("fork"),
    attach: parsed.all("attach"),
    noSession: parsed.has("no-session"),
    format: choice(parsed, "output") ?? "text",
    outputSchema: parsed.get("output-schema"),
    maxSteps: numberOption("max-steps", parsed.get("max-steps"), 1, true),
    budgetUsd: numberOption("budget", parsed.get("budget"), 0, false),
    timeoutMs: durationOption("timeout", parsed.get("timeout")),
    sandbox: choice(parsed, "sandbox"),
    approve: choice(parsed, "approve"),
    tools: parsed.has("no-tools")
      ? []
      : parsed.get("tools")?.split(",").map((name) => name.trim()).filter((name) => name !== ""),
    record: parsed.get("record"),
    level: parsed.has("quiet") ? "quiet" : parsed.has("verbose") ? "verbose" : "normal",
  };
}

/** The value of an option with choices, which the parser has checked. */
function choice<T extends string>(parsed: Parsed, name: string): T | undefined {
  return parsed.get(name) as T | undefined;
}

/** The output format of a command line that may be wrong otherwise. */
export function formatOf(args: readonly string[]): OutputFormat {
  for (let i = 0; i < args.length; i++) {
    const match = /^(?:--output|-o)(?:=(.*))?$/.exec(args[i]);
    if (args[i] === "--") break;
    const value = match === null ? undefined : match[1] ?? args[i + 1];
    if (value === "json" || value === "stream-json") return value;
  }
  return "text";
}
