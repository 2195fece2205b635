/**
 * A chat on a virtual terminal: the app, its ports filled with data of the
 * test, a clock that stands still, and what a person would see.
 */
import headless from "@xterm/headless";
import type { EngineEvent, RunResult } from "../../../src/engine/event.ts";
import type { Op } from "../../../src/engine/op.ts";
import type { Snapshot, TreeNode } from "../../../src/engine/snapshot.ts";
import type { ChatPorts, ChatWish, PastItem } from "../../../src/ui/interface.ts";
import { type App, type AppOptions, createApp } from "../../../src/ui/tui/app.ts";
import { createInputBursts } from "../../../src/ui/tui/input_bursts.ts";
import type { ChatTerminal } from "../../../src/ui/tui/terminal.ts";

export interface VirtualChat extends AsyncDisposable {
  readonly app: App;
  /** Every op that was submitted. */
  readonly ops: Op[];
  /** Everything that was written, in pieces. */
  readonly written: string[];
  emit(...events: EngineEvent[]): void;
  /** Keys, each as a terminal sends it. */
  press(...keys: string[]): void;
  /** Raw bytes, as they come from a terminal in one read. */
  feed(chunk: string): void;
  resize(columns: number, rows: number): void;
  readonly size: [number, number];
  /** Resolves when everything that is due has been drawn. */
  settle(): Promise<void>;
  /** The visible rows, without blanks at their ends. */
  screen(): Promise<string>;
  /** All rows, with those that have scrolled out. */
  history(): Promise<string[]>;
  /** Rows that a line has run over into. */
  wrapped(): Promise<number>;
  cursor(): Promise<{ readonly x: number; readonly y: number }>;
  /** Something else writes to the terminal. */
  scribble(text: string): Promise<void>;
  /** Moves the clock that the guard of panels reads. */
  pass(ms: number): void;
}

export interface VirtualOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly past?: readonly PastItem[];
  readonly tree?: readonly TreeNode[];
  readonly ports?: Partial<ChatPorts>;
  readonly look?: Partial<ChatPorts["look"]>;
  readonly app?: Partial<AppOptions>;
  readonly scrollback?: number;
  readonly onOpen?: (wish: ChatWish) => void;
  /** What an op does beside being written down. */
  readonly onOp?: (op: Op, emit: (event: EngineEvent) => void) => Promise<void> | void;
}

export const KEYS: Readonly<Record<string, string>> = {
  enter: "\r",
  escape: "\x1b",
  up: "\x1b[A",
  down: "\x1b[B",
  left: "\x1b[D",
  right: "\x1b[C",
  backspace: "\x7f",
  tab: "\t",
  f1: "\x1bOP",
};

export const RESULT: RunResult = {
  sessionId: "s1",
  sessionFile: null,
  model: "mock/one",
  reason: "stop",
  stopReason: "stop",
  text: "",
  structured: null,
  usage: null,
  costUsd: null,
  steps: 1,
  toolCalls: 0,
  durationMs: 1000,
  error: null,
  hint: null,
};

/** The events at the beginning of a run. */
export const RUN_START: EngineEvent = {
  type: "run_start",
  sessionId: "s1",
  sessionFile: null,
  model: "mock/one",
  cwd: "/home/me/shop",
  resumed: false,
};

export async function openVirtual(options: VirtualOptions = {}): Promise<VirtualChat> {
  const term = new headless.Terminal({
    cols: options.columns ?? 80,
    rows: options.rows ?? 24,
    scrollback: options.scrollback ?? 10_000,
    allowProposedApi: true,
  });
  const ops: Op[] = [];
  const written: string[] = [];
  const watchers = new Set<(event: EngineEvent) => void>();
  const emit = (event: EngineEvent) => watchers.forEach((watch) => watch(event));
  let input: (data: string) => void = () => {};
  let onResize: () => void = () => {};
  let clock = 1_000_000;

  const terminal: ChatTerminal = {
    start(onInput, resized) {
      input = onInput;
      onResize = resized;
    },
    stop: () => {},
    restore: () => {},
    drainInput: () => Promise.resolve(),
    lend: () => Promise.resolve(),
    write(data) {
      written.push(data);
      term.write(data);
    },
    get columns() {
      return term.cols;
    },
    get rows() {
      return term.rows;
    },
    kittyProtocolActive: false,
    lastInput: 0,
    moveBy: () => {},
    hideCursor: () => terminal.write("\x1b[?25l"),
    showCursor: () => terminal.write("\x1b[?25h"),
    clearLine: () => {},
    clearFromCursor: () => {},
    clearScreen: () => {},
    setTitle: () => {},
    setProgress: () => {},
    setProgramStatus: () => {},
  };
  const bursts = createInputBursts(
    (text) => [...text].forEach((key) => input(key)),
    (text) => input(`\x1b[200~${text}\x1b[201~`),
    {
      now: () => performance.now(),
      after: (ms, call) => {
        const timer = setTimeout(call, ms);
        return () => clearTimeout(timer);
      },
    },
  );
  const app = createApp(terminal, portsOf(options, { ops, watchers, emit }), {
    wish: { choice: { kind: "new" } },
    attach: [],
    ...options.app,
  }, () => clock);
  app.start();
  const settle = async () => {
    // Frames come by timers of up to 16 ms, one after the other.
    for (let i = 0; i < 3; i++) await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise<void>((resolve) => term.write("", resolve));
  };
  await settle();
  const rowsOf = (from: number, to: number) => {
    const buffer = term.buffer.active;
    return Array.from(
      { length: to - from },
      (_, i) => buffer.getLine(from + i)?.translateToString(true).trimEnd() ?? "",
    );
  };
  return {
    app,
    ops,
    written,
    emit: (...events) => events.forEach(emit),
    press: (...keys) => keys.forEach((key) => input(KEYS[key] ?? key)),
    feed: (chunk) => bursts.push(chunk),
    resize(columns, rows) {
      term.resize(columns, rows);
      onResize();
    },
    get size() {
      return [term.cols, term.rows] as [number, number];
    },
    settle,
    async screen() {
      await settle();
      const { viewportY } = term.buffer.active;
      return rowsOf(viewportY, viewportY + term.rows).join("\n").trimEnd() + "\n";
    },
    async history() {
      await settle();
      return rowsOf(0, term.buffer.active.length);
    },
    async wrapped() {
      await settle();
      const { active } = term.buffer;
      return Array.from({ length: active.length }, (_, i) => active.getLine(i)?.isWrapped).filter(Boolean)
        .length;
    },
    async cursor() {
      await settle();
      return { x: term.buffer.active.cursorX, y: term.buffer.active.cursorY };
    },
    scribble: (text) => new Promise((resolve) => term.write(text, resolve)),
    pass: (ms) => void (clock += ms),
    async [Symbol.asyncDispose]() {
      await app.leave(0);
      // The virtual terminal takes what it is given a little later.
      await new Promise<void>((resolve) => term.write("", resolve));
      term.dispose();
    },
  };
}

