/**
 * Answers what the worker asks for, because only the main isolate may do it:
 * whether something is allowed, programs, links, the network, full outputs.
 *
 * Nothing that the worker says about its own rights counts: each action is
 * judged here again, and what it claims to have been granted is compared with
 * what was granted here.
 */
import { HostError, type ShellHost } from "../../shell/host.ts";
import type { Action } from "../policy.ts";
import { createPermits } from "../permits.ts";
import type { ArtifactWriter } from "./artifacts.ts";
import type { Broker } from "./broker.ts";
import type { Deadline } from "./deadline.ts";
import { type Answers, CELLS, type Question, sayWhy } from "./messages.ts";
import type { SheathCall, SheathOptions } from "./sheath.ts";

/** The call that a question belongs to, as far as an answer depends on it. */
interface AskingCall {
  readonly call: SheathCall;
  /** Aborts when the call has ended: questions that are still open are withdrawn. */
  readonly over: { readonly signal: AbortSignal };
  /** Stands still while a question of the call is open. */
  readonly deadline: Deadline;
  readonly cancelled: boolean;
}

/** The worker that asks, and what belongs to it. */
interface AskingWorker {
  readonly cells: Int32Array;
  readonly broker: Broker;
  /** By number. A background shell outlives its call: its questions name one that is not here any more. */
  readonly calls: ReadonlyMap<number, AskingCall>;
  /** Full outputs that are being written, by id. */
  readonly artifacts: Map<number, ArtifactWriter>;
}

/** One for all workers of a sheath: what was granted to one holds for the next. */
interface Questions {
  /** For a worker that goes on meanwhile: throws what the worker is to be told. */
  answer(from: AskingWorker, call: number, question: Question): Promise<Answers[Question["ask"]]>;
  /** For a worker that stands still: the answer is yes or no, in its cells. */
  answerStill(from: AskingWorker, call: number, question: Question): Promise<void>;
  /** Why it is refused; undefined: it is allowed. A person may be asked. Without a call it is a background shell's. */
  permit(open: AskingCall | undefined, action: Action): Promise<string | undefined>;
  /** Whether this was allowed here. A file outside of the roots is opened once for each grant. */
  wasGranted(action: Action): boolean;
}

/** `closing` withdraws the questions of background shells, which outlive their calls. */
export function createQuestions<Result>(
  options: SheathOptions<Result>,
  host: () => Promise<ShellHost>,
  closing: AbortSignal,
): Questions {
  const permits = createPermits(options);
  const granted = new Set<string>();

  async function permit(open: AskingCall | undefined, action: Action): Promise<string | undefined> {
    const refusal = await permitted(open, action);
    if (refusal === undefined && (action.kind === "read" || action.kind === "write")) {
      granted.add(keyOf(action));
    }
    return refusal;
  }

  async function permitted(open: AskingCall | undefined, action: Action): Promise<string | undefined> {
    const answer = permits(action, open?.call.callId ?? "", open?.over.signal ?? closing);
    if (!open?.deadline.isSet || open.cancelled) return await answer;
    open.deadline.hold();
    try {
      return await answer;
    } finally {
      open.deadline.release();
    }
  }

  /** The worker has resolved and judged the path; here it is done again, since only this side may do it at all. */
  async function makeLink(open: AskingCall | undefined, target: string, path: string): Promise<void> {
    const { fs } = await host();
    const cut = path.lastIndexOf("/");
    const folder = cut <= 0 ? "/" : path.slice(0, cut);
    if (fs.realPath(folder) !== folder) {
      throw new HostError("EDENIED", path, "Not allowed: the folder was swapped for something else");
    }
    const refusal = await permit(open, { kind: "write", path, tree: true });
    if (refusal !== undefined) throw new HostError("EDENIED", path, `Not allowed: ${refusal}`);
    await fs.symlink(target, path);
  }

  return {
    permit,
    wasGranted(action) {
      if (action.kind !== "read" && action.kind !== "write") return false;
      return action.opens ? granted.delete(keyOf(action)) : granted.has(keyOf(action));
    },
    async answerStill({ calls, cells }, call, question) {
      let refusal: string | undefined = "";
      if (question.ask === "permit") refusal = await permit(calls.get(call), question.action);
      else if (question.ask === "keep") {
        options.keeper?.keep(question.path, question.tree);
        refusal = undefined;
      }
      sayWhy(cells, refusal ?? "");
      Atomics.store(cells, CELLS.answer, refusal === undefined ? 1 : 2);
      Atomics.notify(cells, CELLS.answer);
    },
    async answer({ broker, calls, artifacts }, call, question) {
      switch (question.ask) {
        case "permit": {
          const reason = await permit(calls.get(call), question.action);
          return reason === undefined ? { allowed: true } : { allowed: false, reason };
        }
        case "spawn": {
          await options.keeper?.beforeProgram();
          const value = await broker.spawn(call, question.spawn);
          if (value.process !== undefined) options.keeper?.programStarted();
          return value;
        }
        case "keep":
          options.keeper?.keep(question.path, question.tree);
          return undefined;
        case "feed":
          await broker.feed(question.process, question.bytes);
          return undefined;
        case "unread":
          return await broker.leftOver(question.process);
        case "symlink":
          await makeLink(calls.get(call), question.target, question.path);
          return undefined;
        case "fetch": {
          const open = calls.get(call);
          if (!options.fetch || !open) throw new HostError("ENOTSUP");
          const judge = (host: string) => permit(open, { kind: "fetch", host });
          return await options.fetch(question.url, judge, open.over.signal);
        }
        case "artifact_create": {
          if (!options.artifacts) throw new HostError("ENOTSUP");
          const writer = await options.artifacts.create(calls.get(call)?.call.callId ?? "");
          artifacts.set(writer.id, writer);
          return { id: writer.id, path: writer.path };
        }
        case "artifact_write":
          await artifacts.get(question.id)?.write(question.bytes);
          return undefined;
        case "artifact_close": {
          const writer = artifacts.get(question.id);
          artifacts.delete(question.id);
          await writer?.close();
          return undefined;
        }
        case "artifact_read":
          return await options.artifacts?.read(question.id, question.offset, question.length);
      }
    },
  };
}

function keyOf({ kind, path, tree, opens }: Extract<Action, { kind: "read" | "write" }>): string {
  return `${kind} ${tree === true} ${opens === true} ${path}`;
}
