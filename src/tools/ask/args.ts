/** The arguments of `ask`. */
import * as z from "zod/mini";

export const args = z.object({
  question: z.string().check(z.minLength(1)),
  options: z.optional(z.array(z.string().check(z.minLength(1)))),
  multiple: z.optional(z.boolean()),
});
