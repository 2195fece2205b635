/**
 * From an action to yes or no: the judge first, and where it says "ask",
 * what was answered before, then whoever the approval mode names. A rule that
 * denies is beyond all answers.
 */
import { describe } from "../lib/errors.ts";
import { decide, summarize, withoutAnswer } from "./decide.ts";
import { applies, parseRule, suggestRule } from "./rules.ts";
import type { Action, Policy } from "./policy.ts";

/** A question for a person (or for whoever decides in their place). */
export interface PermitRequest {
  readonly callId: string;
  readonly action: Action;
  /** Why the rules do not decide it. */
  readonly reason: string;
  /** The action in one line: `run git push origin main`. Raw text: strip before drawing. */
  readonly summary: string;
  /** The narrow rule that would allow it for good, such as `run(git push *)`; undefined where no rule says just that. */
  readonly suggestion: string | undefined;
}

/** How far an answer reaches: this once, whatever the suggested rule covers in this session, or from now on in this project. */
export type PermitScope = "once" | "session" | "project";

/** What a person, or whoever stands in for one, says to a question. */
export interface PermitAnswer {
  readonly allow: boolean;
  /** A word to the model. */
  readonly reason?: string;
  /** With a yes; absent: once. */
  readonly scope?: PermitScope;
  /** Who answered, where it was not a person. */
  readonly by?: string;
}

/** What was answered for longer than once; share one among all that ask in a session. */
export interface Approvals {
  covers(action: Action, policy: Policy): boolean;
  add(request: PermitRequest): void;
}

/** Forgotten with the process. */
export function createApprovals(): Approvals {
  const rules = new Set<string>();
  /** Actions that no rule says: exactly these. */
  const exact = new Set<string>();
  return {
    covers: (action, policy) =>
      exact.has(keyOf(action)) ||
      [...rules].some((text) => applies(parseRule(text), action, policy, false)),
    add({ action, suggestion }) {
      if (suggestion === undefined) exact.add(keyOf(action));
      else rules.add(suggestion);
    },
  };
}

function keyOf(action: Action): string {
  switch (action.kind) {
    case "run":
      // The same words with another environment are another command.
      return JSON.stringify([
        "run",
        action.cwd,
        action.program ?? "",
        action.argv,
        (action.given ?? []).map(({ name, value }) => [name, value ?? null]),
      ]);
    case "read":
    case "write":
      return JSON.stringify([action.kind, action.path]);
    case "fetch":
      return JSON.stringify(["fetch", action.host]);
    case "mcp":
      return JSON.stringify(["mcp", action.server, action.tool]);
  }
}

/** The policy, and who answers what it leaves open; without `approve` nobody does. */
export interface PermitOptions {
  readonly policy: Policy;
  /** Asked only where `policy.approve` is "ask" or "auto". Aborts with the call. */
  approve?(request: PermitRequest, signal: AbortSignal): Promise<PermitAnswer>;
  /** A decision that was made, for logs and events. `by`: the rule, "mode", "session", "person", or who else answered. */
  decided?(request: PermitRequest, answer: PermitAnswer, by: string): void;
  /** Answers that hold on; default: a memory of its own. */
  readonly approvals?: Approvals;
}

/** Resolves to undefined where the action may be done, else to the reason why not. */
export type Permits = (action: Action, callId: string, over: AbortSignal) => Promise<string | undefined>;

/** The verdicts that come of there being no wrapper. */
const WANT_WRAPPER = ["sandbox.mode read-only", "sandbox.exec os", "sandbox.exec auto"];

/** A question that cannot be asked is a refusal with the reason. */
export function createPermits(options: PermitOptions): Permits {
  const { policy } = options;
  const approvals = options.approvals ?? createApprovals();

  async function asked(request: PermitRequest, over: AbortSignal): Promise<PermitAnswer> {
    if (over.aborted) return { allow: false, reason: "the call was cancelled", by: "mode" };
    const withdrawn = new Promise<PermitAnswer>((resolve) => {
      over.addEventListener("abort", () => {
        resolve({ allow: false, reason: "the call was cancelled while the question was open", by: "mode" });
      }, { once: true });
    });
    try {
      return await Promise.race([options.approve!(request, over), withdrawn]);
    } catch (error) {
      const text = describe(error);
      return { allow: false, reason: `the question could not be asked: ${text}`, by: "mode" };
    }
  }

  return async (action, callId, over) => {
    const verdict = decide(policy, action);
    if (verdict.decision === "allow") return undefined;
    const problem = action.kind === "run" && WANT_WRAPPER.includes(verdict.rule) ? action.problem : undefined;
    const why = problem === undefined ? verdict.reason : `${verdict.reason} (${problem})`;
    const request: PermitRequest = {
      callId,
      action,
      reason: why,
      summary: summarize(action),
      suggestion: suggestRule(action, policy),
    };
    if (verdict.decision === "deny") {
      options.decided?.(request, { allow: false, reason: why }, verdict.rule);
      return why;
    }
    if (approvals.covers(action, policy)) {
      options.decided?.(request, { allow: true }, "session");
      return undefined;
    }
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
    if (answer.allow && answer.scope !== undefined && answer.scope !== "once") approvals.add(request);
    options.decided?.(request, answer, answer.by ?? "person");
    if (answer.allow) return undefined;
    if (answer.reason === undefined) return `${request.summary} was refused by the user`;
    return answer.by === undefined
      ? `${request.summary} was refused by the user, who says: ${answer.reason}`
      : answer.reason;
  };
}
