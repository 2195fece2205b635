/** unexpand: spaces to tabs. */
import type { UtilityContext } from "../builtin.ts";
import { eachLine } from "./shared/each_line.ts";
import { parseOptions } from "./shared/options.ts";
import { tabStops } from "./shared/tabs.ts";

const TABLE = { options: ["a|all", "first-only", "t|tabs="], numeric: "t" };

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const next = tabStops(options.values("t"));
  const all = options.has("a", "t") && !options.has("first-only");
  return await eachLine(context, options.operands, (line) => {
    let out = "";
    /** What was put out and can still change: blanks, and \u0001 for a space that waits at a stop. */
    let pending = "";
    let column = 0;
    let blanks = "";
    let blankStart = 0;
    let active = true;
    for (const c of line) {
      if (active && (c === " " || c === "\t")) {
        if (blanks === "") blankStart = column;
        const stop = next(column);
        if (stop === undefined) {
          active = false;
          pending += blanks + c;
          blanks = "";
          column++;
          continue;
        }
        column = c === "\t" ? stop : column + 1;
        blanks += c;
        if (column === stop) {
          // One space before a stop stays a space.
          pending += blanks === " " && column - blankStart === 1 ? "\u0001" : "\t";
          blanks = "";
        }
        continue;
      }
      if (!all) active = false;
      out += settle(pending, blanks !== "") + blanks + c;
      pending = "";
      blanks = "";
      column++;
    }
    return out + settle(pending, blanks !== "") + blanks;
  });
}

/** A space that waited at a stop: a tab if more blanks follow it, else a space. */
function settle(text: string, more: boolean): string {
  if (!text.includes("\u0001")) return text;
  return text.replace(/\u0001(?=[\u0001\t])/g, "\t").replace(/\u0001$/, more ? "\t" : " ").replaceAll(
    "\u0001",
    " ",
  );
}
