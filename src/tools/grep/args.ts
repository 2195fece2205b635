/** The arguments of `grep`. */
import * as z from "zod/mini";

/** `context` in lines around each hit; `type` is a name of file_types.ts; `replace` only shows what would be. */
export const args = z.object({
  pattern: z.string().check(z.minLength(1)),
  path: z.optional(z.string().check(z.minLength(1))),
  glob: z.optional(z.string().check(z.minLength(1))),
  type: z.optional(z.string().check(z.minLength(1))),
  context: z.optional(z.int().check(z.minimum(0), z.maximum(50))),
  ignoreCase: z.optional(z.boolean()),
  multiline: z.optional(z.boolean()),
  replace: z.optional(z.string()),
  show: z.optional(z.enum(["lines", "files", "counts"])),
});
