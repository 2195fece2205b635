/** The arguments of `task` and `task_output`. */
import * as z from "zod/mini";

const text = () => z.string().check(z.minLength(1));

/** Of `task`. `role` names one of the roles that the agents offer. */
export const taskArgs = z.object({
  prompt: text(),
  role: z.optional(text()),
  background: z.optional(z.boolean()),
});

/** Of `task_output`. `cancel` ends the task and waits for its end. */
export const outputArgs = z.object({
  id: text(),
  wait: z.optional(z.boolean()),
  cancel: z.optional(z.boolean()),
});
