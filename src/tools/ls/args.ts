/** The arguments of `ls`. */
import * as z from "zod/mini";

/** `path`: a folder or a file; default: the session's folder. */
export const args = z.object({
  path: z.optional(z.string().check(z.minLength(1))),
});
