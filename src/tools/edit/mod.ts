/** `edit`: the declaration. */
import type { SheathTool } from "../tool.ts";
import description from "./edit.md" with { type: "text" };
import schema from "./schema.json" with { type: "json" };

/** Never repeated after a crash: its old text may be gone, or stand there again. */
export const edit: SheathTool = {
  name: "edit",
  description: description.trim(),
  schema,
  replay: "never",
  effects: "write",
  runsIn: "sheath",
  touches: "path",
  set: "core",
  body: () => import("./body.ts"),
};
