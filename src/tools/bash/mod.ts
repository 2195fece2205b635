/** `bash`, `bash_output` and `kill_shell`: the declarations. */
import type { SheathTool } from "../tool.ts";
import description from "./bash.md" with { type: "text" };
import schema from "./schema.json" with { type: "json" };
import schemas from "./schemas.json" with { type: "json" };

/** Never repeated after a crash: nobody knows how far a script has come. */
export const bash: SheathTool = {
  name: "bash",
  description: description.trim(),
  schema,
  replay: "never",
  effects: "write",
  runsIn: "sheath",
  set: "core",
  body: () => import("./body.ts"),
};

/** Counted as writing, since a look takes the news away from the next one. */
export const bashOutput: SheathTool = {
  name: "bash_output",
  description: "What a background shell has printed since the last look.",
  schema: schemas.byId,
  replay: "never",
  effects: "write",
  runsIn: "sheath",
  set: "core",
  body: () => import("./background.ts").then(({ createOutput }) => ({ create: createOutput })),
};

/** Ending what has ended already changes nothing, so it may be repeated. */
export const killShell: SheathTool = {
  name: "kill_shell",
  description: "End a background shell.",
  schema: schemas.byId,
  replay: "safe",
  effects: "write",
  runsIn: "sheath",
  set: "core",
  body: () => import("./background.ts").then(({ createKill }) => ({ create: createKill })),
};
