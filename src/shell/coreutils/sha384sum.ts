/** sha384sum: SHA384 digests of files. */
import { sha384 } from "@noble/hashes/sha2.js";
import type { UtilityContext } from "../builtin.ts";
import { digestMain } from "./shared/digest.ts";

export async function run(context: UtilityContext): Promise<number> {
  return await digestMain(context, { tag: "SHA384", size: 48, create: () => sha384.create() });
}
