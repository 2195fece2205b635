/** The arguments of `fetch`. */
import * as z from "zod/mini";

export const args = z.object({
  url: z.string().check(z.minLength(1)),
  offset: z.optional(z.int().check(z.minimum(0))),
});
