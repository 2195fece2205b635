/** The arguments of `multi_edit`. */
import { z } from "zod";

export const args = z.object({
  files: z.array(z.object({
    path: z.string().min(1),
    edits: z.array(z.object({
      oldText: z.string(),
      newText: z.string(),
      replaceAll: z.boolean().optional(),
    })).min(1),
  })).min(1),
});
