/** The arguments of `verify`. */
import * as z from "zod/mini";

export const args = z.object({
  only: z.optional(z.array(z.string().check(z.minLength(1)))),
});
