/**
 * The chat: holds the conversation, the editor and what stands in its place,
 * sends keys to whoever has the focus, and turns what the user does into ops.
 * It sees ops and events; everything else of the world comes by its ports.
 * Each pane and panel has its own file, what is typed after a slash belongs
 * to the commands.
 */
import { Editor, setKeybindings } from "@earendil-works/pi-tui";
import { type Command, commands } from "../../commands/mod.ts";
import type { EngineEvent } from "../../engine/event.ts";
import type { Op, PromptPart } from "../../engine/op.ts";
import type { Named } from "../../engine/snapshot.ts";
import { AppError, describe } from "../../lib/errors.ts";
import { oneLine } from "../../lib/text/control.ts";
import type { Chat, ChatPorts, ChatWish } from "../interface.ts";
import { createTranscript, partsShown } from "../shared/transcript.ts";
import { createCompletion, createFileIndex } from "./completion.ts";
import { createConversation } from "./conversation.ts";
import { canHighlight, loadHighlighter } from "./highlight.ts";
import type { ViewOptions } from "./item_view.ts";
import { createKeymap } from "./keymap.ts";
import { createKeys } from "./keys.ts";
import { createLending } from "./lending.ts";
import { createOverlays, type Overlays } from "./overlays/mod.ts";
import { createActivity } from "./panes/activity.ts";
import { createAsking } from "./panes/asking.ts";
import { chrome } from "./panes/chrome.ts";
import { createSubmitter, offeredCommands } from "./submit.ts";
import { APPROVALS, folderShown, STATUS_PARTS } from "./panes/status.ts";
import { Screen } from "./screen.ts";
import type { ChatTerminal } from "./terminal.ts";
import { createTimers } from "./timers.ts";
import { editorTheme, lightByEnvironment, themeNamed } from "./theme.ts";

export interface AppOptions {
  readonly wish: ChatWish;
  /** Stands in the editor at the beginning. */
  readonly draft?: string;
  /** Is sent at once. */
  readonly prompt?: string;
  readonly attach: readonly PromptPart[];
  /** Said at the beginning. */
  readonly guide?: string;
}

export interface App {
  /** Resolves with the exit status when the user leaves. */
  readonly ended: Promise<number>;
  /** Draws, and opens the conversation. */
  start(): void;
  /** Leaves for a signal; resolves when all is closed. */
  leave(status: number): Promise<void>;
  /** Ctrl-C from outside. */
  interrupt(): void;
  suspend(): void;
  /** Gives the terminal back at once, after a failure that nobody expected. */
  release(): void;
  /** Draws at once what is due. */
  draw(): void;
  /** What a message after a crash names. */
  readonly sessionId: string | undefined;
  readonly draft: string;
}

/** Between two presses of Ctrl-C that quit. */
const TWICE_MS = 2000;
/** A run that took longer than this rings when it ends. */
const LONG_MS = 20_000;

