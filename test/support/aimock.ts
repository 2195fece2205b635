/**
 * The third-party mock server `@copilotkit/aimock`, as a child process of
 * Node: an opinion on the protocols that is not ours. It comes from the npm
 * registry on first use (`npx`), pinned.
 */
const VERSION = "1.43.0";

export interface Aimock {
  /** Without a path: add "/v1". */
  readonly origin: string;
  close(): Promise<void>;
}

/** Why the mock cannot run here; undefined where it can. */
export function aimockMissing(): string | undefined {
  try {
    return new Deno.Command(npx, { args: ["--version"], stdout: "null", stderr: "null" }).outputSync().success
      ? undefined
      : "npx does not work";
  } catch {
    return "there is no npx";
  }
}

const npx = Deno.build.os === "windows" ? "npx.cmd" : "npx";

/** Starts it on a free port of the loopback with fixtures in its own format. */
export async function startAimock(fixtures: readonly unknown[]): Promise<Aimock> {
  const folder = await Deno.makeTempDir({ prefix: "aimock-" });
  const file = `${folder}/fixtures.json`;
  await Deno.writeTextFile(file, JSON.stringify({ fixtures }));
  const child = new Deno.Command(npx, {
    args: ["-y", "-p", `@copilotkit/aimock@${VERSION}`, "llmock", "-p", "0", "-f", file, "--strict"],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    // A group of its own: npx does not pass signals on to what it starts.
    detached: Deno.build.os !== "windows",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const errors = new Response(child.stderr).text();
  const stop = async () => {
    await reader.cancel();
    try {
      if (Deno.build.os === "windows") child.kill();
      // It would wait for connections that clients keep open.
      else Deno.kill(-child.pid, "SIGKILL");
    } catch {
      // Gone already.
    }
    await child.status;
    await errors;
    await Deno.remove(folder, { recursive: true });
  };
  let said = "";
  while (true) {
    const { done, value } = await reader.read();
    if (done) {
      await stop();
      throw new Error(`aimock did not start: ${said}${await errors}`);
    }
    said += value;
    const origin = /listening on (http:\/\/[\d.:]+)/.exec(said)?.[1];
    if (origin !== undefined) return { origin, close: stop };
  }
}
