/**
 * The chat as lines only: nothing is ever drawn again or moved, so that
 * screen readers and dumb terminals can follow. Input comes as whole lines;
 * what must be decided is asked as a line and answered by one.
 */
import { commands, parseCommand } from "../../commands/mod.ts";
import type { EngineEvent } from "../../engine/event.ts";
import type { Op, PromptPart } from "../../engine/op.ts";
import { describe } from "../../lib/errors.ts";
import { counted } from "../../lib/text/count.ts";
import { oneLine, stripControls } from "../../lib/text/control.ts";
import type { Chat, ChatPorts, ChatWish } from "../interface.ts";
import { callTitle, outcome, viewLines } from "../shared/tool_view.ts";
import { styleFor } from "../shared/style.ts";
import { partsShown } from "../shared/transcript.ts";
import { unknownCommand } from "../shared/unknown_command.ts";

const PLAIN = styleFor({ color: false });

interface PlainStart {
  readonly wish: ChatWish;
  readonly prompt?: string;
  readonly draft?: string;
  readonly attach: readonly PromptPart[];
  readonly guide?: string;
  goOn(sessionId: string): string;
}

/** Lines that come closer to each other than anybody types are one text that was pasted. */
const BREATH_MS = 30;
/** A line that comes sooner after a question than it can be read was not meant for it. */
const READ_MS = 500;

type Asked = Extract<EngineEvent, { type: "permission_request" | "question" }>;

