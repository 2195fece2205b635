/** Gives the terminal to another program, or back to the shell, and takes it again. */
import type { Screen } from "./screen.ts";
import type { ChatTerminal } from "./terminal.ts";

export interface LendingWays {
  readonly terminal: ChatTerminal;
  readonly screen: Screen;
  /** Gives the focus to whoever has it now. */
  focus(): void;
}

export interface Lending {
  /** Takes the terminal and draws. */
  begin(): void;
  /** While `use` works, the terminal is another program's. */
  lend<T>(use: () => Promise<T>): Promise<T>;
  /** Back to the shell, until it says go on. */
  suspend(): void;
}

export function createLending({ terminal, screen, focus }: LendingWays): Lending {
  function begin(): void {
    screen.start();
    screen.forget();
    focus();
    // A frame that was due when it stopped would hold back all later ones.
    screen.renderNow();
  }

  return {
    begin,
    async lend(use) {
      await terminal.lend();
      screen.stop();
      try {
        return await use();
      } finally {
        begin();
      }
    },
    suspend() {
      if (Deno.build.os === "windows") return;
      screen.stop();
      // The shell goes on from here; the next line is reached when it says so.
      Deno.kill(Deno.pid, "SIGSTOP");
      begin();
    },
  };
}
