/**
 * The worker's entry and composition root: here tool bodies, the shell and the
 * guarded file system are joined. The worker has no right but to the files of
 * its roots; whatever else a tool needs it asks the main isolate for.
 *
 * A tool's body is loaded at its first call and made anew for each call, so
 * that it holds the call's own cancel flag; what outlives a call (the shell,
 * the ledger of what was read) belongs to the session.
 */
import { errorResult, type ToolResult } from "../agent/tool.ts";
import { describe } from "../lib/errors.ts";
import {
  type Action,
  CELLS,
  createFarFs,
  createGuardedFs,
  createLiveOutput,
  createRemote,
  createSwitchedFs,
  type FarFs,
  type GuardedFs,
  type GuardedFsOptions,
  type InitMessage,
  type LiveOutput,
  loadRealFs,
  type ToMain,
  type ToWorker,
} from "../sandbox/mod.ts";
import { allTools, type FetchAnswer, type SheathDeps, type SheathTool } from "../tools/mod.ts";
import { createCalls } from "./calls.ts";
import { createKeptFs } from "./kept_fs.ts";
import { createShellHost } from "./host.ts";
import { createSession, type SessionMemory, type SheathSession } from "./session.ts";

type Call = Extract<ToWorker, { type: "call" }>;
type Memories = (readonly [session: string, memory: SessionMemory])[];

const scope = self as unknown as {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: ToMain, transfer?: Transferable[]): void;
};

function post(message: ToMain, transfer: Transferable[] = []): void {
  scope.postMessage(message, transfer);
}

/** Everything after the first message. */
function start(init: InitMessage, real: Awaited<ReturnType<typeof loadRealFs>>): (message: ToWorker) => void {
  const cells = new Int32Array(init.cells);
  const remote = createRemote(post, cells);
  const calls = createCalls(cells);
  const sessions = new Map<string, SheathSession>();
  /** Of an earlier worker, by session. */
  const memories = new Map(init.memory as Memories | undefined);
  const bodies = new Map<string, ReturnType<SheathTool["body"]>>();

  function guardedFs(call: () => number): GuardedFs {
    const fs = bareFs(call);
    if (!init.keeps) return fs;
    return createKeptFs({
      fs,
      call: () => ({ number: call(), open: calls.find(call()) !== undefined }),
      keep: remote.keepStill,
    });
  }

  function bareFs(call: () => number): GuardedFs {
    async function permit(action: Action): Promise<string | undefined> {
      const answer = await remote.ask(call(), { ask: "permit", action });
      return answer.allowed ? undefined : answer.reason;
    }
    const permitStill = (action: Action, reason: string) => remote.askStill(call(), action, reason);
    const near = (resume?: GuardedFsOptions["resume"], far?: FarFs) =>
      createGuardedFs({
        ...real,
        resume,
        ...(far === undefined ? {} : { openOutside: far.openGranted }),
        policy: init.policy,
        windows: init.facts.platform === "windows",
        programFolders: init.programFolders,
        programsRun: () => Atomics.load(cells, CELLS.programs) > 0,
        generation: () => Atomics.load(cells, CELLS.started),
        permit,
        permitStill,
        symlink: (target, path) => remote.ask(call(), { ask: "symlink", target, path }),
      });
    const { answers } = init;
    if (!answers) return near();
    const far = createFarFs({
      answers,
      post: (request, granted, transfer) => post({ type: "file", request, granted }, transfer),
      permit,
      permitStill,
    });
    return createSwitchedFs({ cells, far, near: (resume) => near(resume, far) });
  }

  function sessionOf(name: string): SheathSession {
    const known = sessions.get(name);
    if (known) return known;
    const made = createSession({ init, remote, calls, guardedFs }, memories.get(name));
    sessions.set(name, made);
    return made;
  }

  /** What another worker needs to take over; undefined where a session holds more than data can say. */
  async function memoryOfAll(): Promise<Memories | undefined> {
    const all = new Map(memories);
    for (const [name, session] of sessions) {
      const memory = await session.memory();
      if (memory === undefined) return undefined;
      all.set(name, memory);
    }
    return [...all];
  }

  async function run(message: Call, live: LiveOutput): Promise<ToolResult> {
    const tool = allTools.find((one) => one.name === message.name);
    if (!tool || tool.runsIn !== "sheath") return errorResult(`There is no tool named "${message.name}".`);
    const body = bodies.get(tool.name) ?? tool.body();
    bodies.set(tool.name, body);
    const session = sessionOf(message.session);
    const open = calls.open(message);
    open.taken = live.taken;
    const deps: SheathDeps = {
      fs: guardedFs(() => message.call),
      workspace: init.policy.workspace,
      cwd: session.cwd,
      home: init.policy.home,
      ...(init.policy.mode === "off" ? {} : { privateTemp: init.policy.tempDir }),
      poll: () => {
        if (calls.stopped(message.cell)) throw open.reason();
      },
      artifacts: artifactsOf(message.call),
      docs: async (name) => (await import("../context/mod.ts")).readDoc(name),
      ledger: session.ledger,
      limits: { outputBytes: init.limits.outputBytes, bashTimeoutMs: init.limits.bashTimeoutMs },
      offline: init.policy.mode !== "off" && init.policy.exec !== "allow" && !init.policy.net.includes("*"),
      shell: () => session.shell(message),
      trusted: init.trusted === true,
      fetch: async (url) => await remote.ask(message.call, { ask: "fetch", url }) as FetchAnswer,
      program: async (request) => {
        const { runProgram } = await import("./program.ts");
        const host = createShellHost({ init, remote, calls, guardedFs }, message);
        return await runProgram(host, init.env, request);
      },
      deadline: (ms) => post({ type: "deadline", call: message.call, ms }),
    };
    try {
      const { create } = await body;
      calls.begin(open);
      return await create(deps).run(message.args, {
        callId: message.callId,
        signal: open.signal,
        output: live.write,
      });
    } finally {
      calls.close(message.call);
      session.release(message.call);
    }
  }

  function artifactsOf(call: number): SheathDeps["artifacts"] {
    return {
      read: (id, offset, length) =>
        remote.ask(call, {
          ask: "artifact_read",
          id: id.startsWith("local/") ? id : Number(id),
          offset,
          length,
        }),
      async create() {
        if (!init.artifacts) return undefined;
        const { id, path } = await remote.ask(call, { ask: "artifact_create" });
        let room = init.limits.artifactBytes;
        return {
          id,
          path,
          async write(bytes) {
            // What is beyond the limit is not kept: the disk is not there to be filled.
            const part = bytes.slice(0, Math.max(0, room));
            room -= part.length;
            if (part.length > 0) {
              await remote.ask(call, { ask: "artifact_write", id, bytes: part }, [part.buffer]);
            }
          },
          close: () => remote.ask(call, { ask: "artifact_close", id }),
        };
      },
    };
  }

  return (message) => {
    if (remote.receive(message)) return;
    switch (message.type) {
      case "call": {
        called = true;
        const live = createLiveOutput((text) => post({ type: "output", call: message.call, text }));
        run(message, live).then(
          (result) => {
            post({ type: "result", call: message.call, result, ...restOf(live) });
            // While the model thinks about it, there is time.
            void preload(sessionOf(message.session));
          },
          (error) => {
            const text = calls.isStop(error) ? "Cancelled." : `${message.name} failed: ${describe(error)}`;
            post({ type: "broken", call: message.call, text, ...restOf(live) });
          },
        );
        return;
      }
      case "cancel":
        return calls.cancel(message.call, message.reason);
      case "rest":
        return void memoryOfAll().catch(() => undefined).then((memory) => post({ type: "resting", memory }));
      case "taken":
        return calls.find(message.call)?.taken(message.length);
    }
  };
}

