/** The arguments of `read`. */
import * as z from "zod/mini";

export const args = z.object({
  path: z.string().check(z.minLength(1)),
  offset: z.optional(z.int().check(z.minimum(0))),
  limit: z.optional(z.int().check(z.minimum(1))),
  column: z.optional(z.int().check(z.minimum(1))),
});
