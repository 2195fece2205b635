/** The arguments of the git tools. */
import * as z from "zod/mini";

const text = () => z.string().check(z.minLength(1));

/** Of `git_status`: none. */
export const statusArgs = z.object({});

/** Of `git_diff`. `from` and `to` name commits; with neither, the working tree (or the index, with `staged`) is compared. */
export const diffArgs = z.object({
  path: z.optional(text()),
  staged: z.optional(z.boolean()),
  from: z.optional(text()),
  to: z.optional(text()),
});

/** Of `git_log`. `limit` counts commits; `from` may be a range. */
export const logArgs = z.object({
  path: z.optional(text()),
  limit: z.optional(z.int().check(z.minimum(1))),
  from: z.optional(text()),
});

/** Of `git_commit`. Without `files` what is staged is committed. */
export const commitArgs = z.object({
  message: text(),
  files: z.optional(z.array(text())),
});
