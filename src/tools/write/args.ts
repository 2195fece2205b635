/** The arguments of `write`. */
import * as z from "zod/mini";

export const args = z.object({
  path: z.string().check(z.minLength(1)),
  content: z.string(),
});
