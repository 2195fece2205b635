/** sha224sum: SHA224 digests of files. */
import { sha224 } from "@noble/hashes/sha2.js";
import type { UtilityContext } from "../builtin.ts";
import { digestMain } from "./shared/digest.ts";

export async function run(context: UtilityContext): Promise<number> {
  return await digestMain(context, { tag: "SHA224", size: 28, create: () => sha224.create() });
}
