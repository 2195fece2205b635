/** The arguments of `fetch`. */
import * as z from "zod/mini";

/** `offset`: characters of the text to leave out at its beginning. */
export const args = z.object({
  url: z.string().check(z.minLength(1)),
  offset: z.optional(z.int().check(z.minimum(0))),
});
