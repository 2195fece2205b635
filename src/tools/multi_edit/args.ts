/** The arguments of `multi_edit`. */
import * as z from "zod/mini";

/** Each file once, with the edits that `edit` takes. */
export const args = z.object({
  files: z.array(z.object({
    path: z.string().check(z.minLength(1)),
    edits: z.array(z.object({
      oldText: z.string(),
      newText: z.string(),
      replaceAll: z.optional(z.boolean()),
    })).check(z.minLength(1)),
  })).check(z.minLength(1)),
});
