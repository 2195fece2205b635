/** The arguments of `bash`. */
import * as z from "zod/mini";

export const args = z.object({
  command: z.string().check(z.minLength(1)),
  timeout: z.optional(z.number().check(z.positive())),
  background: z.optional(z.boolean()),
  cwd: z.optional(z.string().check(z.minLength(1))),
});
