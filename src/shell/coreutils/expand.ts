/** expand: tabs to spaces. */
import type { UtilityContext } from "../builtin.ts";
import { eachLine } from "./shared/each_line.ts";
import { parseOptions } from "./shared/options.ts";
import { tabStops } from "./shared/tabs.ts";

const TABLE = { options: ["i|initial", "t|tabs="], numeric: "t" };

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const next = tabStops(options.values("t"));
  return await eachLine(context, options.operands, (line) => {
    if (!line.includes("\t")) return line;
    let out = "";
    let column = 0;
    let initial = true;
    for (const c of line) {
      if (c === "\t" && (initial || !options.has("i"))) {
        const stop = next(column) ?? column + 1;
        out += " ".repeat(stop - column);
        column = stop;
        continue;
      }
      if (c !== " " && c !== "\t") initial = false;
      out += c;
      column = c === "\b" ? Math.max(0, column - 1) : column + 1;
    }
    return out;
  });
}
