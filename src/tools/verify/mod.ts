/** `verify`: the declaration. */
import type { SheathTool } from "../tool.ts";
import schema from "./schema.json" with { type: "json" };
import description from "./verify.md" with { type: "text" };

/** Never repeated after a crash: checks are commands and may change things. */
export const verify: SheathTool = {
  name: "verify",
  description: description.trim(),
  schema,
  replay: "never",
  effects: "write",
  runsIn: "sheath",
  set: "full",
  body: () => import("./body.ts"),
};
