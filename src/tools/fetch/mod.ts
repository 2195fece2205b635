/** `fetch`: the declaration. */
import type { SheathTool } from "../tool.ts";
import description from "./fetch.md" with { type: "text" };
import schema from "./schema.json" with { type: "json" };

export const fetchTool: SheathTool = {
  name: "fetch",
  description: description.trim(),
  schema,
  replay: "safe",
  effects: "read",
  runsIn: "sheath",
  set: "full",
  body: () => import("./body.ts"),
};
