/** The arguments of `write`. */
import { z } from "zod";

export const args = z.object({
  path: z.string().min(1),
  content: z.string(),
});
