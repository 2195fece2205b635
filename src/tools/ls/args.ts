/** The arguments of `ls`. */
import * as z from "zod/mini";

export const args = z.object({
  path: z.optional(z.string().check(z.minLength(1))),
});
