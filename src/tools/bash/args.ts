/** The arguments of `bash`, and of the tools that name a background shell. */
import * as z from "zod/mini";

/** `timeout` in seconds; `cwd` holds for this call alone. */
export const args = z.object({
  command: z.string().check(z.minLength(1)),
  timeout: z.optional(z.number().check(z.positive())),
  background: z.optional(z.boolean()),
  cwd: z.optional(z.string().check(z.minLength(1))),
});

/** `id` as `bash` named it, such as "sh1". */
export const byId = z.object({ id: z.string().check(z.minLength(1)) });
