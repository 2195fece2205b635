/**
 * Runs the program as a user would: the compiled binary where MYELIN_BINARY
 * names one, else the sources. Each project has a home and a folder of its
 * own, and an environment of nothing else.
 */
import { V8_FLAGS } from "../../scripts/v8_flags.ts";

const ROOT = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");
const BINARY = Deno.env.get("MYELIN_BINARY");

/** The command line that starts the program. */
export const PROGRAM: readonly string[] = BINARY !== undefined && BINARY !== "" ? [BINARY] : [
  Deno.execPath(),
  "run",
  "--quiet",
  "--no-prompt",
  "--no-check",
  "--node-modules-dir=none",
  `--config=${ROOT}/deno.json`,
  "-A",
  "--unstable-worker-options",
  `--v8-flags=${V8_FLAGS.join(",")}`,
  `${ROOT}/main.ts`,
];

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** stdout as JSON lines; throws where one does not parse. */
  readonly lines: readonly Record<string, unknown>[];
}

export interface RunningProgram {
  readonly pid: number;
  /** Resolves as soon as stdout or stderr contains the text. Rejects when the program ends without it. */
  until(text: string): Promise<void>;
  kill(signal: Deno.Signal): void;
  readonly ended: Promise<Ended>;
  /** Writes to stdin, if it was asked for. */
  write(text: string): Promise<void>;
  closeStdin(): Promise<void>;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** "null" (the default) is at its end; "open" stays open until closeStdin(). */
  readonly stdin?: "null" | "open";
}

/** A home, a workspace and settings for one test; removed when disposed. */
export interface Project extends AsyncDisposable {
  readonly home: string;
  /** The workspace. */
  readonly dir: string;
  start(args: readonly string[], options?: StartOptions): RunningProgram;
  run(args: readonly string[], options?: StartOptions): Promise<Ended>;
  write(path: string, text: string): Promise<void>;
  read(path: string): Promise<string>;
  settings(value: unknown): Promise<void>;
}

export interface ProjectOptions {
  /** Base URL of a chat server; becomes provider "mock" with model "mock-1", which is the default model. */
  readonly url?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly provider?: Readonly<Record<string, unknown>>;
}

export async function createProject(options: ProjectOptions = {}): Promise<Project> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "myelin-test-" }));
  const home = `${root}/home`;
  const dir = `${root}/ws`;
  await Deno.mkdir(`${home}/.myelin`, { recursive: true });
  await Deno.mkdir(dir);
  const settings = (value: unknown) =>
    Deno.writeTextFile(`${home}/.myelin/settings.json`, JSON.stringify(value, null, 2));
  if (options.url !== undefined || options.settings !== undefined) {
    await settings({
      ...(options.url === undefined ? {} : {
        model: "mock/mock-1",
        providers: {
          mock: {
            api: "openai-completions",
            baseUrl: options.url,
            apiKey: "$MOCK_KEY",
            models: {
              "mock-1": {
                contextWindow: 200000,
                maxOutput: 8192,
                images: true,
                cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
              },
            },
            ...options.provider,
          },
        },
      }),
      ...options.settings,
    });
  }
  const start = (args: readonly string[], startOptions: StartOptions = {}): RunningProgram =>
    startProgram(args, {
      cwd: dir,
      ...startOptions,
      env: { HOME: home, MOCK_KEY: "sk-mock-CANARY", ...startOptions.env },
    });
  return {
    home,
    dir,
    start,
    run: (args, startOptions) => start(args, startOptions).ended,
    async write(path, text) {
      const full = `${dir}/${path}`;
      await Deno.mkdir(full.slice(0, full.lastIndexOf("/")), { recursive: true });
      await Deno.writeTextFile(full, text);
    },
    read: (path) => Deno.readTextFile(`${dir}/${path}`),
    settings,
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

function startProgram(args: readonly string[], options: StartOptions): RunningProgram {
  const [command, ...first] = PROGRAM;
  const child = new Deno.Command(command, {
    args: [...first, ...args],
    cwd: options.cwd,
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
      LANG: "C.UTF-8",
      ...(BINARY ? {} : {
        DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
        DENO_NO_UPDATE_CHECK: "1",
      }),
      ...options.env,
    },
    stdin: options.stdin === "open" ? "piped" : "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const seen = { stdout: "", stderr: "" };
  let over = false;
  const waiting = new Set<() => void>();
  const drain = async (stream: ReadableStream<Uint8Array>, name: "stdout" | "stderr") => {
    const decoder = new TextDecoder();
    for await (const piece of stream) {
      seen[name] += decoder.decode(piece, { stream: true });
      waiting.forEach((check) => check());
    }
  };
  const drained = Promise.all([drain(child.stdout, "stdout"), drain(child.stderr, "stderr")]);
  const ended = (async (): Promise<Ended> => {
    const { code } = await child.status;
    await drained;
    over = true;
    waiting.forEach((check) => check());
    return {
      code,
      ...seen,
      get lines() {
        return seen.stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
      },
    };
  })();
  const writer = options.stdin === "open" ? child.stdin.getWriter() : undefined;
  return {
    pid: child.pid,
    ended,
    kill: (signal) => child.kill(signal),
    until: (text) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (seen.stdout.includes(text) || seen.stderr.includes(text)) {
            waiting.delete(check);
            resolve();
          } else if (over) {
            waiting.delete(check);
            reject(new Error(`ended without ${JSON.stringify(text)}:\n${seen.stdout}\n${seen.stderr}`));
          }
        };
        waiting.add(check);
        check();
      }),
    write: async (text) => await writer?.write(new TextEncoder().encode(text)),
    closeStdin: async () => await writer?.close(),
  };
}
