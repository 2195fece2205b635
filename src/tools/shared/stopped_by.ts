/** Why a call that has outlived its work was stopped. */

/** "timeout" or "cancelled" where the call was stopped; undefined where it was not. */
export function stoppedBy(poll: () => void): "timeout" | "cancelled" | undefined {
  try {
    poll();
    return undefined;
  } catch (reason) {
    return (reason as { by?: string }).by === "timeout" ? "timeout" : "cancelled";
  }
}
