/** tac: lines in reverse order. */
import type { UtilityContext } from "../builtin.ts";
import { encodeBytes } from "../../lib/text/bytes.ts";
import { eachInput, readAll } from "./shared/blocks.ts";
import { parseOptions } from "./shared/options.ts";
import { complain, quote, reason } from "./shared/report.ts";

const TABLE = { options: ["b|before", "s|separator="], unsupported: ["r|regex"] };

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const separator = encodeBytes(options.value("s") || "\n");
  let status = 0;
  await eachInput(context, options.operands, async (source) => {
    const bytes = await readAll(source, () => context.poll());
    let end = bytes.length;
    let at = end;
    let turns = 0;
    while (at > 0) {
      if ((++turns & 1023) === 0) context.poll();
      // The separator that closes a piece belongs to it; the search starts before it.
      const found = lastIndexOf(
        bytes,
        separator,
        at - (at === end && !options.has("b") ? separator.length + 1 : 1),
      );
      if (found < 0) break;
      const cut = options.has("b") ? found : found + separator.length;
      if (cut < end) {
        const done = context.stdout.write(bytes.subarray(cut, end));
        if (done) await done;
      }
      end = cut;
      at = options.has("b") ? found : cut;
      if (!options.has("b") && found === 0) break;
    }
    const done = context.stdout.write(bytes.subarray(0, end));
    if (done) await done;
  }, async (name, error) => {
    await complain(
      context,
      `${(error as { code?: string }).code === "EISDIR" ? "read error: " : "failed to open "}${quote(name)}${
        (error as { code?: string }).code === "EISDIR" ? "" : " for reading"
      }: ${reason(error)}`,
    );
    status = 1;
  });
  return status;
}

function lastIndexOf(bytes: Uint8Array, part: Uint8Array, from: number): number {
  for (let at = from; at >= 0;) {
    at = bytes.lastIndexOf(part[0], at);
    if (at < 0) return -1;
    let same = true;
    for (let i = 1; i < part.length && same; i++) same = bytes[at + i] === part[i];
    if (same) return at;
    at--;
  }
  return -1;
}
