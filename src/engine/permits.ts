/**
 * Questions of the permission gate on their way to whoever can answer them: a
 * small model first where `permissions.approve` is "auto", then a person
 * where there is one. What is answered "for this project" is kept as a rule.
 */
import { newId } from "../lib/ids.ts";
import { describe } from "../lib/errors.ts";
import type { PermitAnswer, PermitRequest } from "../sandbox/mod.ts";
import type { EngineEvent } from "./event.ts";

/** Answers what the rules leave open. */
export interface Permits {
  /** Asks and waits; an abort answers no. */
  ask(request: PermitRequest, signal: AbortSignal): Promise<PermitAnswer>;
  /** An interface answers. Unknown or answered questions are ignored. */
  answer(permitId: string, answer: PermitAnswer): void;
  /** Reports a decision. */
  decided(request: PermitRequest, answer: PermitAnswer, by: string): void;
}

/** What a small model makes of a question. */
export type Judgement =
  | { readonly says: "allow" }
  | { readonly says: "deny" | "unsure"; readonly why: string };

/** Who may answer, and where a lasting answer is kept. */
export interface PermitWays {
  /** Whether a person can answer here; default: yes. */
  readonly person?: boolean;
  /** Asked before a person is. Never rejects. */
  readonly judge?: (request: PermitRequest, signal: AbortSignal) => Promise<Judgement>;
  /** Keeps a rule for this project, in the user's own settings. */
  readonly keep?: (rule: string) => Promise<void>;
}

export function createPermits(emit: (event: EngineEvent) => void, ways: PermitWays = {}): Permits {
  const open = new Map<string, (answer: PermitAnswer) => void>();

  function askPerson(request: PermitRequest, signal: AbortSignal, why: string): Promise<PermitAnswer> {
    const permitId = newId();
    return new Promise((resolve) => {
      const finish = (answer: PermitAnswer) => {
        if (!open.delete(permitId)) return;
        signal.removeEventListener("abort", refuse);
        resolve(answer);
      };
      const refuse = () => finish({ allow: false, reason: "the user interrupted", by: "mode" });
      open.set(permitId, finish);
      if (signal.aborted) return refuse();
      signal.addEventListener("abort", refuse);
      emit({
        type: "permission_request",
        permitId,
        callId: request.callId,
        request: request.summary,
        reason: why,
        rule: request.suggestion ?? null,
      });
    });
  }

  /** The answer holds for the session in any case; that it cannot be kept for longer is told. */
  async function kept(request: PermitRequest, answer: PermitAnswer): Promise<PermitAnswer> {
    if (!answer.allow || answer.scope !== "project") return answer;
    let problem: string | undefined;
    if (request.suggestion === undefined) problem = "no rule says just this";
    else if (ways.keep === undefined) problem = "there is no place for it here";
    else {
      try {
        await ways.keep(request.suggestion);
      } catch (error) {
        problem = describe(error);
      }
    }
    if (problem === undefined) return answer;
    const text = `The answer holds for this session and is not kept for the project: ${problem}`;
    emit({ type: "notice", level: "warning", text });
    return { ...answer, scope: "session" };
  }

  return {
    async ask(request, signal) {
      let why = request.reason;
      if (ways.judge !== undefined) {
        const found = await ways.judge(request, signal);
        if (found.says === "allow") return { allow: true, by: "auto" };
        if (found.says === "deny") {
          return {
            allow: false,
            by: "auto",
            reason: `${request.summary} was refused by the automatic judge: ${found.why}`,
          };
        }
        why = `${why}; the automatic judge is not sure (${found.why})`;
      }
      if (ways.person === false) {
        return { allow: false, by: "auto", reason: `${why}, and nobody can be asked here` };
      }
      return await kept(request, await askPerson(request, signal, why));
    },
    answer: (permitId, answer) => open.get(permitId)?.(answer),
    decided(request, answer, by) {
      emit({
        type: "permission",
        callId: request.callId,
        request: request.summary,
        decision: answer.allow ? "allow" : "deny",
        by,
        ...(answer.allow && answer.scope !== undefined && answer.scope !== "once"
          ? { scope: answer.scope, rule: request.suggestion ?? null }
          : {}),
      });
    },
  };
}
