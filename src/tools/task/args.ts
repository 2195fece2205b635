/** The arguments of `task` and `task_output`. */
import * as z from "zod/mini";

const text = () => z.string().check(z.minLength(1));

export const taskArgs = z.object({
  prompt: text(),
  role: z.optional(text()),
  background: z.optional(z.boolean()),
});

export const outputArgs = z.object({
  id: text(),
  wait: z.optional(z.boolean()),
  cancel: z.optional(z.boolean()),
});
