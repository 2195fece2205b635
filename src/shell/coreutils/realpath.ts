/** realpath: paths without links, `.` and `..`. */
import type { UtilityContext } from "../builtin.ts";
import { HostError } from "../host.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { complainAbout, reason } from "./shared/report.ts";
import { relativeBetween, resolvePath } from "./shared/resolve.ts";

const TABLE = {
  options: [
    "e|canonicalize-existing",
    "m|canonicalize-missing",
    "L|logical",
    "P|physical",
    "q|quiet",
    "relative-to=",
    "relative-base=",
    "s|strip|no-symlinks",
    "z|zero",
  ],
  usage: "[OPTION]... FILE...",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  if (options.operands.length === 0) throw new UsageError("missing operand");
  const missing = options.last("e", "m") === "e" ? "none" : options.has("m") ? "any" : "last";
  const resolve = (name: string) => {
    if (options.has("s")) return context.path(name);
    const start = options.has("L")
      ? context.path(name)
      : name.startsWith("/")
      ? name
      : `${context.cwd}/${name}`;
    return resolvePath(context, start, name === "" ? "none" : missing);
  };
  const baseText = options.value("relative-base"), toText = options.value("relative-to");
  const base = baseText === undefined ? undefined : resolve(baseText);
  const to = toText === undefined ? base : resolve(toText);
  let status = 0;
  for (const name of options.operands) {
    try {
      if (name === "") throw new HostError("ENOENT");
      const path = resolve(name);
      const inside = base === undefined || path === base || path.startsWith(base === "/" ? "/" : base + "/");
      await context.stdout.print(
        (to !== undefined && inside ? relativeBetween(to, path) : path) + (options.has("z") ? "\0" : "\n"),
      );
    } catch (error) {
      status = 1;
      if (!options.has("q")) await complainAbout(context, name === "" ? "''" : name, error);
      else reason(error);
    }
  }
  return status;
}