function restOf(live: LiveOutput): { output?: string } {
  const output = live.rest();
  return output === "" ? {} : { output };
}

const waiting: ToWorker[] = [];
let receive: ((message: ToWorker) => void) | undefined;

scope.onmessage = async ({ data }) => {
  if (receive) return receive(data);
  if (data.type !== "init") return void waiting.push(data);
  receive = start(data, await loadRealFs(data.facts.user));
  post({ type: "ready" });
  for (const message of waiting.splice(0)) receive(message);
  // A call that waits already comes first, and what it needs: after it there is time.
  setTimeout(() => called || preload(), 0);
};

const PRELOAD_PAUSE_MS = 250;
let called = false;
let preloaded = false;

/**
 * Loads what nearly every run needs while the model still thinks. Also: the
 * worker may not read the program's files, so what is loaded late would fail
 * where somebody (the model, on this very program) has changed them meanwhile.
 */
async function preload(session?: SheathSession): Promise<void> {
  if (preloaded) return;
  preloaded = true;
  const quietly = (load: Promise<unknown>) => load.catch(() => {/* told by the call that needs it */});
  // What first calls mostly are: the list's first one, then the shell.
  for (const tool of [allTools[0], allTools.find(({ name }) => name === "bash")]) {
    if (tool?.runsIn === "sheath") await quietly(tool.body());
  }
  await quietly(session?.warm() ?? import("./interpreter.ts"));
  // The rest one after the other and not at once, so that calls that come meanwhile are not held up.
  for (const tool of allTools) {
    if (tool.runsIn !== "sheath") continue;
    await new Promise((resolve) => setTimeout(resolve, PRELOAD_PAUSE_MS));
    await quietly(tool.body());
  }
  // What says what is wrong with arguments.
  await quietly(import("../lib/schema.ts"));
}
