/** `picker`: the declaration. */
import type { SheathTool } from "../tool.ts";
import description from "./picker.md" with { type: "text" };
import schema from "./schema.json" with { type: "json" };

/** Only reads: several run side by side. */
export const picker: SheathTool = {
  name: "picker",
  description: description.trim(),
  schema,
  replay: "safe",
  effects: "read",
  runsIn: "sheath",
  set: "full",
  body: () => import("./body.ts"),
};
