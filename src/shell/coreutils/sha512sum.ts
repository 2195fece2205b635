/** sha512sum: SHA512 digests of files. */
import { sha512 } from "@noble/hashes/sha2.js";
import type { UtilityContext } from "../builtin.ts";
import { digestMain } from "./shared/digest.ts";

export async function run(context: UtilityContext): Promise<number> {
  return await digestMain(context, { tag: "SHA512", size: 64, create: () => sha512.create() });
}
