/** sha1sum: SHA1 digests of files. */
import { sha1 } from "@noble/hashes/legacy.js";
import type { UtilityContext } from "../builtin.ts";
import { digestMain } from "./shared/digest.ts";

export async function run(context: UtilityContext): Promise<number> {
  return await digestMain(context, { tag: "SHA1", size: 20, create: () => sha1.create() });
}
