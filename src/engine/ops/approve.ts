/** Passes an answer on to the call that waits for it. */
import type { EngineDeps } from "../deps.ts";
import type { Op } from "../op.ts";

export function approve(op: Op & { type: "approve" }, { permits }: EngineDeps): Promise<void> {
  permits.answer(op.permitId, {
    allow: op.allow,
    ...(op.scope === undefined ? {} : { scope: op.scope }),
    ...(op.reason === undefined ? {} : { reason: op.reason }),
  });
  return Promise.resolve();
}
