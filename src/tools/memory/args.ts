/** The arguments of `memory`. */
import * as z from "zod/mini";

export const args = z.object({
  title: z.optional(z.string().check(z.minLength(1))),
  text: z.optional(z.string()),
  remove: z.optional(z.boolean()),
});
