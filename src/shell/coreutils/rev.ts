/** rev: characters of each line in reverse order. */
import type { UtilityContext } from "../builtin.ts";
import { eachLine } from "./shared/each_line.ts";
import { parseOptions } from "./shared/options.ts";

export async function run(context: UtilityContext): Promise<number> {
  const { operands } = parseOptions(context, { options: ["0|zero"] });
  return await eachLine(context, operands, (line) => [...line].reverse().join(""));
}
