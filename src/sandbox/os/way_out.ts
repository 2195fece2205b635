/**
 * What a list of hosts in `sandbox.net` gives to the programs of a session: the
 * proxy's socket in a folder that no program sees, the relay in their network,
 * and the variables that name it to them.
 */
import type { Policy } from "../policy.ts";
import { WRAPPER_ENV } from "./launch.ts";
import { close as closeQuietly, serveProxy } from "./proxy.ts";
import { RELAY_WORD } from "./relay.ts";
import { TEMP_PREFIX } from "./sweep.ts";

/** The proxy of one session and how programs find it. */
export interface WayOut {
  /** What programs are told, unless they have been told something else. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
  kill(): void;
}

/** Whether there is one to be made: not where there is no network, nor where it is the machine's. */
export function needsWayOut(policy: Policy): boolean {
  return policy.net.length > 0 && !policy.net.includes("*");
}

/** `enter`: starts a command in the programs' network. Throws an error that says why it does not work. */
export async function openWayOut(
  policy: Policy,
  enter: (argv: readonly string[]) => readonly string[],
): Promise<WayOut> {
  const folder = await Deno.makeTempDir({ prefix: TEMP_PREFIX });
  const path = `${folder}/proxy`;
  const listener = Deno.listen({ transport: "unix", path });
  listener.unref();
  void (async () => {
    for await (const client of listener) void serveProxy(client, { policy });
  })().catch(() => {/* it is closed */});
  const [program, ...args] = enter(relayCommand(path));
  const process = new Deno.Command(program, {
    args,
    cwd: "/",
    clearEnv: true,
    // From its sources, the relay needs the runtime's cache.
    env: { ...WRAPPER_ENV, ...(Deno.build.standalone ? {} : runtimeVariables()) },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
    detached: true,
  }).spawn();
  const kill = () => {
    try {
      process.kill("SIGKILL");
    } catch {
      // It has ended.
    }
    try {
      Deno.removeSync(folder, { recursive: true });
    } catch {
      // Gone; or swept at the next start.
    }
  };
  const close = async () => {
    process.ref();
    listener.close();
    kill();
    await process.status;
    await process.stdin.close().catch(() => {/* nobody reads any more */});
  };
  const reader = process.stdout.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  const port = Number(new TextDecoder().decode(value));
  if (!(port > 0)) {
    await close();
    throw new Error("the relay does not start");
  }
  process.unref();
  return { env: proxyVariables(policy, port), close, kill };
}

/** The same where programs share the machine's loopback and reach nothing beyond it (seatbelt): no relay. */
export function openLoopback(policy: Policy): WayOut {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  listener.unref();
  void (async () => {
    for await (const client of listener) void serveProxy(client, { policy });
  })().catch(() => {/* it is closed */});
  const kill = () => closeQuietly(listener);
  return {
    env: proxyVariables(policy, listener.addr.port),
    kill,
    close: () => Promise.resolve(kill()),
  };
}

function relayCommand(path: string): string[] {
  return Deno.build.standalone ? [Deno.execPath(), RELAY_WORD, path] : [
    Deno.execPath(),
    ...[
      "run",
      "--no-config",
      "--no-lock",
      "--no-prompt",
      "--allow-all",
      new URL("./relay_main.ts", import.meta.url).href,
    ],
    path,
  ];
}

function runtimeVariables(): Record<string, string> {
  const names = ["HOME", "DENO_DIR", "XDG_CACHE_HOME"];
  return Object.fromEntries(
    names.map((name) => [name, Deno.env.get(name)]).filter((entry): entry is [string, string] =>
      entry[1] !== undefined
    ),
  );
}

/** Small and capital letters: programs do not agree. */
export function proxyVariables(policy: Policy, port: number): Record<string, string> {
  const url = `http://127.0.0.1:${port}`;
  // The sandbox's own servers are reached directly, unless the machine's are meant.
  const own = ["localhost", "127.0.0.1", "::1"];
  const direct = own.filter((host) => !policy.net.some((entry) => entry.replace(/:\d+$/, "") === host));
  const variables = { HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NO_PROXY: direct.join(",") };
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => [[name, value], [name.toLowerCase(), value]]),
  );
}
