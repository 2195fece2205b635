/**
 * What must happen before a session that was cut off can go on: pure, from
 * its projection and the tools as they are today. Whoever executes the plan
 * appends a result for each call, in order.
 */
import type { OpenRun, Projection } from "./project.ts";

export type RecoverAction =
  /** Repeat it: it was declared safe, when it was made and now. */
  | { readonly action: "rerun" }
  /** Append `text` as its result, an error; it must not run again. */
  | { readonly action: "close"; readonly text: string };

export type RecoverCall = {
  readonly callId: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
  /** Whether it may have had its effect. */
  readonly started: boolean;
} & RecoverAction;

export interface RecoveryPlan {
  /** The run that has no end; undefined: the session rests. */
  readonly run: OpenRun | undefined;
  /** The calls without a result, in call order. */
  readonly calls: readonly RecoverCall[];
  /** It was taken up too often without getting on: wait for a person instead of trying again. */
  readonly parked: boolean;
}

/** As many resumes in a row without an answer or a result park a run. */
const MAX_STALLS = 5;

const UNKNOWN_OUTCOME =
  "interrupted: outcome not known. The program ended while this call was running, so it may have had its " +
  "effect, wholly or in part. It was not run again. Check the state of things before repeating it.";
const NOT_STARTED =
  "interrupted: the program ended before this call was started. It had no effect and was not run.";

const LOST_RECORD =
  "interrupted: outcome not known. The session's file is damaged, and does not say any more whether this call " +
  "was started, so it may have had its effect. It was not run again. Check the state of things before " +
  "repeating it.";

/**
 * The plan. `declared` tells what a tool says of itself today; undefined: there
 * is no such tool. `damaged`: entries of the file are lost, so that a call
 * without an intent may have had one.
 */
export function planRecovery(
  projection: Projection,
  declared: (name: string) => "safe" | "never" | undefined,
  damaged = false,
): RecoveryPlan {
  const calls = projection.openCalls.map(({ callId, name, arguments: args, replay }): RecoverCall => {
    const lost = damaged && replay === undefined;
    const call = { callId, name, arguments: args, started: replay !== undefined || lost };
    if (lost) return { ...call, action: "close", text: LOST_RECORD };
    if (declared(name) === "safe" && replay !== "never") return { ...call, action: "rerun" };
    return { ...call, action: "close", text: replay === undefined ? NOT_STARTED : UNKNOWN_OUTCOME };
  });
  return { run: projection.run, calls, parked: (projection.run?.stalls ?? 0) >= MAX_STALLS };
}

/** The text of the result of a call that a cancel ended: `started` as the plan has it. */
export function cancelledText(started: boolean): string {
  return started
    ? "cancelled by the user while it was running; it may have had its effect in part"
    : "cancelled by the user before it was started; it had no effect";
}
