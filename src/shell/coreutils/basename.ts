/** basename: the last part of a path. */
import type { UtilityContext } from "../builtin.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { baseName } from "./shared/paths.ts";
import { cite } from "./shared/report.ts";

const TABLE = { options: ["a|multiple", "s|suffix=", "z|zero"], stopAtOperand: true, usage: "NAME [SUFFIX]" };

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const many = options.has("a", "s");
  const names = [...options.operands];
  let suffix = options.value("s") ?? "";
  if (names.length === 0) throw new UsageError("missing operand");
  if (!many) {
    if (names.length > 2) throw new UsageError(`extra operand ${cite(names[2])}`);
    suffix = names[1] ?? "";
    names.length = 1;
  }
  const end = options.has("z") ? "\0" : "\n";
  for (const name of names) {
    const base = name === "" ? "" : baseName(name);
    const cut = suffix !== "" && base !== suffix && base.endsWith(suffix)
      ? base.slice(0, -suffix.length)
      : base;
    await context.stdout.print(cut + end);
  }
  return 0;
}
