/** The arguments of `memory`. */
import * as z from "zod/mini";

/** Without `title` the notes are listed; with it alone one is read; `text` replaces it, `remove` drops it. */
export const args = z.object({
  title: z.optional(z.string().check(z.minLength(1))),
  text: z.optional(z.string()),
  remove: z.optional(z.boolean()),
});
