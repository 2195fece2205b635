/** The arguments of the git tools. */
import * as z from "zod/mini";

const text = () => z.string().check(z.minLength(1));

export const statusArgs = z.object({});

export const diffArgs = z.object({
  path: z.optional(text()),
  staged: z.optional(z.boolean()),
  from: z.optional(text()),
  to: z.optional(text()),
});

export const logArgs = z.object({
  path: z.optional(text()),
  limit: z.optional(z.int().check(z.minimum(1))),
  from: z.optional(text()),
});

export const commitArgs = z.object({
  message: text(),
  files: z.optional(z.array(text())),
});
