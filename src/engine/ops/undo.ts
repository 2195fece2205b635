/** Puts files back to what they were before the last prompt's changes, or before those since an entry; or takes that back. */
import { AppError } from "../../lib/errors.ts";
import type { EngineDeps } from "../deps.ts";
import type { Op } from "../op.ts";

export async function undo(op: Op & { type: "undo" | "redo" }, deps: EngineDeps): Promise<void> {
  if (deps.state.running !== undefined) {
    throw new AppError("busy", "A run is under way in this session", { hint: "Interrupt it first" });
  }
  const report = await deps.undo({
    direction: op.type,
    ...(op.type === "undo" && op.to !== undefined ? { since: op.to } : {}),
  });
  if (report === undefined) {
    deps.emit({ type: "notice", level: "info", text: `There is nothing to ${op.type}` });
    return;
  }
  if (report.restored.length > 0) {
    const names = report.restored.slice(0, 50).join("\n");
    const more = report.restored.length > 50 ? `\nand ${report.restored.length - 50} more` : "";
    await deps.session.append({
      kind: "note",
      text: `The user has ${op.type === "undo" ? "undone" : "redone"} changes of files. ` +
        `These are now as they were ${op.type === "undo" ? "before" : "after"} them:\n${names}${more}`,
    }, { sync: true });
  }
  deps.emit({ type: "files_restored", direction: op.type, ...report });
}
