/** which: where programs are found. */
import type { UtilityContext } from "../builtin.ts";
import { parseOptions } from "./shared/options.ts";

const TABLE = { options: ["a|all", "s"] };

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const windows = context.host.platform === "windows";
  const suffixes = windows
    ? [
      "",
      ...(context.env.get("PATHEXT") ?? ".COM;.EXE;.BAT;.CMD").split(";").map((each) => each.toLowerCase()),
    ]
    : [""];
  const folders = (context.env.get("PATH") ?? "").split(windows ? ";" : ":").map((folder) =>
    folder === "" ? "." : folder.replaceAll("\\", "/")
  );
  let status = options.operands.length === 0 ? 1 : 0;
  for (const name of options.operands) {
    let found = false;
    const candidates = name.includes("/") ? [name] : folders.map((folder) => `${folder}/${name}`);
    search: for (const candidate of candidates) {
      for (const suffix of suffixes) {
        const path = context.path(candidate + suffix);
        if (!runnable(context, path)) continue;
        found = true;
        if (!options.has("s")) await context.stdout.print(candidate + suffix + "\n");
        if (!options.has("a")) break search;
      }
    }
    if (!found) status = 1;
  }
  return status;
}

function runnable(context: UtilityContext, path: string): boolean {
  try {
    return context.fs.stat(path).kind === "file" && context.fs.access(path, "x");
  } catch {
    // Not there, or not to be seen from here.
    return false;
  }
}
