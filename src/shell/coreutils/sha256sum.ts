/** sha256sum: SHA256 digests of files. */
import { sha256 } from "@noble/hashes/sha2.js";
import type { UtilityContext } from "../builtin.ts";
import { digestMain } from "./shared/digest.ts";

export async function run(context: UtilityContext): Promise<number> {
  return await digestMain(context, { tag: "SHA256", size: 32, create: () => sha256.create() });
}
