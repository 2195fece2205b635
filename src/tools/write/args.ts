/** The arguments of `write`. */
import * as z from "zod/mini";

/** `content` is the whole file, in Unicode; what it becomes as bytes is decided by the file that it replaces. */
export const args = z.object({
  path: z.string().check(z.minLength(1)),
  content: z.string(),
});
