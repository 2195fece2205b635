/** The arguments of `todo`. */
import { z } from "zod";

export const args = z.object({
  items: z.array(z.object({
    text: z.string().min(1),
    state: z.enum(["open", "active", "done"]),
  })),
});
