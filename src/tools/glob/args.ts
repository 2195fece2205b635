/** The arguments of `glob`. */
import { z } from "zod";

export const args = z.object({
  pattern: z.string().min(1),
  path: z.string().min(1).optional(),
});
