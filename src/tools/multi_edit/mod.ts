/** `multi_edit`: the declaration. */
import type { SheathTool } from "../tool.ts";
import description from "./multi_edit.md" with { type: "text" };
import schema from "./schema.json" with { type: "json" };

/** Never repeated after a crash, as `edit`. It names several files, so none is told to `touches`. */
export const multiEdit: SheathTool = {
  name: "multi_edit",
  description: description.trim(),
  schema,
  replay: "never",
  effects: "write",
  runsIn: "sheath",
  set: "full",
  body: () => import("./body.ts"),
};
