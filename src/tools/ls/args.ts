/** The arguments of `ls`. */
import { z } from "zod";

export const args = z.object({
  path: z.string().min(1).optional(),
});
