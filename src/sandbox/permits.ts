/**
 * From an action to yes or no: the judge first, and where it says "ask",
 * whoever the approval mode names.
 */
import { decide, summarize, withoutAnswer } from "./decide.ts";
import { suggestRule } from "./rules.ts";
import type { Action, Policy } from "./policy.ts";

/** A question for a person (or for whoever decides in their place). */
export interface PermitRequest {
  readonly callId: string;
  readonly action: Action;
  /** Why the rules do not decide it. */
  readonly reason: string;
  /** The action in one line: `run git push origin main`. Raw text: strip before drawing. */
  readonly summary: string;
  /** The narrow rule that would allow it for good, such as `run(git push *)`. */
  readonly suggestion: string;
}

export interface PermitAnswer {
  readonly allow: boolean;
  /** A word to the model. */
  readonly reason?: string;
}

export interface PermitOptions {
  readonly policy: Policy;
  /** Asked only where `policy.approve` is "ask" or "auto". Aborts with the call. */
  approve?(request: PermitRequest, signal: AbortSignal): Promise<PermitAnswer>;
  /** A decision that was made about a question, for logs and events. */
  decided?(request: PermitRequest, answer: PermitAnswer, by: "rule" | "mode" | "person"): void;
}

/** Resolves to undefined where the action may be done, else to the reason why not. */
export type Permits = (action: Action, callId: string, over: AbortSignal) => Promise<string | undefined>;

/** The verdicts that come of there being no wrapper. */
const WANT_WRAPPER = ["sandbox.mode read-only", "sandbox.exec os", "sandbox.exec auto"];

export function createPermits(options: PermitOptions): Permits {
  const { policy } = options;

  async function asked(request: PermitRequest, over: AbortSignal): Promise<PermitAnswer> {
    if (over.aborted) return { allow: false, reason: "the call was cancelled" };
    const withdrawn = new Promise<PermitAnswer>((resolve) => {
      over.addEventListener("abort", () => {
        resolve({ allow: false, reason: "the call was cancelled while the question was open" });
      }, { once: true });
    });
    try {
      return await Promise.race([options.approve!(request, over), withdrawn]);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return { allow: false, reason: `the question could not be asked: ${text}` };
    }
  }

  return async (action, callId, over) => {
    const verdict = decide(policy, action);
    if (verdict.decision === "allow") return undefined;
    const problem = action.kind === "run" && WANT_WRAPPER.includes(verdict.rule) ? action.problem : undefined;
    const why = problem === undefined ? verdict.reason : `${verdict.reason} (${problem})`;
    if (verdict.decision === "deny") return why;
    const request: PermitRequest = {
      callId,
      action,
      reason: why,
      summary: summarize(action),
      suggestion: suggestRule(action, policy),
    };
    if (policy.approve === "always") {
      options.decided?.(request, { allow: true }, "mode");
      return undefined;
    }
    if (policy.approve === "never" || !options.approve) {
      const reason = withoutAnswer(action, why, policy);
      options.decided?.(request, { allow: false, reason }, "mode");
      return reason;
    }
    const answer = await asked(request, over);
    options.decided?.(request, answer, "person");
    return answer.allow ? undefined : answer.reason ?? `${request.summary} was refused by the user`;
  };
}
