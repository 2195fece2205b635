/** `write`: the declaration. */
import type { SheathTool } from "../tool.ts";
import description from "./write.md" with { type: "text" };
import schema from "./schema.json" with { type: "json" };

/** Never repeated after a crash: somebody may have changed the file since. */
export const write: SheathTool = {
  name: "write",
  description: description.trim(),
  schema,
  replay: "never",
  effects: "write",
  runsIn: "sheath",
  touches: "path",
  set: "core",
  body: () => import("./body.ts"),
};
