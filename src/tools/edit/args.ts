/** The arguments of `edit`. */
import * as z from "zod/mini";

/** Each `oldText` has to stand once in the file as it was before the call, unless `replaceAll`. */
export const args = z.object({
  path: z.string().check(z.minLength(1)),
  edits: z.array(z.object({
    oldText: z.string(),
    newText: z.string(),
    replaceAll: z.optional(z.boolean()),
  })).check(z.minLength(1)),
});
