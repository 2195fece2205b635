/** The arguments of `bash`. */
import { z } from "zod";

export const args = z.object({
  command: z.string().min(1),
  timeout: z.number().positive().optional(),
  background: z.boolean().optional(),
  cwd: z.string().min(1).optional(),
});
