/**
 * A call's arguments, read. Those that are plainly right, nearly all, are
 * taken as they are; what a schema library has to say is asked for the others
 * alone, so that the first call of a session does not wait for it.
 */
import type { ZodMiniType } from "zod/mini";
import { fits } from "../../lib/plain_json.ts";
import type { Parsed } from "../../lib/schema.ts";

/**
 * Reads `given`. `plain`: the JSON Schema of `type` (a tool's `args.json`);
 * `type`: loads the schema itself, which is right where the two differ.
 */
export async function readArgs<T>(
  plain: unknown,
  type: () => Promise<ZodMiniType<T>>,
  given: unknown,
): Promise<Parsed<T>> {
  if (fits(plain, given)) return { ok: true, value: given as T };
  const [{ parseArgs }, schema] = await Promise.all([import("../../lib/schema.ts"), type()]);
  return parseArgs(schema, given);
}
