/** The chat in the terminal: takes the terminal, runs the app, and gives the terminal back, whatever happens. */
import { describe } from "../../lib/errors.ts";
import { stripControls } from "../../lib/text/control.ts";
import type { ChatPorts } from "../interface.ts";
import { type AppOptions, createApp } from "./app.ts";
import { openTerminal } from "./terminal.ts";

export interface ChatOptions extends AppOptions {
  /** The command line that goes on with a session later. */
  goOn(sessionId: string): string;
}

/** Runs the chat to its end; resolves to the exit status. Rejects where no conversation could be opened. */
export async function runChat(ports: ChatPorts, options: ChatOptions): Promise<number> {
  const terminal = openTerminal();
  const app = createApp(terminal, ports, options);
  terminal.onGone = () => void app.leave(129);
  const crash = (event: ErrorEvent | PromiseRejectionEvent) => {
    event.preventDefault();
    const error = "reason" in event ? event.reason : event.error;
    try {
      app.release();
    } catch {
      // The failure may be in the drawing itself: the modes are what counts.
      terminal.write("\x1b[?1049l");
    }
    terminal.restore();
    const draft = app.draft.trim();
    if (draft !== "") void ports.history.add(draft).catch(() => {});
    console.error(`Error: The chat has failed: ${stripControls(describe(error))}`);
    if (app.sessionId !== undefined) {
      console.error(`The session is safe. To go on: ${options.goOn(app.sessionId)}`);
    }
    if (ports.environment.MYELIN_DEBUG && error instanceof Error) console.error(error.stack);
    else console.error("MYELIN_DEBUG=1 shows where it comes from.");
    setTimeout(() => Deno.exit(1), 50);
  };
  globalThis.addEventListener("error", crash);
  globalThis.addEventListener("unhandledrejection", crash);
  const stopSignals = watch(app);
  try {
    app.start();
    const status = await app.ended;
    if (app.sessionId !== undefined) console.error(`To go on: ${options.goOn(app.sessionId)}`);
    return status;
  } finally {
    stopSignals();
    terminal.stop();
    globalThis.removeEventListener("error", crash);
    globalThis.removeEventListener("unhandledrejection", crash);
  }
}

function watch(app: ReturnType<typeof createApp>): () => void {
  const all: readonly (readonly [Deno.Signal, () => void])[] = [
    ["SIGINT", () => app.interrupt()],
    ...(Deno.build.os === "windows" ? [] : [
      ["SIGTERM", () => void app.leave(143)] as const,
      ["SIGHUP", () => void app.leave(129)] as const,
      ["SIGTSTP", () => app.suspend()] as const,
    ]),
  ];
  for (const [name, call] of all) Deno.addSignalListener(name, call);
  return () => all.forEach(([name, call]) => Deno.removeSignalListener(name, call));
}
