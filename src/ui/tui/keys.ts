/**
 * What a key does before the editor, or a panel over the whole screen, gets
 * it. Knows which key counts when; what it does is given.
 */
import type { ChatAction, Keymap } from "./keymap.ts";

export interface KeyWays {
  readonly keymap: Keymap;
  /** A panel over the whole screen has the focus. */
  covered(): boolean;
  /** Something is asked of the user. */
  asked(): boolean;
  /** The editor's own list of completions is open. */
  completing(): boolean;
  running(): boolean;
  draftEmpty(): boolean;
  insert(text: string): void;
  /** Ends the user's own command, if one is running. */
  stopShell(): boolean;
  scroll(pages: number): boolean;
  /** Takes the last waiting message back; false: none waits. */
  unqueue(): boolean;
  /** Ctrl-C and Ctrl-Z count everywhere, the others where nothing is open or asked. */
  readonly does: Readonly<
    Record<
      | "clear"
      | "suspend"
      | "redraw"
      | "interrupt"
      | "quit"
      | "queue"
      | "chip"
      | "thinking"
      | "external"
      | "paste"
      | "approval",
      () => void
    >
  >;
  /** Keys that open panels. */
  readonly panels: readonly (readonly [ChatAction, () => void])[];
}

/** Takes what the terminal sent; true: it is done with. */
export function createKeys(ways: KeyWays): (data: string) => boolean {
  const { keymap, does } = ways;
  const done = (call: () => void) => {
    call();
    return true;
  };

  return (data) => {
    const path = pastedImage(data);
    if (path !== undefined && !ways.covered() && !ways.asked()) {
      return done(() => ways.insert(/\s/.test(path) ? `@"${path}" ` : `@${path} `));
    }
    if (keymap.is(data, "chat.clear")) return done(does.clear);
    if (keymap.is(data, "chat.suspend")) return done(does.suspend);
    // Panels use the other control keys for themselves.
    if (ways.covered()) return false;
    if (keymap.is(data, "chat.redraw")) return done(does.redraw);
    if (keymap.is(data, "chat.interrupt")) {
      if (ways.completing() && !ways.asked()) return false;
      if (ways.stopShell()) return true;
      return ways.running() && done(does.interrupt);
    }
    // What is asked about may be longer than its panel.
    if (ways.asked() && !keymap.is(data, "chat.transcript")) return false;
    if (keymap.is(data, "chat.quit")) return ways.draftEmpty() && done(does.quit);
    if (keymap.is(data, "chat.queue")) return done(ways.running() ? does.queue : () => ways.insert("\n"));
    if (keymap.is(data, "chat.unqueue")) return ways.unqueue();
    for (const name of ["chip", "thinking", "external", "paste", "approval"] as const) {
      if (keymap.is(data, `chat.${name}`)) return done(does[name]);
    }
    if (keymap.manager.matches(data, "tui.altScreen.pageUp") && ways.scroll(1)) return true;
    if (keymap.manager.matches(data, "tui.altScreen.pageDown") && ways.scroll(-1)) return true;
    const shown = ways.panels.find(([action]) => keymap.is(data, action));
    return shown !== undefined && done(shown[1]);
  };
}

/** The path, where a paste (or a file dropped on the terminal) is the path of one image. */
function pastedImage(data: string): string | undefined {
  const text = /^\x1b\[200~([^\r\n]{1,1000})\x1b\[201~$/.exec(data)?.[1].trim();
  if (text === undefined || !/\.(png|jpe?g|gif|webp|pdf)['"]?$/i.test(text)) return undefined;
  const path = text.replace(/^file:\/\//, "").replace(/^(['"])(.*)\1$/, "$2").replaceAll("\\ ", " ");
  return /^(\/|~\/|[A-Za-z]:[\\/])/.test(path) ? path : undefined;
}
