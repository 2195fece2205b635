/**
 * Says what binds external programs in this session, and what the user should
 * know of it: that there is no wrapper and what follows from that, or which one
 * was taken instead of a better one.
 */
import { type Confinement, missingWrapper } from "../os/mod.ts";
import { isWrapped, type Policy } from "../policy.ts";
import type { SheathDescription } from "./sheath.ts";

/** What can be told of one session's confinement. */
interface Descriptions {
  /** See `Sheath.describe`. Tries the wrapper, if nobody has yet. */
  describe(): Promise<SheathDescription>;
  /** See `Sheath.warning`. */
  warning(tried: boolean): Promise<string | undefined>;
  /** The remark itself where it was not told in this session; undefined from then on. */
  untold(remark: string | undefined): string | undefined;
}

/** For the policy of one session and what confines its programs. */
export function createDescriptions(policy: Policy, confinement: Confinement): Descriptions {
  let remarked = false;

  function untold(remark: string | undefined): string | undefined {
    if (remarked) return undefined;
    remarked = remark !== undefined;
    return remark;
  }

  return {
    untold,
    async warning(tried) {
      const wanted = policy.mode !== "off" && policy.exec !== "deny" && isWrapped(policy, "any");
      if (!wanted) return policy.mode === "off" ? undefined : warningOf(policy, missingWrapper(policy));
      const missing = missingWrapper(policy);
      if (missing !== undefined || !tried) return warningOf(policy, missing);
      const { problem, remark } = await confinement.wrapper();
      return warningOf(policy, problem) ?? untold(remark);
    },
    async describe() {
      if (policy.mode === "off") return { mode: policy.mode };
      const { wrapper, problem, remark } = await confinement.wrapper();
      return {
        mode: policy.mode,
        wrapper: wrapper?.name,
        wrapperProblem: problem,
        warning: warningOf(policy, problem) ?? remark,
      };
    },
  };
}

/** What follows from it that there is no wrapper; undefined where nothing does. */
function warningOf(policy: Policy, problem: string | undefined): string | undefined {
  if (problem === undefined) return undefined;
  switch (policy.exec) {
    case "allow":
      return policy.mode === "read-only"
        ? `${problem}: external programs are refused in read-only mode`
        : `${problem}: external programs run unconfined (sandbox.exec is "allow")`;
    case "deny":
      return undefined;
    default:
      return policy.mode === "read-only" || policy.exec === "os" || policy.approve === "never"
        ? `${problem}: external programs are refused unless a run(…) rule allows them`
        : `${problem}: each external program is asked for`;
  }
}
