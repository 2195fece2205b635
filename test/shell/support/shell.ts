/** Running scripts on our shell in a test: real files in a folder of its own, output collected. */
import { createRealHost } from "../../../src/sandbox/host_real.ts";
import type { ShellHost } from "../../../src/shell/host.ts";
import { createShell, type ShellHandle, type ShellOptions } from "../../../src/shell/mod.ts";
import { decodeBytes } from "../../../src/lib/text/bytes.ts";

export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface TestShell extends ShellHandle {
  /** Runs a script and gives what it printed. */
  sh(script: string): Promise<Ran>;
  readonly dir: string;
}

export const ENV = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C.UTF-8", TZ: "UTC" };

class Collected {
  #chunks: Uint8Array[] = [];
  write(bytes: Uint8Array): void {
    this.#chunks.push(bytes.slice());
  }
  close(): void {}
  take(): string {
    const chunks = this.#chunks;
    this.#chunks = [];
    const whole = new Uint8Array(chunks.reduce((n, c) => n + c.length, 0));
    let at = 0;
    for (const c of chunks) {
      whole.set(c, at);
      at += c.length;
    }
    return decodeBytes(whole);
  }
}

/** A shell in a temporary folder; the folder goes when the test is over. */
export async function withShell(
  body: (shell: TestShell) => Promise<void>,
  options: Partial<ShellOptions> & { changeHost?: (host: ShellHost) => ShellHost } = {},
): Promise<void> {
  const dir = Deno.realPathSync(Deno.makeTempDirSync());
  const stdout = new Collected();
  const stderr = new Collected();
  const host = options.changeHost?.(createRealHost()) ?? createRealHost();
  const shell = createShell({ host, env: { ...ENV, HOME: dir }, cwd: dir, stdout, stderr, ...options });
  try {
    await body({
      ...shell,
      dir,
      async sh(script) {
        const { status } = await shell.run(script);
        return { status, stdout: stdout.take(), stderr: stderr.take() };
      },
    });
  } finally {
    shell.close();
    Deno.removeSync(dir, { recursive: true });
  }
}

/** One script, from start to end. */
export async function runScript(script: string, options: Partial<ShellOptions> = {}): Promise<Ran> {
  let ran: Ran | undefined;
  await withShell(async (shell) => {
    ran = await shell.sh(script);
  }, options);
  return ran!;
}

/** The same script on the machine's bash; undefined where there is none (an error with REQUIRE_BASH=1). */
export async function runBash(script: string): Promise<Ran | undefined> {
  const dir = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    const out = await new Deno.Command("bash", {
      args: ["-c", script],
      cwd: dir,
      env: { ...ENV, HOME: dir },
      clearEnv: true,
      stdin: "null",
    }).output();
    // Called by its path it names itself by that.
    const named = (bytes: Uint8Array) => decodeBytes(bytes).replace(/(^|\n)\/\S*\/bash: /g, "$1bash: ");
    return { status: out.code, stdout: named(out.stdout), stderr: named(out.stderr) };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    if (Deno.env.get("REQUIRE_BASH") === "1") {
      throw new Error("bash is required (REQUIRE_BASH=1) and was not found", { cause: error });
    }
    return undefined;
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}
