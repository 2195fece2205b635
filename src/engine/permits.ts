/** Questions of the permission gate on their way to whoever can answer them. */
import { newId } from "../lib/ids.ts";
import type { PermitAnswer, PermitRequest } from "../sandbox/mod.ts";
import type { EngineEvent } from "./event.ts";

export interface Permits {
  /** Asks the interfaces and waits; an abort answers no. */
  ask(request: PermitRequest, signal: AbortSignal): Promise<PermitAnswer>;
  /** An interface answers. Unknown or answered questions are ignored. */
  answer(permitId: string, answer: PermitAnswer): void;
  /** Reports a decision. */
  decided(request: PermitRequest, answer: PermitAnswer, by: string): void;
}

export function createPermits(emit: (event: EngineEvent) => void): Permits {
  const open = new Map<string, (answer: PermitAnswer) => void>();
  return {
    ask(request, signal) {
      const permitId = newId();
      return new Promise((resolve) => {
        const finish = (answer: PermitAnswer) => {
          if (!open.delete(permitId)) return;
          signal.removeEventListener("abort", refuse);
          resolve(answer);
        };
        const refuse = () => finish({ allow: false, reason: "the user interrupted" });
        open.set(permitId, finish);
        if (signal.aborted) return refuse();
        signal.addEventListener("abort", refuse);
        emit({ type: "permission_request", permitId, callId: request.callId, request: request.summary });
      });
    },
    answer: (permitId, answer) => open.get(permitId)?.(answer),
    decided(request, answer, by) {
      emit({
        type: "permission",
        callId: request.callId,
        request: request.summary,
        decision: answer.allow ? "allow" : "deny",
        by,
      });
    },
  };
}
