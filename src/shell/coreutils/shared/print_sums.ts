/** Prints a checksum with sizes for each file, as sum and cksum do. */
import type { UtilityContext } from "../../builtin.ts";
import { BLOCK_SIZE, eachInput } from "./blocks.ts";
import type { RunningSum } from "./old_sums.ts";
import { complainAbout } from "./report.ts";

export async function printSums(
  context: UtilityContext,
  files: readonly string[],
  create: () => RunningSum,
  end = "\n",
): Promise<number> {
  let status = 0;
  await eachInput(context, files, async (source, name) => {
    const sum = create();
    const buffer = new Uint8Array(BLOCK_SIZE);
    for (;;) {
      context.poll();
      const read = source.read(buffer);
      const got = typeof read === "number" ? read : await read;
      if (got === 0) break;
      sum.update(buffer.subarray(0, got));
    }
    await context.stdout.print(sum.text() + (files.length === 0 ? "" : ` ${name}`) + end);
  }, async (name, error) => {
    await complainAbout(context, name, error);
    status = 1;
  });
  return status;
}
