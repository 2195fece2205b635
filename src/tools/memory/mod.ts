/** `memory`: the declaration. */
import type { MainTool } from "../tool.ts";
import description from "./memory.md" with { type: "text" };
import schema from "./schema.json" with { type: "json" };

/** May be repeated: saving the same note twice is saving it once. */
export const memory: MainTool = {
  name: "memory",
  description: description.trim(),
  schema,
  replay: "safe",
  effects: "write",
  runsIn: "main",
  set: "full",
  body: () => import("./body.ts"),
};
