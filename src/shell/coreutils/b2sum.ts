/** b2sum: BLAKE2b digests of files. */
import type { UtilityContext } from "../builtin.ts";
import { blake2, blake2Length } from "./shared/blake2.ts";
import { digestMain } from "./shared/digest.ts";

export async function run(context: UtilityContext): Promise<number> {
  return await digestMain(context, blake2(), (text) => blake2(blake2Length(context, text)));
}
