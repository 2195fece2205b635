/** The arguments of `grep`. */
import { z } from "zod";

export const args = z.object({
  pattern: z.string().min(1),
  path: z.string().min(1).optional(),
  glob: z.string().min(1).optional(),
  context: z.number().int().min(0).max(50).optional(),
  ignoreCase: z.boolean().optional(),
  multiline: z.boolean().optional(),
  show: z.enum(["lines", "files", "counts"]).optional(),
});
