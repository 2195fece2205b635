/** `ls`: the declaration. */
import type { SheathTool } from "../tool.ts";
import description from "./ls.md" with { type: "text" };
import schema from "./schema.json" with { type: "json" };

/** Only reads: several run side by side. */
export const ls: SheathTool = {
  name: "ls",
  description: description.trim(),
  schema,
  replay: "safe",
  effects: "read",
  runsIn: "sheath",
  set: "core",
  body: () => import("./body.ts"),
};
