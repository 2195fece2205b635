/**
 * What becomes of a draft that is submitted: a command, a line for the
 * user's own shell, or a prompt with everything that goes with it. What
 * cannot be sent comes back; nothing that was typed is lost.
 */
import { type Command, hintOf, parseCommand } from "../../commands/mod.ts";
import type { Op, PromptPart } from "../../engine/op.ts";
import type { Named } from "../../engine/snapshot.ts";
import { describe } from "../../lib/errors.ts";
import type { Chat, ChatPorts, ChatWish } from "../interface.ts";
import type { Transcript } from "../shared/transcript.ts";
import { unknownCommand } from "../shared/unknown_command.ts";
import { mentions, type Offered } from "./completion.ts";

export interface SubmitWays {
  readonly ports: ChatPorts;
  readonly transcript: Transcript;
  readonly commands: readonly Command[];
  /** Skills and commands of the user's own. */
  named(): readonly Named[];
  /** The conversation, when it is open; undefined: it could not be opened. */
  chat(): Promise<Chat | undefined>;
  running(): boolean;
  /** False: it failed, and that was told. */
  send(op: Op): Promise<boolean>;
  fail(error: unknown): void;
  changed(): void;
  /** Puts a text back into the editor. */
  giveBack(text: string): void;
  remember(text: string): void;
  open(wish: ChatWish): Promise<void>;
  /** A command has run: what is shown of the session may be old. */
  refresh(): void;
  quit(): void;
  /** The key that ends a run, for hints. */
  readonly interruptKey: string;
}

export interface Submitter {
  submit(text: string, way: "steer" | "follow_up"): Promise<void>;
  /** Goes with the next prompt. */
  add(part: PromptPart): void;
  /** How many images and documents wait for the next prompt. */
  readonly attached: number;
  /** Ends the user's own command, if one is running. */
  stopShell(): boolean;
}

/** Output of the user's own command that the model is told. */
const TOLD = 32 * 1024;

export function createSubmitter(ways: SubmitWays, attach: readonly PromptPart[]): Submitter {
  const { ports, transcript } = ways;
  let pending: PromptPart[] = [...attach];
  let shellAbort: AbortController | undefined;

  async function submit(text: string, way: "steer" | "follow_up"): Promise<void> {
    const chat = await ways.chat();
    if (chat === undefined) return ways.giveBack(text);
    if (text.trim() === "" && pending.length === 0) {
      if (!ways.running() && chat.engine.unfinished) {
        void ways.send({ type: "prompt", requestId: crypto.randomUUID(), parts: [] });
      }
      return;
    }
    ways.remember(text);
    if (text.startsWith("!")) return await shell(text);
    const parsed = parseCommand(text, ways.commands);
    if (parsed?.type === "wrong") {
      transcript.say("warning", parsed.problem);
      return ways.giveBack(text);
    }
    if (parsed !== undefined) return await command(chat, parsed.command, parsed.args, text);
    const unknown = unknownCommand(text, [...ways.commands, ...ways.named()].map(({ name }) => name));
    if (unknown !== undefined) {
      transcript.say("warning", unknown);
      return ways.giveBack(text);
    }
    await prompt(text, way);
  }

  async function prompt(text: string, way: "steer" | "follow_up"): Promise<void> {
    const given = pending;
    let parts: PromptPart[];
    try {
      const named = mentions(text).filter((path) => /\.(png|jpe?g|gif|webp|pdf)$/i.test(path));
      parts = [
        ...given.filter((part) => part.type === "paste"),
        { type: "text", text },
        ...given.filter((part) => part.type !== "paste"),
        ...(named.length === 0 ? [] : await ports.attach(named)),
      ];
    } catch (error) {
      ways.fail(error);
      return ways.giveBack(text);
    }
    pending = [];
    const requestId = crypto.randomUUID();
    const running = ways.running();
    if (!running) transcript.submitted(text, attachments(parts));
    ways.changed();
    if (await ways.send({ type: running ? way : "prompt", requestId, parts })) return;
    pending = [...given, ...pending];
    ways.giveBack(text);
  }

  /** `!command` is put before the next prompt, `!!command` is only shown. */
  async function shell(text: string): Promise<void> {
    const told = !text.startsWith("!!");
    const line = text.slice(told ? 1 : 2).trim();
    if (line === "") return;
    const item = transcript.shell(line, told);
    const abort = shellAbort = new AbortController();
    let output = "";
    let status = 1;
    ways.changed();
    try {
      status = await ports.shell(line, (piece) => {
        output = (output + piece).slice(-TOLD);
        item.output(piece);
        ways.changed();
      }, abort.signal);
    } catch (error) {
      item.output(describe(error));
    }
    item.end(status);
    if (shellAbort === abort) shellAbort = undefined;
    if (told) {
      pending.push({
        type: "paste",
        text: `<user_command status="${status}">\n$ ${line}\n${output.trimEnd()}\n</user_command>\n`,
      });
    }
    ways.changed();
  }

  async function command(
    chat: Chat,
    one: Command,
    args: Readonly<Record<string, string>>,
    text: string,
  ): Promise<void> {
    if (one.during === "idle" && ways.running()) {
      transcript.say("warning", `/${one.name} is for when no run works: ${ways.interruptKey} ends it`);
      return ways.giveBack(text);
    }
    const lines = (rows: readonly string[], none: string) => rows.join("\n") || none;
    try {
      await one.run(args, {
        submit: (op) => chat.engine.submit(op),
        snapshot: () => chat.engine.snapshot(),
        tree: () => chat.engine.tree(),
        say(words) {
          transcript.say("info", words);
          ways.changed();
        },
        host: {
          open: (choice) => ways.open({ choice }),
          fork: (entry) => ways.open({ choice: { kind: "named", wanted: chat.sessionId }, fork: entry }),
          sessions: async () =>
            lines(
              (await ports.sessions.list()).slice(0, 20).map((row) => `${row.shortId}  ${row.title}`),
              "None yet",
            ),
          export: (path) => ports.sessions.export(chat.sessionId, path),
          servers: async () =>
            lines((await ports.servers()).map((row) => `${row.name}  ${row.text}`), "None are set up"),
          quit: ways.quit,
        },
        commands: ways.commands,
      });
    } catch (error) {
      ways.fail(error);
    }
    ways.refresh();
  }

  return {
    submit,
    add(part) {
      pending.push(part);
      ways.changed();
    },
    get attached() {
      return attachments(pending);
    },
    stopShell() {
      if (shellAbort === undefined) return false;
      shellAbort.abort();
      return true;
    },
  };
}

/** What the editor offers after a slash: commands, and what the user has by name. */
export function offeredCommands(commands: readonly Command[], named: readonly Named[]): Offered[] {
  return [
    ...commands.map((one) => ({
      name: one.name,
      summary: one.summary,
      hint: hintOf(one),
      values: one.args[0]?.oneOf ?? [],
    })),
    ...named.map((one) => ({
      name: one.name,
      summary: one.about,
      hint: one.argumentHint ?? "",
      values: [],
    })),
  ];
}

function attachments(parts: readonly PromptPart[]): number {
  return parts.filter((part) => part.type === "image" || part.type === "document").length;
}