/** Runs to the end of the input or /quit; resolves to the exit status. */
export async function runPlainChat(ports: ChatPorts, start: PlainStart): Promise<number> {
  let chat: Chat = await ports.open(start.wish);
  let running = false;
  let lineOpen = false;
  let quit = false;
  /** What Enter in an empty line sends, as long as nothing else was said. */
  let { draft } = start;
  let said = false;
  let pending = [...start.attach];
  const asked: Asked[] = [];
  let askedAt = 0;
  const out = (text: string) => {
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
  };
  const line = (text: string) => {
    if (lineOpen) out("\n");
    lineOpen = false;
    out(stripControls(text) + "\n");
  };
  const send = async (op: Op) => {
    try {
      await chat.engine.submit(op);
    } catch (error) {
      line(`Error: ${describe(error)}`);
    }
  };
  const askNext = () => {
    const [event] = asked;
    if (event === undefined) return;
    askedAt = performance.now();
    if (event.type === "permission_request") {
      line(`Allow this? ${event.request}`);
      line(`Asked because ${event.reason}.`);
      line(
        `Answer: yes, session, ${event.rule === null ? "" : `always (${event.rule}), `}no, or no and a word.`,
      );
    } else {
      line(`Question: ${event.text}`);
      event.options.forEach((option, i) => line(`${i + 1}. ${option}`));
      line(event.options.length === 0 ? "Answer in a line." : "Answer with a number or in your own words.");
    }
  };
  const watch = (event: EngineEvent) => {
    switch (event.type) {
      case "run_start":
        running = true;
        break;
      case "text_delta": {
        const text = stripControls(event.text);
        out(text);
        lineOpen = text === "" ? lineOpen : !text.endsWith("\n");
        break;
      }
      case "tool_start":
        line(`Tool ${event.name}: ${callTitle(event.args, 200)}`);
        break;
      case "tool_end": {
        const word = event.result.isError
          ? outcome(event.result).replace(/^failed$/, "")
          : outcome(event.result);
        line(
          `Tool ${event.name} ${event.result.isError ? "failed" : "done"}${word === "" ? "" : `, ${word}`}`,
        );
        for (const one of viewLines(event.result.view, PLAIN, 40)) line(`  ${one}`);
        break;
      }
      case "permission_request":
      case "question":
        asked.push(event);
        if (asked.length === 1) askNext();
        break;
      case "retry":
        line(
          `${event.cause.message}. Trying again in ${
            counted(Math.max(1, Math.round(event.delayMs / 1000)), "second")
          }.`,
        );
        break;
      case "notice":
        line(`${event.level === "warning" ? "Warning: " : ""}${event.text}`);
        break;
      case "run_end":
        running = false;
        asked.length = 0;
        if (event.result.reason === "cancelled") line("Interrupted. What was done is kept.");
        else {
          if (event.result.error !== null) line(`Error: ${event.result.error}`);
          if (event.result.hint !== null) line(event.result.hint);
        }
        line("Ready.");
        break;
    }
  };
  let unsubscribe = chat.engine.subscribe(watch);
  const tellNotices = () => {
    for (const text of chat.notices ?? []) line(`Warning: ${text}`);
  };
  const reopen = async (wish: ChatWish) => {
    unsubscribe();
    await chat.close();
    chat = await ports.open(wish);
    unsubscribe = chat.engine.subscribe(watch);
    line(`Session ${chat.title || "without a title"}, ${counted(chat.past.length, "item")}.`);
    tellNotices();
  };

  async function answer(event: Asked, text: string): Promise<void> {
    if (event.type === "question") {
      const option = event.options[Number(text) - 1];
      await send({
        type: "answer",
        questionId: event.questionId,
        ...(option === undefined ? { text } : { chosen: [option] }),
      });
    } else {
      const [word, ...rest] = text.split(/\s+/);
      const yes = {
        y: "once",
        yes: "once",
        s: "session",
        session: "session",
        a: "project",
        always: "project",
      }[
        word.toLowerCase()
      ] as "once" | "session" | "project" | undefined;
      if (yes === undefined && !/^no?$/i.test(word)) return line("Please answer yes, session, always or no.");
      await send({
        type: "approve",
        permitId: event.permitId,
        allow: yes !== undefined,
        ...(yes === undefined ? rest.length === 0 ? {} : { reason: rest.join(" ") } : { scope: yes }),
      });
    }
    asked.splice(asked.indexOf(event), 1);
    askNext();
  }

  async function take(text: string): Promise<void> {
    const [open] = asked;
    if (open !== undefined) {
      if (performance.now() - askedAt < READ_MS) {
        return line("That came before the question could be read, and answers nothing. Please answer now.");
      }
      return await answer(open, text.trim());
    }
    if (text.trim() === "") {
      if (draft !== undefined) text = draft;
      else if (!running && chat.engine.unfinished) {
        return void send({ type: "prompt", requestId: crypto.randomUUID(), parts: [] });
      } else return;
    }
    draft = undefined;
    said ||= !text.startsWith("/");
    void ports.history.add(text).catch(() => {});
    const parsed = parseCommand(text, commands);
    if (parsed?.type === "wrong") return line(parsed.problem);
    if (parsed !== undefined) {
      if (parsed.command.during === "idle" && running) return line("Not while a run works: Ctrl-C ends it.");
      return await parsed.command.run(parsed.args, {
        submit: (op) => chat.engine.submit(op),
        snapshot: () => chat.engine.snapshot(),
        tree: () => chat.engine.tree(),
        say: line,
        host: {
          open: (choice) => reopen({ choice }),
          sessions: async () =>
            (await ports.sessions.list()).slice(0, 20).map((row) => `${row.shortId} ${row.title}`).join("\n"),
          servers: async () =>
            (await ports.servers()).map((row) => `${row.name}: ${row.text}`).join("\n") || "None are set up",
          quit: () => void (quit = true),
        },
        commands,
      });
    }
    const { customCommands, skills } = text.startsWith("/")
      ? await chat.engine.snapshot()
      : { customCommands: [], skills: [] };
    const unknown = unknownCommand(text, [...commands, ...customCommands, ...skills].map(({ name }) => name));
    if (unknown !== undefined) return line(unknown);
    const parts: PromptPart[] = [...pending, { type: "text", text }];
    pending = [];
    // Not waited for: answers and further words come by further lines.
    void send({ type: running ? "steer" : "prompt", requestId: crypto.randomUUID(), parts });
  }

  const farewell = () => {
    const kept = (said || chat.past.length > 0) && start.wish.choice.kind !== "none";
    if (kept && chat.sessionId !== "") line(`To go on: ${start.goOn(chat.sessionId)}`);
  };
  const interrupt = () => {
    if (running) void send({ type: "interrupt", by: "user" });
    else {
      unsubscribe();
      void chat.close().catch(() => {}).finally(() => {
        farewell();
        Deno.exit(130);
      });
    }
  };
  Deno.addSignalListener("SIGINT", interrupt);
  line(
    `myelin ${ports.version}, ${
      oneLine(chat.model, 80)
    }. Type a line and Enter. /help says more, /quit ends.`,
  );
  tellNotices();
  // A fork from something that was said: that, to be said again as it was, or otherwise.
  draft ??= partsShown(chat.editable ?? []).text || undefined;
  if (start.guide !== undefined) line(start.guide);
  if (draft !== undefined) line(`Enter alone sends: ${draft}`);
  if (chat.engine.unfinished && chat.past.length > 0) {
    const forked = start.wish.fork !== undefined;
    line(
      forked ? "Enter alone goes on from here." : "The last run was cut off. Enter alone goes on with it.",
    );
  }
  if (start.prompt !== undefined) await take(start.prompt);
  try {
    for await (const text of lines()) {
      await take(text).catch((error) => line(`Error: ${describe(error)}`));
      if (quit) break;
    }
    return 0;
  } finally {
    Deno.removeSignalListener("SIGINT", interrupt);
    if (running) await send({ type: "interrupt", by: "shutdown" });
    unsubscribe();
    await chat.close();
    farewell();
  }
}

/** Lines as they are typed; what is pasted is one text, whatever lines it has. */
async function* lines(): AsyncGenerator<string> {
  let waiting: string[] = [];
  let rest = "";
  let ended = false;
  let wake = () => {};
  void (async () => {
    for await (const piece of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
      const all = (rest + piece).split(/\r?\n/);
      rest = all.pop()!;
      waiting.push(...all);
      wake();
    }
  })().catch(() => {/* the terminal is gone, which is an end as well */}).finally(() => {
    if (rest !== "") waiting.push(rest);
    ended = true;
    wake();
  });
  for (;;) {
    for (let seen = 0; !ended && (waiting.length === 0 || waiting.length > seen);) {
      seen = waiting.length;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (seen > 0) setTimeout(resolve, BREATH_MS);
      });
    }
    if (waiting.length > 0) yield waiting.join("\n");
    else if (ended) return;
    waiting = [];
  }
}
