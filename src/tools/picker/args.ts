/** The arguments of `picker`. */
import * as z from "zod/mini";

export const args = z.object({
  query: z.string().check(z.minLength(1)),
  path: z.optional(z.string().check(z.minLength(1))),
});
