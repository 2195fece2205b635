/** `grep`: the declaration. */
import type { SheathTool } from "../tool.ts";
import description from "./grep.md" with { type: "text" };
import schema from "./schema.json" with { type: "json" };

/** Only reads: several run side by side. */
export const grep: SheathTool = {
  name: "grep",
  description: description.trim(),
  schema,
  replay: "safe",
  effects: "read",
  runsIn: "sheath",
  set: "core",
  body: () => import("./body.ts"),
};