/** `now`: a clock in milliseconds. */
export function createApp(
  terminal: ChatTerminal,
  ports: ChatPorts,
  options: AppOptions,
  now: () => number = () => performance.now(),
): App {
  const transcript = createTranscript();
  let conversation = createConversation(transcript);
  const keymap = createKeymap(ports.look.keys);
  setKeybindings(keymap.manager);
  const color = !ports.environment.NO_COLOR;
  let themeName = ports.look.theme;
  let light = lightByEnvironment(ports.environment.COLORFGBG);
  let theme = themeNamed(themeName, { color, light });

  let chat: Chat | undefined;
  let opening: Promise<Chat> | undefined;
  /** The session whose conversation stands on the screen, also while none is open. */
  let shown: string | undefined;
  let unsubscribe = () => {};
  let title = "";
  let titleShown = "";
  let model = options.wish.model ?? "";
  let thinkingLevel: string | undefined = options.wish.thinking;
  /** What /model and /thinking have chosen: it holds in whatever is opened later, too. */
  let chosen: Pick<ChatWish, "model" | "thinking"> = {};
  let approve = options.wish.approve ?? ports.approve;
  let branch: string | undefined;
  let showThinking = false;
  let named: readonly Named[] = [];
  let history: readonly string[] = [];
  /** What waits for the end of the run. */
  let queue: (EngineEvent & { type: "queue" })["items"] = [];
  let hint = "";
  let hintTimer: ReturnType<typeof setTimeout> | undefined;
  let lastClear = -Infinity;
  let runStarted = 0;
  let leaving: Promise<void> | undefined;
  let resolveEnded: (status: number) => void;
  let rejectEnded: (error: unknown) => void;
  const ended = new Promise<number>((resolve, reject) => {
    resolveEnded = resolve;
    rejectEnded = reject;
  });

  const changed = () => screen.requestRender();
  const { later, ...timers } = createTimers();
  const activity = createActivity(changed, now);
  const view = (width: number): ViewOptions => ({
    width,
    theme,
    detail: false,
    thinking: showThinking,
    spin: activity.spin,
  });

  const screen: Screen = new Screen(terminal, {
    frame(width, height) {
      const chrome = chromeLines(width, height);
      const { commit, live } = conversation.frame(view(width), height - chrome.length - 1);
      const gap = live.length > 0 || transcript.items.length > 0 ? [""] : [];
      return { commit, live: [...live, ...gap, ...chrome] };
    },
    recent: (width, rows) => conversation.recent(view(width), rows),
  }, ports.look.screen === "alternate");

  const editor = new Editor(screen, editorTheme(theme), { paddingX: 0, autocompleteMaxVisible: 6 });
  const files = createFileIndex(() => ports.files());
  editor.setAutocompleteProvider(createCompletion(() => offeredCommands(allCommands, named), files));
  editor.onSubmit = (text) => void submitter.submit(text, "steer");

  /** Everything below the conversation. */
  const chromeLines = (width: number, height: number) =>
    chrome(
      {
        queue: queue.map(({ parts, steer }) => `${steer ? "next" : "then"}: ${partsShown(parts).text}`),
        activity,
        opening: opening !== undefined,
        panel: asking.first,
        editor,
        interruptKey: keymap.keyOf("chat.interrupt"),
        attached: submitter.attached,
        hint,
        facts: {
          folder: folderShown(ports.cwd, ports.home),
          branch,
          model,
          thinking: thinkingLevel,
          tokens: activity.contextTokens,
          window: chat?.contextWindow,
          costUsd: activity.costUsd,
          sandbox: ports.sandbox,
          approve,
          title,
        },
        status: ports.look.status.length > 0 ? ports.look.status : STATUS_PARTS,
        theme,
      },
      width,
      height,
    );

  function say(text: string): void {
    hint = text;
    clearTimeout(hintTimer);
    hintTimer = later(TWICE_MS, () => {
      hint = "";
      changed();
    });
    changed();
  }

  const fail = (error: unknown) => {
    const remedy = error instanceof AppError ? error.hint : undefined;
    const text = describe(error);
    // The run's end may have told it already.
    const told = transcript.items.slice(-2).some((item) => item.kind === "error" && item.text === text);
    if (!told) transcript.say("error", text, remedy);
    changed();
  };

  async function open(wish: ChatWish): Promise<void> {
    const before = chat;
    shown = before?.sessionId ?? shown;
    chat = undefined;
    unsubscribe();
    const opened = (async () => {
      // The one that is open holds its lock; a session is never open twice.
      await before?.close();
      return await ports.open(wish);
    })();
    opening = opened;
    changed();
    try {
      const next = await opened;
      chat = next;
      model = next.model;
      title = next.title;
      queue = [];
      // The same one again, in another way: what stands there stands there.
      const same = shown === next.sessionId && wish.fork === undefined;
      if (!same) activity.reset();
      if (shown !== undefined && !same) {
        transcript.clear();
        conversation = createConversation(transcript);
        transcript.say(
          "info",
          next.past.length === 0 ? "A new session" : `Session: ${next.title || next.sessionId}`,
        );
      }
      if (!same) transcript.replay(next.past);
      const passed = same ? 0 : conversation.skip();
      if (passed > 0) {
        say(`${passed} earlier items: ${keymap.keyOf("chat.transcript")} shows them`);
      }
      for (const text of next.notices ?? []) transcript.say("warning", text);
      draftOf(next.editable ?? []);
      unsubscribe = next.engine.subscribe(watch);
      showTitle();
      void refresh();
      if (next.engine.unfinished && next.past.length > 0) {
        const what = wish.fork === undefined
          ? "The last run was cut off. Enter in the empty draft goes on with it."
          : "Enter in the empty draft goes on from here; or say something else.";
        transcript.say("info", what);
      }
    } finally {
      if (opening === opened) opening = undefined;
      changed();
    }
  }

  /** Another conversation on the user's wish: where it fails, the old one is opened again. */
  async function reopen(wish: ChatWish): Promise<void> {
    const before = chat?.sessionId;
    if (activity.running) return say("Not while a run works: Esc ends it");
    try {
      await open({ ...chosen, ...wish });
    } catch (error) {
      fail(error);
      if (before === undefined) return;
      // One in which nothing was said yet has no name: a new one is the same.
      const choice: ChatWish["choice"] = before === "" ? { kind: "new" } : { kind: "named", wanted: before };
      await open({ ...chosen, choice }).catch((again) => fail(again));
    }
  }

  async function refresh(): Promise<void> {
    const current = chat;
    if (current === undefined) return;
    try {
      const shot = await current.engine.snapshot();
      if (chat !== current) return;
      named = [...shot.customCommands, ...shot.skills];
      thinkingLevel = shot.thinking ?? undefined;
      queue = shot.queue;
      model = shot.model;
      approve = shot.permissions.approve;
      if (current.past.length > 0) activity.holds(shot.context.tokens);
      changed();
    } catch {
      // It is about to be closed.
    }
  }

  /** What was said at the place that one went to, to be said in another way; never over what is being typed. */
  function draftOf(said: readonly PromptPart[]): void {
    const { text } = partsShown(said);
    if (text !== "" && editor.getText() === "") editor.setText(text);
  }

  function watch(event: EngineEvent): void {
    transcript.apply(event);
    activity.watch(event);
    asking.watch(event);
    switch (event.type) {
      case "run_start":
        runStarted = now();
        model = event.model;
        break;
      case "queue":
        queue = event.items;
        break;
      case "model_changed":
        model = event.model;
        thinkingLevel = event.thinking ?? undefined;
        chosen = {
          model: event.model,
          ...(event.thinking === null ? {} : { thinking: event.thinking }),
        };
        break;
      case "titled":
        title = event.title;
        break;
      case "navigated":
        draftOf(event.editable ?? []);
        break;
      case "run_end":
        // Whoever ends a run does not want the next one to begin by itself some time later.
        if (event.result.reason === "cancelled" && leaving === undefined) takeBack(queue);
        if (now() - runStarted > LONG_MS) notify("is done");
        void ports.branch().then((name) => branch = name, () => {});
        break;
    }
    showTitle();
    changed();
  }

  /** The window's title says from afar whether it works or waits for an answer. */
  function showTitle(): void {
    const mark = asking.first !== undefined ? "? " : activity.running ? "… " : "";
    const text = `${mark}myelin: ${oneLine(title || folderShown(ports.cwd, ports.home), 60)}`;
    if (text !== titleShown) terminal.setTitle(titleShown = text);
  }

  const asking = createAsking({
    now,
    theme: () => theme,
    spill: (data) => editor.handleInput(data),
    changed,
    rows: () => terminal.rows,
    focus: focusNow,
    later,
    notify,
    submit: (op) => void send(op),
  });

  function focusNow(): void {
    screen.setFocus(screen.panel ?? asking.first ?? editor);
  }

  function notify(text: string): void {
    if (ports.look.notify === "off") return;
    terminal.write(ports.look.notify === "desktop" ? `\x1b]9;myelin ${text}\x07\x07` : "\x07");
  }

  /** An op whose failure is told and ends nothing. */
  async function send(op: Op): Promise<boolean> {
    try {
      await (chat ?? await opening)?.engine.submit(op);
      return true;
    } catch (error) {
      fail(error);
      return false;
    }
  }

  const overlays: Overlays = createOverlays({
    ports,
    theme: () => theme,
    changed,
    keymap,
    chat: () => chat,
    items: () => transcript.items,
    view: (width) => ({ ...view(width), detail: true, thinking: true }),
    show(panel) {
      screen.showPanel(panel);
      focusNow();
    },
    say: (text) => transcript.say("info", text),
    copy: (text) => terminal.write(`\x1b]52;c;${new TextEncoder().encode(text).toBase64()}\x07`),
    fail,
    submit: send,
    open: reopen,
    setTheme(name) {
      themeName = name;
      restyle();
      void ports.saveLook("theme", name).catch((error) => fail(error));
    },
    draft: (text) => {
      editor.setText(text);
      changed();
    },
    model: () => model,
    history: () => history,
  });

  const allCommands: readonly Command[] = overlays.commands(commands);

  const submitter = createSubmitter({
    ports,
    transcript,
    commands: allCommands,
    named: () => named,
    chat: async () => chat ?? await opening?.catch(() => undefined),
    running: () => activity.running,
    send,
    fail,
    changed,
    giveBack(text) {
      if (editor.getText().trim() === "") editor.setText(text);
      changed();
    },
    remember(text) {
      editor.addToHistory(text);
      history = [...history, text];
      void ports.history.add(text).catch(() => {
        // Losing a line of the history is no reason to disturb anybody.
      });
    },
    open: reopen,
    refresh: () => void refresh(),
    quit: () => void leave(0),
    interruptKey: keymap.keyOf("chat.interrupt"),
  }, options.attach);

  const onKey = createKeys({
    keymap,
    covered: () => screen.panel !== undefined,
    asked: () => asking.first !== undefined,
    completing: () => editor.isShowingAutocomplete(),
    running: () => activity.running,
    draftEmpty: () => editor.getText() === "",
    insert: (text) => editor.insertTextAtCursor(text),
    stopShell: submitter.stopShell,
    scroll: (pages) => screen.scroll(pages * Math.max(1, terminal.rows - 8)),
    unqueue: () => takeBack(queue.slice(-1)),
    panels: overlays.keys,
    does: {
      clear,
      suspend: () => lending.suspend(),
      redraw: () => screen.redraw(),
      interrupt: () => void send({ type: "interrupt", by: "user" }),
      quit: () => void leave(0),
      queue() {
        const text = editor.getExpandedText().trim();
        editor.setText("");
        void submitter.submit(text, "follow_up");
      },
      chip: () => editor.setText(editor.getExpandedText()),
      thinking() {
        showThinking = !showThinking;
        say(showThinking ? "Thinking is shown" : "Thinking is folded");
      },
      external: () => void external(),
      paste: () => void pasteImage(),
      approval: () => void nextApproval(),
    },
  });

  /** Waiting messages become a part of the draft again; false: there are none. */
  function takeBack(waiting: typeof queue): boolean {
    const texts = [...waiting.map(({ parts }) => partsShown(parts).text), editor.getExpandedText()];
    if (waiting.length > 0) editor.setText(texts.filter((text) => text.trim() !== "").join("\n"));
    for (const { requestId } of waiting) void send({ type: "unqueue", requestId });
    return waiting.length > 0;
  }

  function clear(): void {
    if (screen.panel !== undefined) return overlays.close();
    // A draft that was begun since is emptied as well: who typed on does not mean to leave.
    const drafted = editor.getText() !== "" && asking.first === undefined;
    if (!drafted && now() - lastClear < TWICE_MS) return void leave(0);
    lastClear = now();
    if (submitter.stopShell()) return say("Ctrl-C again quits");
    if (drafted) {
      editor.addToHistory(editor.getExpandedText());
      editor.setText("");
    } else if (activity.running) void send({ type: "interrupt", by: "user" });
    say("Ctrl-C again quits");
  }

  /** The mode belongs to the agent, which is made anew for another one; the session is the same. */
  async function nextApproval(): Promise<void> {
    if (activity.running) return say("Not while a run works: Esc ends it");
    const modes = ["ask", "auto", "never"];
    const next = modes[(modes.indexOf(approve) + 1) % modes.length];
    const id = chat?.sessionId;
    const said = transcript.items.some(({ kind }) => kind === "user");
    await reopen({
      choice: said && id !== undefined && id !== "" ? { kind: "named", wanted: id } : options.wish.choice,
      approve: next,
    });
    transcript.say("info", APPROVALS[next]);
  }

  const lending = createLending({ terminal, screen, focus: focusNow });

  async function external(): Promise<void> {
    const draft = editor.getExpandedText();
    try {
      const text = await lending.lend(() => ports.edit(draft));
      if (text !== undefined) editor.setText(text.replace(/\n$/, ""));
    } catch (error) {
      fail(error);
    }
  }

  async function pasteImage(): Promise<void> {
    try {
      const image = await ports.clipboardImage();
      if (image === undefined) return say("The clipboard holds no image");
      submitter.add(image);
    } catch (error) {
      fail(error);
    }
  }

  function restyle(): void {
    theme = themeNamed(themeName, { color, light });
    Object.assign(editor, { theme: editorTheme(theme) });
    changed();
  }

  function start(): void {
    terminal.write("\x1b[22;0t");
    screen.addInputListener((data) => {
      if (!onKey(data)) return undefined;
      // The screen draws by itself only after what it has handed on.
      changed();
      return { consume: true };
    });
    transcript.say(
      "info",
      `myelin ${ports.version} · ${keymap.keyOf("chat.help")} help · / commands · @ files · ! shell`,
    );
    if (options.guide !== undefined) transcript.say("info", options.guide);
    if (options.draft !== undefined) editor.setText(options.draft);
    lending.begin();
    for (const problem of keymap.problems) transcript.say("warning", problem);
    if (themeName === "auto" && color) {
      const seen = (colors: { background?: { r: number; g: number; b: number } }) => {
        const { background } = colors;
        if (background === undefined) return;
        light = background.r * 0.299 + background.g * 0.587 + background.b * 0.114 > 140;
        restyle();
      };
      void screen.queryTerminalColors({ timeoutMs: 500, onLateReply: seen }).then(seen, () => {});
    }
    void ports.branch().then((name) => {
      branch = name;
      changed();
    }, () => {});
    void ports.history.load().then((lines) => {
      history = [...lines, ...history];
      for (const line of lines) editor.addToHistory(line);
    }, () => {});
    void ports.trust.wanted().then((wanted) => {
      if (wanted.length === 0) return;
      transcript.say(
        "info",
        `This project can run something by itself once it is trusted (${
          wanted.join(", ")
        }). /trust shows it.`,
      );
      changed();
    }, () => {});
    open(options.wish).then(() => {
      if (options.prompt !== undefined) void submitter.submit(options.prompt, "steer");
      // Afterwards, so that it holds up neither the first frame nor the first request.
      if (!canHighlight()) later(1500, () => void loadHighlighter().catch(() => {}));
    }, (error) => void stop().then(() => rejectEnded(error)));
  }

  async function stop(): Promise<void> {
    activity.stop();
    timers.stop();
    screen.showPanel(undefined);
    asking.clear();
    screen.renderNow();
    await terminal.drainInput();
    screen.stop();
    terminal.write("\x1b[23;0t");
  }

  function leave(status: number): Promise<void> {
    return leaving ??= (async () => {
      const draft = editor.getExpandedText().trim();
      if (draft !== "") await ports.history.add(draft).catch(() => {});
      submitter.stopShell();
      const current = chat;
      if (activity.running) await send({ type: "interrupt", by: "shutdown" });
      await stop();
      await current?.close().catch(() => {});
      resolveEnded(status);
    })();
  }

  return {
    ended,
    start,
    leave,
    interrupt: clear,
    suspend: lending.suspend,
    release() {
      activity.stop();
      screen.stop();
    },
    draw: () => screen.renderNow(),
    get sessionId() {
      const said = transcript.items.some(({ kind }) => kind === "user");
      return said && options.wish.choice.kind !== "none" ? chat?.sessionId || undefined : undefined;
    },
    get draft() {
      return editor.getExpandedText();
    },
  };
}
