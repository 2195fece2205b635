/** The arguments of `ask`. */
import * as z from "zod/mini";

/** Without `options` the answer is free text; `multiple` counts only with them. */
export const args = z.object({
  question: z.string().check(z.minLength(1)),
  options: z.optional(z.array(z.string().check(z.minLength(1)))),
  multiple: z.optional(z.boolean()),
});
