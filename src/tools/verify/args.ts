/** The arguments of `verify`. */
import * as z from "zod/mini";

/** `only`: names of checks; default: all. */
export const args = z.object({
  only: z.optional(z.array(z.string().check(z.minLength(1)))),
});
