/** sum: the checksums of old, BSD's unless `-s` asks for System V's. */
import type { UtilityContext } from "../builtin.ts";
import { bsdSum, sysvSum } from "./shared/old_sums.ts";
import { parseOptions } from "./shared/options.ts";
import { printSums } from "./shared/print_sums.ts";

const TABLE = { options: ["r", "s|sysv"], usage: "[OPTION]... [FILE]..." };

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  return await printSums(context, options.operands, options.last("r", "s") === "s" ? sysvSum : bsdSum);
}
