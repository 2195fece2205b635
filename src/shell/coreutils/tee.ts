/** tee: copies stdin to stdout and to files. */
import type { UtilityContext } from "../builtin.ts";
import type { ByteSink } from "../host.ts";
import { BLOCK_SIZE } from "./shared/blocks.ts";
import { parseOptions } from "./shared/options.ts";
import { complainAbout, hasCode } from "./shared/report.ts";

const TABLE = { options: ["a|append", "i|ignore-interrupts", "p", "output-error=?"] };

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  let status = 0;
  const sinks: { name: string; sink: ByteSink }[] = [];
  for (const name of options.operands) {
    try {
      sinks.push({
        name,
        sink: name === "-" ? context.stdout : await context.create(name, { append: options.has("a") }),
      });
    } catch (error) {
      await complainAbout(context, name, error);
      status = 1;
    }
  }
  const buffer = new Uint8Array(BLOCK_SIZE);
  let stdout = true;
  try {
    for (;;) {
      context.poll();
      const read = context.stdin.read(buffer);
      const got = typeof read === "number" ? read : await read;
      if (got === 0) return status;
      const bytes = buffer.subarray(0, got);
      if (stdout) {
        try {
          const done = context.stdout.write(bytes);
          if (done) await done;
          // What tee shows is often watched while it comes.
          const flushed = context.stdout.flush();
          if (flushed) await flushed;
        } catch (error) {
          if (!hasCode(error, "EPIPE") || !options.has("p", "output-error")) throw error;
          stdout = false;
        }
      }
      for (const each of [...sinks]) {
        try {
          const done = each.sink.write(bytes);
          if (done) await done;
        } catch (error) {
          await complainAbout(context, each.name, error);
          status = 1;
          sinks.splice(sinks.indexOf(each), 1);
        }
      }
    }
  } finally {
    for (const { sink } of sinks) if (sink !== context.stdout) sink.close();
  }
}
