/** A program in a pty of its own, for measuring what it writes and how soon. Needs `script` (util-linux). */

/** What has not come by then does not come. */
const LATE_MS = 20_000;

export interface Pty extends AsyncDisposable {
  write(text: string): Promise<void>;
  /** Resolves with the time when the text comes in the output that follows. */
  until(text: string): Promise<number>;
  /** The program itself, below the one that makes the pty. */
  pid(): Promise<number>;
  readonly bytes: number;
}

export interface PtyOptions {
  readonly home: string;
  readonly cwd: string;
  /** Gets every piece as it was written, when it came. */
  readonly record?: (piece: Uint8Array, at: number) => void;
}

/** Starts a program on a terminal of 80 columns and 24 rows. */
export function openPty(program: readonly string[], { home, cwd, record }: PtyOptions): Pty {
  const command = program.map((word) => `'${word}'`).join(" ");
  const child = new Deno.Command("script", {
    args: ["-qfec", `stty rows 24 cols 80; exec ${command}`, "/dev/null"],
    cwd,
    clearEnv: true,
    env: { HOME: home, PATH: "/usr/bin:/bin", LANG: "C.UTF-8", TERM: "xterm-256color", MOCK_KEY: "k" },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  const waiting = new Set<(piece: string) => void>();
  let bytes = 0;
  const drained = (async () => {
    const decoder = new TextDecoder();
    for await (const piece of child.stdout) {
      bytes += piece.length;
      record?.(piece, performance.now());
      const text = decoder.decode(piece, { stream: true });
      waiting.forEach((look) => look(text));
    }
  })();
  return {
    get bytes() {
      return bytes;
    },
    write: (text) => writer.write(new TextEncoder().encode(text)),
    until(wanted) {
      return new Promise((resolve, reject) => {
        let seen = "";
        const late = setTimeout(
          () =>
            reject(
              new Error(
                `"${wanted}" did not come; the end of the output: ${JSON.stringify(seen.slice(-600))}`,
              ),
            ),
          LATE_MS,
        );
        const look = (piece: string) => {
          seen = (seen + piece).slice(-8192);
          if (!seen.includes(wanted)) return;
          waiting.delete(look);
          clearTimeout(late);
          resolve(performance.now());
        };
        waiting.add(look);
      });
    },
    async pid() {
      let pid = child.pid;
      for (;;) {
        const children = await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`);
        const first = Number(children.trim().split(" ")[0]);
        if (first === 0) return pid;
        pid = first;
      }
    },
    async [Symbol.asyncDispose]() {
      // The program itself first: it would go on writing below a pty that has gone.
      const pid = await this.pid().catch(() => undefined);
      if (pid !== undefined) Deno.kill(pid, "SIGKILL");
      await child.status;
      await drained.catch(() => {});
    },
  };
}
