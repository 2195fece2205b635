/** The arguments of `picker`. */
import { z } from "zod";

export const args = z.object({
  query: z.string().min(1),
  path: z.string().min(1).optional(),
});
