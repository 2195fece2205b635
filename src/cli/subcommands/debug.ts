/** `myelin debug`: what is sent, where a prefix broke, and the raw events of a session. */
import { homePaths, loadConfig } from "../../config/mod.ts";
import { oneLine, stripControls } from "../../lib/text/control.ts";
import { counted } from "../../lib/text/count.ts";
import { type Compared, comparePrefix, type Message } from "../../llm/mod.ts";
import {
  findSession,
  newestSession,
  project,
  Projection,
  readSession,
  type SessionView,
} from "../../session/mod.ts";
import { type Parsed, UsageError } from "../args.ts";
import { EXIT } from "../exit_codes.ts";
import { type NestedCommand, runNested } from "../nested.ts";
import { workspaceOf } from "../workspace.ts";

const SESSION = "SESSION (default: the newest of this folder)";

const commands: readonly NestedCommand[] = [
  {
    name: "prompt",
    spec: {
      usage: "debug prompt [--json] [SESSION]",
      summary: `what the next request of a session begins with, and what each part of it costs. ${SESSION}`,
      options: [{ name: "json", help: "the messages alone, as JSON" }],
    },
    run: prompt,
  },
  {
    name: "prefix",
    spec: {
      usage: "debug prefix [--json] [SESSION]",
      summary:
        `for each request of a session, whether it began as the one before it, and why not. ${SESSION}`,
      options: [{ name: "json", help: "for scripts" }],
      more:
        "Where a request begins differently, the provider's cache of what came before is lost. Exit status 1: a\n" +
        "prefix broke. What tools were offered is not kept in a session: a run itself tells when they change.",
    },
    run: prefix,
  },
  {
    name: "events",
    spec: {
      usage: "debug events [SESSION]",
      summary: `the entries of a session as they stand in its file, one JSON object a line. ${SESSION}`,
      options: [],
    },
    run: events,
  },
];

export function run(args: string[]): Promise<number> {
  return runNested("debug", "What goes on inside:", commands, args);
}

function newestHere(): string | undefined {
  return newestSession(homePaths().sessions, workspaceOf());
}

async function sessionOf(parsed: Parsed): Promise<SessionView> {
  const root = homePaths().sessions;
  const cwd = workspaceOf();
  const [wanted] = parsed.positionals;
  const file = wanted === undefined ? newestSession(root, cwd) : findSession(root, wanted, cwd);
  if (file === undefined) {
    throw new UsageError("There is no session of this folder", "List all with: myelin sessions list --all");
  }
  return await readSession(file);
}

/** What a first prompt here would begin with. */
async function firstPrompt(): Promise<readonly Message[]> {
  const cwd = workspaceOf();
  const { previewPrompt } = await import("../../engine/create.ts");
  const { commandNames } = await import("../../commands/names.ts");
  const config = await loadConfig({ cwd });
  const { text, warnings } = await previewPrompt({ config, cwd, reserved: commandNames });
  for (const warning of warnings) console.error(`! ${stripControls(warning)}`);
  console.error("There is no session of this folder: this is what a first prompt begins with");
  return [{ role: "system", text }];
}

async function prompt(parsed: Parsed): Promise<number> {
  const { messages } = parsed.positionals.length === 0 && newestHere() === undefined
    ? { messages: await firstPrompt() }
    : project((await sessionOf(parsed)).path());
  if (parsed.has("json")) {
    console.log(JSON.stringify(messages, null, 2));
    return EXIT.ok;
  }
  const { estimateTokens, messageTokens } = await import("../../context/compact/mod.ts");
  const rows: [string, number][] = [];
  let others = 0;
  for (const message of messages) {
    if (message.role !== "system") {
      others += messageTokens(message);
      continue;
    }
    for (const { name, text } of splitSections(message.text)) rows.push([name, estimateTokens(text)]);
    console.log(stripControls(message.text) + "\n");
  }
  const count = messages.filter(({ role }) => role !== "system").length;
  const conversation = `messages (${count})`;
  const width = Math.max(conversation.length, ...rows.map(([name]) => name.length));
  const line = (name: string, tokens: number) => `${name.padEnd(width)}  ~${counted(tokens, "token")}`;
  console.error([
    ...rows.map(([name, tokens]) => line(name, tokens)),
    line(conversation, others),
    line("together", rows.reduce((sum, [, tokens]) => sum + tokens, others)),
  ].join("\n"));
  return EXIT.ok;
}

/** The sections of a system text: each begins with its mark on a line of its own. */
function splitSections(text: string): { name: string; text: string }[] {
  const found: { name: string; text: string }[] = [];
  for (const match of text.matchAll(/^<([a-z][a-z0-9_-]*)>\n([\s\S]*?)\n<\/\1>$/gm)) {
    found.push({ name: match[1], text: match[2] });
  }
  return found.length > 0 ? found : [{ name: "system", text }];
}

async function events(parsed: Parsed): Promise<number> {
  for (const entry of (await sessionOf(parsed)).path()) console.log(JSON.stringify(entry));
  return EXIT.ok;
}

interface Step {
  readonly request: number;
  /** "provider/id" */
  readonly model: string;
  readonly messages: number;
  /** Absent: it began as the one before it. */
  readonly broke?: { readonly what: string; readonly at?: number; readonly why: string };
}

async function prefix(parsed: Parsed): Promise<number> {
  const steps = stepsOf(await sessionOf(parsed));
  if (parsed.has("json")) console.log(JSON.stringify(steps, null, 2));
  else {
    for (const { request, model, messages, broke } of steps) {
      const how = request === 1
        ? "the first"
        : broke === undefined
        ? "goes on"
        : `BROKE: ${oneLine(broke.why, 200)}`;
      console.log(
        `${String(request).padStart(3)}  ${model}  ${String(messages).padStart(4)} messages  ${how}`,
      );
    }
    const broken = steps.filter(({ broke }) => broke !== undefined).length;
    console.error(
      steps.length === 0
        ? "No request was answered in this session"
        : `${counted(steps.length, "request")}, ${broken} of them with another beginning`,
    );
  }
  return steps.some(({ broke }) => broke !== undefined) ? EXIT.failed : EXIT.ok;
}

/** Each answer's request, made again from what stood before it. */
function stepsOf(session: SessionView): Step[] {
  const projection = new Projection();
  const steps: Step[] = [];
  let before: Compared | undefined;
  for (const entry of session.path()) {
    if (entry.kind === "assistant" && "message" in entry) {
      const now = requestOf(entry.message.model, [...projection.messages]);
      const broke = before === undefined ? undefined : comparePrefix(before, now);
      steps.push({
        request: steps.length + 1,
        model: entry.message.model,
        messages: now.messages.length,
        ...(broke === undefined ? {} : { broke }),
      });
      before = now;
    }
    projection.add(entry);
  }
  return steps;
}

function requestOf(name: string, messages: Message[]): Compared {
  const slash = name.indexOf("/");
  const model = {
    provider: name.slice(0, slash),
    id: name.slice(slash + 1),
    reasoning: false,
    images: false,
    options: {},
  };
  return { model, messages, tools: [] };
}
