/** The arguments of `picker`. */
import * as z from "zod/mini";

/** `query`: parts of a path in their order, as in editors; `path`: where to look. */
export const args = z.object({
  query: z.string().check(z.minLength(1)),
  path: z.optional(z.string().check(z.minLength(1))),
});