function portsOf(
  options: VirtualOptions,
  { ops, watchers, emit }: {
    ops: Op[];
    watchers: Set<(event: EngineEvent) => void>;
    emit: (event: EngineEvent) => void;
  },
): ChatPorts {
  return {
    open: (wish) => {
      options.onOpen?.(wish);
      return Promise.resolve({
        engine: {
          unfinished: false,
          async submit(op) {
            ops.push(op);
            await options.onOp?.(op, emit);
          },
          subscribe(watch) {
            watchers.add(watch);
            return () => watchers.delete(watch);
          },
          snapshot: () => Promise.resolve(SNAPSHOT),
          tree: () => Promise.resolve(options.tree ?? []),
        },
        sessionId: "s1",
        model: "mock/one",
        contextWindow: 200_000,
        past: options.past ?? [],
        title: "",
        ...(wish.fork === undefined ? {} : { editable: [{ type: "text", text: `said at ${wish.fork}` }] }),
        close: () => Promise.resolve(),
        abandon: () => {},
      });
    },
    cwd: "/home/me/shop",
    version: "1.2.3",
    home: "/home/me",
    look: { theme: "dark", screen: "main", keys: {}, status: [], notify: "off", ...options.look },
    environment: {},
    branch: () => Promise.resolve("main"),
    sandbox: "workspace",
    approve: "ask",
    sessions: {
      list: () => Promise.resolve([]),
      search: () => Promise.resolve([]),
      preview: () => Promise.resolve([]),
      rename: () => Promise.resolve(),
      remove: () => Promise.resolve(),
      export: () => Promise.resolve("/x"),
    },
    models: () => Promise.resolve([]),
    settings: () => Promise.resolve([]),
    servers: () => Promise.resolve([]),
    async *files() {
      yield await Promise.resolve(["README.md", "src/cart.ts", "src/cart_test.ts", "src/shipping/rates.ts"]);
    },
    attach: () => Promise.resolve([]),
    clipboardImage: () => Promise.resolve(undefined),
    shell: (_, output) => {
      output("one\ntwo\n");
      return Promise.resolve(0);
    },
    edit: () => Promise.resolve(undefined),
    history: { load: () => Promise.resolve(["an older draft"]), add: () => Promise.resolve() },
    trust: { wanted: () => Promise.resolve([]), give: () => Promise.resolve() },
    saveLook: () => Promise.resolve(),
    ...options.ports,
  };
}

const SNAPSHOT: Snapshot = {
  session: { id: "s1", file: null, cwd: "/home/me/shop", title: null, messages: 0 },
  model: "mock/one",
  thinking: null,
  running: false,
  queue: [],
  context: {
    tokens: 3000,
    exact: false,
    contextWindow: 200_000,
    trigger: undefined,
    parts: { tools: 2000, prompt: 1000, instructions: 0, user: 0, answers: 0, results: 0, other: 0 },
  },
  usage: null,
  costUsd: null,
  tools: [
    { name: "read", about: "Reads a file.", effects: "read" },
    { name: "bash", about: "Runs a script.", effects: "write" },
  ],
  skills: [{ name: "release", about: "How a release is made" }],
  customCommands: [],
  instructions: [],
  permissions: { approve: "ask", sandbox: "workspace", allow: [], ask: [], deny: [] },
};
