/** `myelin sh`: the in-process bash on its own, with bash's arguments. */
import { HostError, type Later } from "../../../shell/host.ts";
import type { ByteSink, ByteSource, ShellHost } from "../../../shell/host.ts";
import type { ApproveMode, SandboxMode } from "../../../sandbox/mod.ts";
import type { ShellHandle, ShellOptions } from "../../../shell/mod.ts";
import { UsageError } from "../../args.ts";

/** What the command line adds to a shell: its host, and a gate and another environment where there are. */
export type MakeHost = () => Promise<Pick<ShellOptions, "host" | "gate" | "external" | "env">>;

const HELP = `Usage: myelin sh [--sandbox MODE] [--approve WHO] [bash's options]
                 [-c SCRIPT [NAME] | FILE] [ARGS…]

The in-process bash on its own: a script from -c, a file, or stdin. Exit status
and messages are bash's.

Options, before bash's own:
  --sandbox off|workspace|read-only   what the script may touch (default: off)
  --approve never|always              who decides what the rules leave open
                                      (default: never)
  -h, --help                          show this text
Of bash's: -e -u -x -n -v -f, -o OPT, +o OPT, -O SHOPT, -s, --
`;

const MODES: readonly SandboxMode[] = ["off", "workspace", "read-only"];
const APPROVALS: readonly ApproveMode[] = ["ask", "auto", "never", "always"];

/** Takes its own options off the front; everything from the first other one on is bash's. */
export async function run(args: string[]): Promise<number> {
  let mode: SandboxMode = "off";
  let approve: ApproveMode = "never";
  let at = 0;
  for (; at < args.length; at++) {
    const match = /^--(sandbox|approve|help)(?:=(.*))?$/.exec(args[at] === "-h" ? "--help" : args[at]);
    if (match === null) break;
    if (match[1] === "help") {
      console.log(HELP.trimEnd());
      return 0;
    }
    const value = match[2] ?? args[++at];
    if (match[1] === "sandbox") mode = oneOf("--sandbox", value, MODES);
    else approve = oneOf("--approve", value, APPROVALS);
  }
  const rest = args.slice(at);
  if (mode === "off") return await runSh(rest);
  if (approve === "ask" || approve === "auto") {
    console.error(`myelin: --approve ${approve}: nobody can answer here, so it means never`);
    approve = "never";
  }
  const { confine } = await import("./confined.ts");
  const confined = await confine(mode, approve);
  try {
    return await runSh(rest, () => Promise.resolve(confined.shell));
  } finally {
    await confined.close();
  }
}

function oneOf<T extends string>(option: string, value: string | undefined, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  throw new UsageError(
    value === undefined
      ? `Option ${option} needs a value: ${choices.join(", ")}`
      : `Option ${option}: "${value}" is not one of ${choices.join(", ")}`,
  );
}

/** Runs a shell with bash's own arguments; resolves to its exit status. */
async function runSh(args: readonly string[], makeHost: MakeHost = realHost): Promise<number> {
  const [{ createShell }, made] = await Promise.all([import("../../../shell/mod.ts"), makeHost()]);
  const signals = new Signals();
  // Files are made with exactly the mode that the script's mask leaves.
  const umask = Deno.build.os === "windows" ? 0o022 : Deno.umask(0);
  const shell = createShell({
    env: Deno.env.toObject(),
    ...made,
    cwd: currentFolder(made.host),
    name: "bash",
    umask,
    stdin: input(),
    stdout: output(Deno.stdout),
    stderr: output(Deno.stderr),
    onTraps: (names) => signals.listen(names),
  });
  signals.attach(shell);
  try {
    return await shell.main(args);
  } finally {
    signals.stop();
    shell.close();
  }
}

async function realHost(): Promise<{ host: ShellHost; external: boolean }> {
  const { createRealHost } = await import("../../../sandbox/host_real.ts");
  return { host: createRealHost(), external: Deno.env.get("MYELIN_SH_EXTERNAL") !== "0" };
}

function currentFolder(host: ShellHost): string {
  try {
    const cwd = Deno.cwd();
    return host.platform === "windows" ? cwd.replaceAll("\\", "/") : cwd;
  } catch {
    // The folder was removed below us.
    return "/";
  }
}

function input(): ByteSource & { terminal: boolean } {
  return {
    terminal: Deno.stdin.isTerminal(),
    read: (into) =>
      Deno.stdin.read(into).then((n) => n ?? 0, (error) => {
        throw new HostError("EIO", undefined, undefined, error);
      }),
    close() {},
  };
}

interface Stream {
  writeSync(bytes: Uint8Array): number;
  write(bytes: Uint8Array): Promise<number>;
  isTerminal(): boolean;
}

function output(stream: Stream): ByteSink & { terminal: boolean } {
  const fail = (error: unknown): never => {
    if (error instanceof Deno.errors.BrokenPipe) throw new HostError("EPIPE", undefined, undefined, error);
    const full = (error as { code?: string }).code === "ENOSPC";
    throw new HostError(full ? "ENOSPC" : "EIO", undefined, undefined, error);
  };
  const rest = async (bytes: Uint8Array): Promise<void> => {
    for (let at = 0; at < bytes.length;) at += await stream.write(bytes.subarray(at)).catch(fail);
  };
  return {
    terminal: stream.isTerminal(),
    write(bytes): Later<void> {
      for (let at = 0; at < bytes.length;) {
        try {
          at += stream.writeSync(bytes.subarray(at));
        } catch (error) {
          if (error instanceof Deno.errors.WouldBlock) return rest(bytes.subarray(at));
          fail(error);
        }
      }
    },
    close() {},
  };
}

const ALWAYS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM", "SIGHUP"];
const MORE: ReadonlySet<string> = new Set(["QUIT", "USR1", "USR2", "ALRM", "CONT", "WINCH", "CHLD", "URG"]);

/** The program's own signals, handed to the script. */
class Signals {
  #shell: ShellHandle | undefined;
  readonly #listeners = new Map<Deno.Signal, () => void>();

  attach(shell: ShellHandle): void {
    this.#shell = shell;
    for (const signal of ALWAYS) this.#add(signal);
  }

  /** Listens for those that a script handles. */
  listen(names: readonly string[]): void {
    if (Deno.build.os === "windows") return;
    for (const name of names) if (MORE.has(name)) this.#add(`SIG${name}` as Deno.Signal);
  }

  #add(signal: Deno.Signal): void {
    if (this.#listeners.has(signal)) return;
    const listener = () => this.#shell?.kill(signal);
    this.#listeners.set(signal, listener);
    Deno.addSignalListener(signal, listener);
  }

  stop(): void {
    for (const [signal, listener] of this.#listeners) Deno.removeSignalListener(signal, listener);
  }
}
