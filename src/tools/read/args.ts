/** The arguments of `read`. */
import * as z from "zod/mini";

/** `path` may also be `artifact://N`, `local://NAME` or `docs://NAME`. Lines and columns count from 1; an `offset` of 0 is taken as 1. */
export const args = z.object({
  path: z.string().check(z.minLength(1)),
  offset: z.optional(z.int().check(z.minimum(0))),
  limit: z.optional(z.int().check(z.minimum(1))),
  column: z.optional(z.int().check(z.minimum(1))),
});
