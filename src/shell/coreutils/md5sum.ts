/** md5sum: MD5 digests of files. */
import { md5 } from "@noble/hashes/legacy.js";
import type { UtilityContext } from "../builtin.ts";
import { digestMain } from "./shared/digest.ts";

export async function run(context: UtilityContext): Promise<number> {
  return await digestMain(context, { tag: "MD5", size: 16, create: () => md5.create() });
}
