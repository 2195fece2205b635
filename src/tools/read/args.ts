/** The arguments of `read`. */
import { z } from "zod";

export const args = z.object({
  path: z.string().min(1),
  offset: z.number().int().min(0).optional(),
  limit: z.number().int().min(1).optional(),
  column: z.number().int().min(1).optional(),
});
