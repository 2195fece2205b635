/**
 * The edge to the terminal: raw mode, size, what comes in and goes out. Knows
 * nothing of what is drawn. Whatever is switched on here is switched off by
 * `stop`, and by `restore` where a crash leaves no time for more.
 */
import { setKittyProtocolActive, StdinBuffer, type Terminal } from "@earendil-works/pi-tui";
import { createInputBursts } from "./input_bursts.ts";

const ON = "\x1b[?2004h\x1b[>5u\x1b[?u\x1b[c";
const OFF = "\x1b[?2004l\x1b[<u\x1b[>4;0m\x1b[?2031l\x1b[?25h";
const KEYBOARD_REPLY = /^\x1b\[\?(\d+)u$/;
/** Asks whether the terminal is well: it answers in order, so what was asked before has been answered by then. */
const STATUS_QUERY = "\x1b[5n";
const STATUS_REPLY = /^\x1b\[[03]n$/;
/** A terminal that does not answer is not waited for longer. */
const ANSWER_MS = 300;
const ATTRIBUTES_REPLY = /^\x1b\[\?[\d;]*c$/;

export interface ChatTerminal extends Terminal {
  /** Lets go of the keyboard, so that another program can have it; `stop` and `start` do the rest. */
  lend(): Promise<void>;
  /** Puts the terminal back at once; may be called at any time, and more than once. */
  restore(): void;
  /** When the last key came in, by performance.now(). */
  readonly lastInput: number;
  /** Called when the terminal is gone. */
  onGone?: () => void;
}

/** The terminal of this process. */
export function openTerminal(): ChatTerminal {
  const encoder = new TextEncoder();
  let raw = false;
  let stopped = true;
  let lent = false;
  let reading = false;
  let kitty = false;
  let attributesOwed = 0;
  let freed: (() => void) | undefined;
  let answered: (() => void) | undefined;
  let onInput: (data: string) => void = () => {};
  let onResize: () => void = () => {};
  let lastInput = -Infinity;
  let buffer: StdinBuffer | undefined;
  let size = measure();
  let poll: ReturnType<typeof setInterval> | undefined;
  const resized = () => {
    size = measure();
    onResize();
  };

  function write(text: string): void {
    const bytes = encoder.encode(text);
    for (let at = 0; at < bytes.length;) {
      try {
        at += Deno.stdout.writeSync(bytes.subarray(at));
      } catch (error) {
        if (error instanceof Deno.errors.WouldBlock) {
          // Somebody shares the terminal and has made it so; it takes more in a moment.
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
          continue;
        }
        if (!stopped) terminal.onGone?.();
        return;
      }
    }
  }

  function setRaw(on: boolean): void {
    if (raw === on) return;
    try {
      Deno.stdin.setRaw(on);
      raw = on;
    } catch {
      // The terminal has gone; nothing is left to be set.
    }
  }

  function take(sequence: string): void {
    const keyboard = KEYBOARD_REPLY.exec(sequence);
    if (keyboard !== null) {
      kitty = keyboard[1] !== "0";
      setKittyProtocolActive(kitty);
      return;
    }
    if (STATUS_REPLY.test(sequence)) {
      answered?.();
      return;
    }
    if (attributesOwed > 0 && ATTRIBUTES_REPLY.test(sequence)) {
      attributesOwed--;
      if (!kitty && !lent) write("\x1b[>4;2m");
      return;
    }
    lastInput = performance.now();
    onInput(sequence);
  }

  const bursts = createInputBursts(
    (text) => buffer?.process(text),
    (text) => {
      lastInput = performance.now();
      onInput(`\x1b[200~${text.replaceAll("\x1b", "")}\x1b[201~`);
    },
    {
      now: () => performance.now(),
      after: (ms, call) => {
        const timer = setTimeout(call, ms);
        return () => clearTimeout(timer);
      },
    },
  );

  async function read(): Promise<void> {
    if (reading) return;
    reading = true;
    const bytes = new Uint8Array(64 * 1024);
    const decoder = new TextDecoder();
    try {
      while (!stopped && !lent) {
        const count = await Deno.stdin.read(bytes);
        if (count === null) {
          if (!stopped) terminal.onGone?.();
          break;
        }
        bursts.push(decoder.decode(bytes.subarray(0, count), { stream: true }));
      }
    } catch {
      if (!stopped) terminal.onGone?.();
    } finally {
      reading = false;
      freed?.();
    }
  }

  function begin(): void {
    setRaw(true);
    attributesOwed++;
    write(ON);
    void read();
  }

  const terminal: ChatTerminal = {
    start(input, resize) {
      stopped = lent = false;
      onInput = input;
      onResize = resize;
      buffer = new StdinBuffer({ escapeTimeout: Deno.env.get("SSH_CONNECTION") ? 100 : 15 });
      // It is an event emitter, which its types do not say.
      (buffer as unknown as { on(name: "data", call: (sequence: string) => void): void }).on("data", take);
      size = measure();
      if (Deno.build.os !== "windows") Deno.addSignalListener("SIGWINCH", resized);
      else {
        // No signal tells of it there.
        poll = setInterval(() => {
          const now = measure();
          if (now.columns !== size.columns || now.rows !== size.rows) resized();
        }, 500);
      }
      begin();
    },
    stop() {
      if (stopped) return;
      stopped = true;
      if (Deno.build.os !== "windows") Deno.removeSignalListener("SIGWINCH", resized);
      clearInterval(poll);
      buffer?.destroy();
      terminal.restore();
    },
    restore() {
      write(OFF);
      setKittyProtocolActive(false);
      setRaw(false);
    },
    restoreOnExit: (before, after) => {
      write(before + OFF + after);
      setRaw(false);
    },
    async lend() {
      lent = true;
      // The key that led here may have come from a read that ends by itself now.
      await new Promise((resolve) => setTimeout(resolve, 0));
      // The read that waits would take the first keys away from the other program: an answer of the terminal ends it.
      if (reading) {
        await new Promise<void>((resolve) => {
          freed = resolve;
          setTimeout(resolve, ANSWER_MS);
          write(STATUS_QUERY);
        });
        freed = undefined;
      }
    },
    /** Answers of the terminal that are still on their way would be typed into the shell. */
    async drainInput() {
      if (stopped || !reading) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ANSWER_MS);
        answered = () => {
          clearTimeout(timer);
          resolve();
        };
        write(STATUS_QUERY);
      });
      answered = undefined;
    },
    write,
    get columns() {
      return size.columns;
    },
    get rows() {
      return size.rows;
    },
    get kittyProtocolActive() {
      return kitty;
    },
    get lastInput() {
      return lastInput;
    },
    moveBy: (lines) => write(lines > 0 ? `\x1b[${lines}B` : lines < 0 ? `\x1b[${-lines}A` : ""),
    hideCursor: () => write("\x1b[?25l"),
    showCursor: () => write("\x1b[?25h"),
    clearLine: () => write("\x1b[K"),
    clearFromCursor: () => write("\x1b[J"),
    clearScreen: () => write("\x1b[H\x1b[J"),
    setTitle: (title) => write(`\x1b]0;${title}\x07`),
    setProgress: () => {},
    setProgramStatus: () => {},
  };
  return terminal;
}

function measure(): { columns: number; rows: number } {
  try {
    const { columns, rows } = Deno.consoleSize();
    return { columns: Math.max(10, columns || 80), rows: Math.max(4, rows || 24) };
  } catch {
    return { columns: 80, rows: 24 };
  }
}
