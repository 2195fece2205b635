/** `todo`: the declaration. */
import type { MainTool } from "../tool.ts";
import schema from "./schema.json" with { type: "json" };
import description from "./todo.md" with { type: "text" };

/** Changes nothing but what is drawn, so it counts as reading. */
export const todo: MainTool = {
  name: "todo",
  description: description.trim(),
  schema,
  replay: "safe",
  effects: "read",
  runsIn: "main",
  set: "core",
  body: () => import("./body.ts"),
};
