/** `read`: the declaration. */
import type { SheathTool } from "../tool.ts";
import description from "./read.md" with { type: "text" };
import schema from "./schema.json" with { type: "json" };

/** Only reads: several run side by side. */
export const read: SheathTool = {
  name: "read",
  description: description.trim(),
  schema,
  replay: "safe",
  effects: "read",
  runsIn: "sheath",
  touches: "path",
  set: "core",
  body: () => import("./body.ts"),
};
