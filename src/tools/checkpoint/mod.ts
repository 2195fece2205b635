/** `checkpoint`: the declaration. */
import type { MainTool } from "../tool.ts";
import description from "./checkpoint.md" with { type: "text" };
import schema from "./schema.json" with { type: "json" };

/** Runs in the main isolate, where the session is. */
export const checkpoint: MainTool = {
  name: "checkpoint",
  description: description.trim(),
  schema,
  replay: "never",
  effects: "write",
  runsIn: "main",
  set: "full",
  body: () => import("./body.ts"),
};
