/** A chat in a real tmux: starts the program in a pane, types, and waits for what the pane shows. */
import { PROGRAM, type Project } from "../support/program.ts";

export interface PaneOptions {
  /** An interactive bash starts it, as a job. */
  readonly shell?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Pane extends AsyncDisposable {
  /** Sends keys by tmux's names ("Enter", "M-s"), or a text with `text`. */
  keys(...keys: string[]): Promise<void>;
  text(text: string): Promise<void>;
  /** What is visible. */
  screen(): Promise<string>;
  /** The scrollback, too. */
  history(): Promise<string>;
  /** Resolves with the screen as soon as it fits; rejects when the program has ended without. */
  until(wanted: string | RegExp, gone?: boolean): Promise<string>;
  resize(columns: number, rows: number): Promise<void>;
  /** The exit status, when the program has ended. */
  status(): Promise<number>;
  /** Everything that was written to the terminal. */
  raw(): Promise<string>;
  readonly pid: number;
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

export async function openPane(
  project: Project,
  args: readonly string[] = [],
  options: PaneOptions = {},
): Promise<Pane> {
  const socket = `myelin-${crypto.randomUUID().slice(0, 8)}`;
  const tmux = async (...rest: string[]): Promise<string> => {
    const { success, stdout, stderr } = await new Deno.Command("tmux", {
      args: ["-L", socket, "-f", "/dev/null", ...rest],
      clearEnv: true,
      env: {
        PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
        HOME: project.home,
        LANG: "C.UTF-8",
        TERM: "xterm-256color",
      },
    }).output();
    if (!success) throw new Error(`tmux ${rest[0]}: ${new TextDecoder().decode(stderr)}`);
    return new TextDecoder().decode(stdout);
  };
  const env: Readonly<Record<string, string>> = {
    HOME: project.home,
    MOCK_KEY: "sk-mock-CANARY",
    DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
    SHELL: "/bin/sh",
    ...options.env,
  };
  const exports = Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)};`).join(" ");
  const start = [...PROGRAM, ...args].map(quoted).join(" ");
  const log = `${project.home}/terminal.log`;
  // The wait lets the recording of what is written begin first.
  const command = options.shell
    ? `${exports} exec bash --norc -i`
    : `${exports} read -r _; ${start}; echo "ENDED $?"; exec cat`;
  await tmux("new-session", "-d", "-x", "80", "-y", "24", "-c", project.dir, command);
  await tmux("pipe-pane", "-o", `cat >> ${quoted(log)}`);
  if (options.shell) await tmux("send-keys", "-l", start);
  await tmux("send-keys", "Enter");
  const pid = Number(await tmux("display-message", "-p", "#{pane_pid}"));
  const screen = () => tmux("capture-pane", "-p");
  const pane: Pane = {
    pid,
    screen,
    raw: () => Deno.readTextFile(log),
    history: () => tmux("capture-pane", "-p", "-S", "-"),
    async keys(...keys) {
      await tmux("send-keys", ...keys);
    },
    async text(text) {
      await tmux("send-keys", "-l", text);
    },
    async until(wanted, gone = false) {
      for (;;) {
        const shown = await screen();
        const fits = typeof wanted === "string" ? shown.includes(wanted) : wanted.test(shown);
        if (fits !== gone) return shown;
        const end = /ENDED (\d+)/.exec(shown);
        if (end !== null) throw new Error(`ended without ${wanted}:\n${shown}`);
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
    },
    async resize(columns, rows) {
      await tmux("resize-window", "-x", `${columns}`, "-y", `${rows}`);
    },
    async status() {
      for (;;) {
        const end = /ENDED (\d+)/.exec(await screen());
        if (end !== null) return Number(end[1]);
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
    },
    async [Symbol.asyncDispose]() {
      const left = await below(pid);
      await tmux("kill-server").catch(() => {/* it has ended */});
      // Closing still writes: the folder must not go before.
      while (left.some(runs)) await new Promise((resolve) => setTimeout(resolve, 20));
    },
  };
  return pane;
}

/** The processes below one. */
async function below(pid: number): Promise<number[]> {
  const text = await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`).catch(() => "");
  const children = text.trim().split(/\s+/).filter((word) => word !== "").map(Number);
  return [...children, ...(await Promise.all(children.map(below))).flat()];
}

function runs(pid: number): boolean {
  try {
    // One that nobody has waited for yet has ended as well.
    return !/^State:\s+Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false;
  }
}
