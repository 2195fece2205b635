/** `task` and `task_output`: the declarations. */
import type { MainTool } from "../tool.ts";
import schemas from "./schemas.json" with { type: "json" };
import description from "./task.md" with { type: "text" };

/** Agents have their own calls judged one by one; this one counts as reading. */
export const task: MainTool = {
  name: "task",
  description: description.trim(),
  schema: schemas.taskArgs,
  // It changes nothing by itself, so several run side by side; but it costs money, so a crash does not repeat it.
  replay: "never",
  effects: "read",
  runsIn: "main",
  set: "core",
  delegates: true,
  body: () => import("./body.ts").then(({ createTask }) => ({ create: createTask })),
};

/** Counted as writing, since a look takes the news away from the next one. */
export const taskOutput: MainTool = {
  name: "task_output",
  description: "News of a task in the background, or its answer. `wait` for its end; `cancel` ends it.",
  schema: schemas.outputArgs,
  replay: "never",
  effects: "write",
  runsIn: "main",
  set: "core",
  delegates: true,
  body: () => import("./body.ts").then(({ createOutput }) => ({ create: createOutput })),
};
