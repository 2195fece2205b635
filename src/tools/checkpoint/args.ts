/** The arguments of `checkpoint`. */
import * as z from "zod/mini";

export const args = z.object({
  name: z.optional(z.string().check(z.minLength(1))),
  restore: z.optional(z.boolean()),
});
