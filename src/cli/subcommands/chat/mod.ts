/** `myelin` in a terminal: the chat. Without a terminal it says how to use `run`. */
import { loadConfig, namedModel, resolveModel, startNotices } from "../../../config/mod.ts";
import type { PromptPart } from "../../../engine/op.ts";
import { AppError } from "../../../lib/errors.ts";
import { stripControls } from "../../../lib/text/control.ts";
import { startChat } from "../../../ui/mod.ts";
import { type CommandSpec, helpText, parseCommand, UsageError } from "../../args.ts";
import { workspaceOf } from "../../workspace.ts";
import { EXIT } from "../../exit_codes.ts";
import { RUN } from "../../run_options.ts";
import type { ChatOptions } from "./options.ts";
import { createPorts } from "./ports.ts";

/** Options of `run` that make sense in a conversation. */
const SHARED = [
  "model",
  "thinking",
  "cwd",
  "continue",
  "resume",
  "fork",
  "attach",
  "no-session",
  "max-steps",
  "budget",
  "sandbox",
  "approve",
  "tools",
  "no-tools",
];

const CHAT: CommandSpec = {
  usage: "[options]",
  ownWords: true,
  summary: "The chat in the terminal.",
  options: [
    ...RUN.options.filter(({ name }) => SHARED.includes(name)).map((option) =>
      option.name === "approve"
        ? { ...option, help: "who decides what the rules leave open (default: ask)" }
        : option
    ),
    { name: "prompt", short: "p", value: "TEXT", help: "say that first" },
    { name: "plain", help: "lines only, nothing is drawn twice: for screen readers" },
  ],
};

/** Resolves to the exit status. */
export async function run(args: readonly string[]): Promise<number> {
  const parsed = parseCommand(CHAT, args);
  if (parsed.has("help")) {
    console.log(helpText(CHAT).trimEnd());
    return EXIT.ok;
  }
  const alone = ["continue", "resume", "no-session"].filter((name) => parsed.has(name));
  if (alone.length > 1) throw new UsageError(`Options --${alone.join(" and --")} exclude each other`);
  if (parsed.positionals.length > 0) {
    throw new UsageError(
      `The chat takes no words on the command line, but there is "${parsed.positionals[0]}"`,
      'Say it first: myelin --prompt "…". For one task without a chat: myelin run "…"',
    );
  }
  if (!Deno.stdin.isTerminal() || !Deno.stdout.isTerminal()) {
    console.error('The chat needs a terminal. For one task without one: myelin run "…"');
    console.error("All commands: myelin --help");
    return EXIT.usage;
  }
  const goesOn = parsed.has("continue") || parsed.has("resume") || parsed.has("fork");
  const number = (name: string) => {
    const value = parsed.get(name);
    if (value === undefined) return undefined;
    const n = Number(value);
    if (!(n > 0)) throw new UsageError(`--${name} wants a number above 0, not "${value}"`);
    return n;
  };
  const plain = parsed.has("plain") || Deno.env.get("TERM") === "dumb";
  const model = parsed.get("model");
  const tour = model === "demo/tour" && parsed.get("cwd") === undefined
    ? await import("../../demo.ts")
    : undefined;
  const demo = goesOn ? undefined : await tour?.prepareDemo();
  const options: ChatOptions = {
    cwd: workspaceOf(demo?.cwd ?? parsed.get("cwd") ?? await tour?.lastDemo()),
    model,
    thinking: parsed.get("thinking"),
    sandbox: parsed.get("sandbox"),
    approve: parsed.get("approve"),
    maxSteps: number("max-steps"),
    budgetUsd: number("budget"),
    tools: parsed.has("no-tools") ? [] : parsed.get("tools")?.split(",").map((name) => name.trim()),
  };
  const config = await loadConfig({
    cwd: options.cwd,
    overrides: { model: options.model, "sandbox.mode": options.sandbox, "limits.maxSteps": options.maxSteps },
  });
  // What is wrong with the model is told before the terminal is taken.
  try {
    resolveModel(config, await namedModel(config, options.model));
  } catch (error) {
    // A name that is misspelt in the settings may be why there is no model.
    for (const notice of startNotices(config)) console.error(`! ${stripControls(notice)}`);
    const unset = error instanceof AppError && error.code === "no_model" &&
      (options.model ?? config.settings.model) === undefined;
    if (!unset) throw error;
    const chosen = await (await import("./welcome.ts")).chooseModel(config.home.root, plain);
    if (typeof chosen === "number") return chosen;
    return await run(chosen === undefined ? args : [...args, "--model", chosen]);
  }
  const attach: PromptPart[] = [];
  if (parsed.all("attach").length > 0) {
    attach.push(...await (await import("../../attach.ts")).readAttachments(parsed.all("attach")));
  }
  const resume = parsed.get("resume");
  return await startChat(createPorts(options, config), {
    wish: {
      choice: parsed.has("no-session")
        ? { kind: "none" }
        : resume !== undefined
        ? { kind: "named", wanted: resume }
        : { kind: parsed.has("continue") ? "newest" : "new" },
      ...(options.model === undefined ? {} : { model: options.model }),
      ...(options.thinking === undefined ? {} : { thinking: options.thinking }),
      ...(parsed.has("fork") ? { fork: parsed.get("fork")! } : {}),
    },
    ...(demo === undefined ? {} : {
      draft: demo.prompt,
      guide: `The tour: a scripted model mends a small project in ${demo.cwd}. Press Enter and watch.`,
    }),
    goOn: (id) =>
      ["myelin", ...(tour === undefined ? [] : ["--model demo/tour"]), ...cwdWords(parsed.get("cwd"))].join(
        " ",
      ) +
      ` --resume ${id}`,
    ...(parsed.has("prompt") ? { prompt: parsed.get("prompt")! } : {}),
    attach,
    plain,
  });
}

/** The option as a shell takes it. */
function cwdWords(dir: string | undefined): string[] {
  if (dir === undefined) return [];
  return [`--cwd ${/^[\w@%+=:,./-]+$/.test(dir) ? dir : `'${dir.replaceAll("'", `'\\''`)}'`}`];
}
