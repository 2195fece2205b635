/** The frame of utilities that change lines one by one. */
import type { UtilityContext } from "../../builtin.ts";
import { eachInput, LineReader } from "./blocks.ts";
import { complainAbout } from "./report.ts";

/** Prints what `change` makes of each line of the files; undefined prints nothing. A last line without newline stays so. */
export async function eachLine(
  context: UtilityContext,
  files: readonly string[],
  change: (line: string) => string | undefined,
): Promise<number> {
  let status = 0;
  await eachInput(context, files, async (source) => {
    const reader = new LineReader(source);
    for (;;) {
      context.poll();
      const next = reader.next();
      const line = next instanceof Promise ? await next : next;
      if (line === undefined) return;
      const text = change(line);
      if (text === undefined) continue;
      const done = context.stdout.print(reader.terminated ? text + "\n" : text);
      if (done) await done;
    }
  }, async (name, error) => {
    await complainAbout(context, name, error);
    status = 1;
  });
  return status;
}
