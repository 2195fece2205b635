/** The arguments of `todo`. */
import * as z from "zod/mini";

/** The whole list each time: it replaces the one before. */
export const args = z.object({
  items: z.array(z.object({
    text: z.string().check(z.minLength(1)),
    state: z.enum(["open", "active", "done"]),
  })),
});
