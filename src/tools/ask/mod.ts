/** `ask`: the declaration. */
import type { MainTool } from "../tool.ts";
import description from "./ask.md" with { type: "text" };
import schema from "./schema.json" with { type: "json" };

/** `needs: "person"`: a run without an interface is not offered it. */
export const ask: MainTool = {
  name: "ask",
  description: description.trim(),
  schema,
  replay: "safe",
  effects: "read",
  runsIn: "main",
  set: "core",
  needs: "person",
  body: () => import("./body.ts"),
};
