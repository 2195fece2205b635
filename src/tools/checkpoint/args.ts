/** The arguments of `checkpoint`. */
import * as z from "zod/mini";

/** Without `name` the points are listed; `restore` goes back to one instead of making it. */
export const args = z.object({
  name: z.optional(z.string().check(z.minLength(1))),
  restore: z.optional(z.boolean()),
});
