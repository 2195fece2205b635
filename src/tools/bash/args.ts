/** The arguments of `bash`, and of the tools that name a background shell. */
import * as z from "zod/mini";

export const args = z.object({
  command: z.string().check(z.minLength(1)),
  timeout: z.optional(z.number().check(z.positive())),
  background: z.optional(z.boolean()),
  cwd: z.optional(z.string().check(z.minLength(1))),
});

export const byId = z.object({ id: z.string().check(z.minLength(1)) });
