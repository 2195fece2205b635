/** The arguments of `glob`. */
import * as z from "zod/mini";

/** `path`: the folder that the pattern starts from; default: the session's. */
export const args = z.object({
  pattern: z.string().check(z.minLength(1)),
  path: z.optional(z.string().check(z.minLength(1))),
});
