/** yes: a line again and again, until nobody reads. */
import type { UtilityContext } from "../builtin.ts";
import { encodeBytes } from "../../lib/text/bytes.ts";
import { parseOptions } from "./shared/options.ts";

export async function run(context: UtilityContext): Promise<number> {
  const { operands } = parseOptions(context, { options: [], usage: "[STRING]..." });
  const line = (operands.length === 0 ? "y" : operands.join(" ")) + "\n";
  const block = encodeBytes(line.repeat(Math.max(1, Math.floor(8192 / line.length))));
  for (;;) {
    context.poll();
    const done = context.stdout.write(block);
    if (done) await done;
  }
}
