/** The two ends of the protocol joined in one isolate: programs as the worker sees them, without a worker. */
import type { Appeared } from "../../src/sandbox/worker/appeared.ts";
import { createRealHost } from "../../src/sandbox/host_real.ts";
import { createConfinement, preparePolicy, removeTemp } from "../../src/sandbox/os/mod.ts";
import type { PolicySettings, WrapperSearch } from "../../src/sandbox/os/mod.ts";
import type { OpenedFile } from "../../src/sandbox/host_guarded.ts";
import type { Action, Policy } from "../../src/sandbox/policy.ts";
import { type Broker, createBroker } from "../../src/sandbox/worker/broker.ts";
import { CELLS, type ToMain } from "../../src/sandbox/worker/messages.ts";
import { createRemote, type Remote } from "../../src/sandbox/worker/remote.ts";
import {
  HostError,
  type HostFile,
  type HostProcess,
  type ShellHost,
  type SpawnRequest,
} from "../../src/shell/host.ts";

export interface Pair {
  readonly broker: Broker;
  readonly cells: Int32Array;
  readonly remote: Remote;
  readonly host: ShellHost;
  readonly policy: Policy;
  readonly workspace: string;
  readonly home: string;
  /** Runs `sh -c script`; both outputs joined, and how it ended. */
  sh(script: string, extra?: Partial<SpawnRequest>): Promise<{ out: string; code: number; signal?: string }>;
  spawn(request: Partial<SpawnRequest> & { program: string }): Promise<HostProcess>;
  /** Opens a file that can be handed over. */
  open(path: string, options: Parameters<ShellHost["fs"]["open"]>[1]): Promise<HostFile>;
}

export interface PairOptions {
  /** "none": as on a machine without a wrapper; "unshare": as on one without bubblewrap. */
  readonly wrapper?: "none" | "real" | "unshare";
  readonly policy?: Partial<PolicySettings>;
  permit?(action: Action): string | undefined | Promise<string | undefined>;
  appeared?(places: readonly Appeared[]): void;
}

export async function withPair(options: PairOptions, work: (pair: Pair) => Promise<void>): Promise<void> {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "broker-test-" }));
  const workspace = `${root}/ws`;
  const home = `${root}/home`;
  for (const folder of [workspace, home, `${home}/.ssh`]) Deno.mkdirSync(folder);
  Deno.writeTextFileSync(`${home}/.ssh/id_rsa`, "CANARY-KEY\n");
  const policy = preparePolicy({
    mode: "workspace",
    workspace,
    approve: "never",
    home,
    ownFolder: `${home}/.myelin`,
    // So that the home is there to be seen, and hiding is what hides.
    readRoots: [home],
    ...options.policy,
  });
  const confinement = createConfinement(policy, options.wrapper === "unshare" ? { bwrap: false } : {});
  const host = createRealHost();
  const cells = new Int32Array(new SharedArrayBuffer(CELLS.length * 4));
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, TMPDIR: policy.tempDir };
  const remote: Remote = createRemote((message) => queueMicrotask(() => receive(message)), cells);
  const broker = createBroker({
    policy,
    host,
    env,
    cells,
    wrapper: (): Promise<WrapperSearch> =>
      (options.wrapper ?? "none") === "none"
        ? Promise.resolve({ problem: "none in this test" })
        : confinement.wrapper(),
    async permit(_call, action) {
      const refusal = await options.permit?.(action);
      if (refusal !== undefined) throw new HostError("EDENIED", undefined, refusal);
    },
    post: (message) => queueMicrotask(() => remote.receive(message)),
    appeared: options.appeared,
  });

  function receive(message: ToMain): void {
    switch (message.type) {
      case "question": {
        const { question, id } = message;
        const work = question.ask === "spawn"
          ? broker.spawn(message.call, question.spawn)
          : question.ask === "feed"
          ? broker.feed(question.process, question.bytes)
          : question.ask === "unread"
          ? broker.leftOver(question.process)
          : Promise.reject(new HostError("ENOTSUP"));
        return void work.then(
          (value) => remote.receive({ type: "reply", id, value }),
          (error: HostError) =>
            remote.receive({ type: "reply", id, error: { code: error.code, message: error.message } }),
        );
      }
      case "more":
        return broker.more(message.process, message.fd);
      case "unread":
        return broker.unread(message.process, message.fd);
      case "unfed":
        return broker.unfed(message.process);
      case "kill":
        return broker.signal(message.process, message.signal);
    }
  }

  const opened = new WeakMap<HostFile, OpenedFile>();
  const spawn: Pair["spawn"] = (request) =>
    remote.spawn(1, {
      argv: [request.program],
      cwd: workspace,
      env,
      stdin: { kind: "null" },
      stdout: { kind: "pipe" },
      stderr: { kind: "pipe" },
      ...request,
    }, (file) => opened.get(file));
  try {
    await work({
      broker,
      cells,
      remote,
      host,
      policy,
      workspace,
      home,
      spawn,
      async open(path, wanted) {
        const file = await host.fs.open(path, wanted);
        opened.set(file, { path, options: wanted });
        return file;
      },
      async sh(script, extra = {}) {
        const child = await spawn({ program: "/bin/sh", argv: ["sh", "-c", script], ...extra });
        const texts = await Promise.all([child.stdout, child.stderr].map(readAll));
        return { out: texts.join(""), ...await child.ended };
      },
    });
  } finally {
    await broker.close();
    await confinement.close();
    removeTemp(policy);
    Deno.removeSync(root, { recursive: true });
  }
}

/** Everything that comes out, as text. */
export async function readAll(source: HostProcess["stdout"]): Promise<string> {
  if (!source) return "";
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(50_000);
  let text = "";
  for (;;) {
    const length = await source.read(buffer);
    if (length === 0) return text + decoder.decode();
    text += decoder.decode(buffer.subarray(0, length), { stream: true });
  }
}

/** Whether a process is there (and not only its entry waiting to be collected). */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false;
  }
}
