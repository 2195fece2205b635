/** The engine: ops in, events out. It routes; each op is a function of its own. */
import type { EngineDeps } from "./deps.ts";
import type { EngineEvent } from "./event.ts";
import type { Op, PromptPart } from "./op.ts";
import { type Attached, createLive } from "./live.ts";
import { ops } from "./ops/mod.ts";
import type { Snapshot, TreeNode } from "./snapshot.ts";

/** A session at work: ops go in, events come out. */
export interface Engine {
  /** Whether there is something to go on with, without a prompt: a run without an end, or one that ended before an answer. */
  readonly unfinished: boolean;
  /** In a fork from something that was said: that, to be edited and said again. */
  readonly editable?: readonly PromptPart[];
  /** What the user should know before anything is said, for whoever shows it now; the first run tells what was not taken. */
  takeNotices(): readonly string[];
  /** Resolves when the op is done: a prompt, when its run has ended. */
  submit(op: Op): Promise<void>;
  /** Calls back for every event, in order, until the answer is called. */
  subscribe(watch: (event: EngineEvent) => void): () => void;
  /** What interfaces draw of the session. */
  snapshot(): Promise<Snapshot>;
  /** The places of the session that one can go to, in the order in which they came. */
  tree(): Promise<readonly TreeNode[]>;
  /** Joins what is going on: the entries after the first `from`, a picture, then everything that happens. */
  attach(from: number): Attached;
  /** Ends the worker and every program, and gives the session's lock back. */
  close(): Promise<void>;
  /** Ends every program at once, for an exit that waits for nothing. */
  abandon(): void;
}

/** Where events come from and go to. */
export interface Broadcast {
  emit(event: EngineEvent): void;
  subscribe(watch: (event: EngineEvent) => void): () => void;
}

/** `clean` takes out of an event what nobody may see. */
export function createBroadcast(clean: (event: EngineEvent) => EngineEvent = (event) => event): Broadcast {
  const watchers = new Set<(event: EngineEvent) => void>();
  return {
    emit(event) {
      const shown = clean(event);
      watchers.forEach((watch) => watch(shown));
    },
    subscribe(watch) {
      watchers.add(watch);
      return () => watchers.delete(watch);
    },
  };
}

export function createRouter(
  deps: EngineDeps,
  broadcast: Broadcast & { readonly clean?: (op: Op) => Op },
  ends: Pick<Engine, "close" | "abandon" | "editable">,
): Engine {
  // The type of the table by name is more than the compiler can work out.
  const table: Readonly<Record<string, (op: never, deps: EngineDeps) => Promise<void>>> = ops;
  const live = createLive(deps.session, broadcast);
  return {
    attach: live.attach,
    get unfinished() {
      const { run, messages, openCalls } = deps.session.projection;
      const last = messages.at(-1);
      if (last?.role === "tool_result" || last?.role === "user") return true;
      // Its answer is there, only the end was not written down: there is nothing more to ask for.
      const answered = last?.role === "assistant" && last.stopReason === "stop" && openCalls.length === 0;
      return run !== undefined && !answered;
    },
    takeNotices: () => deps.notices.splice(0),
    submit: (op) => table[op.type]((broadcast.clean?.(op) ?? op) as never, deps),
    subscribe: broadcast.subscribe,
    snapshot: async () => await (await import("./snapshot.ts")).takeSnapshot(deps),
    tree: async () => (await import("./snapshot.ts")).treeOf(deps),
    ...ends,
  };
}
