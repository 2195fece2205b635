/** `memory`: the work. Notes are texts with a title; saving one again replaces it, so that a repeated call changes nothing. */
import { errorResult, textResult, type ToolBody } from "../../agent/tool.ts";
import { AppError } from "../../lib/errors.ts";
import { grouped } from "../../lib/text/count.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { visible } from "../../lib/text/visible.ts";
import { readArgs } from "../shared/arguments.ts";
import { limitOutput } from "../shared/limit_output.ts";
import type { MainDeps, Notes } from "../tool.ts";
import plain from "./args.json" with { type: "json" };

/** A note that cannot be kept (one too many, too long) is an error result with the reason. */
export function create(deps: Pick<MainDeps, "notes" | "limits">): ToolBody {
  return {
    async run(given) {
      const args = await readArgs(plain.args, () => import("./args.ts").then(({ args }) => args), given);
      if (!args.ok) return errorResult(args.error);
      return answer(deps, args.value);
    },
  };
}

function answer(
  { notes, limits }: Pick<MainDeps, "notes" | "limits">,
  { title, text, remove }: { title?: string; text?: string; remove?: boolean },
) {
  try {
    if (title === undefined) {
      if (text !== undefined || remove !== undefined) return errorResult('"title" says which note is meant');
      return textResult(limitOutput(listed(notes), limits.outputBytes).text);
    }
    const name = visible(title);
    if (remove) {
      return notes.remove(title) ? textResult(`Removed "${name}".`) : errorResult(missing(notes, title));
    }
    if (text !== undefined) {
      if (text.trim() === "") return errorResult('The text is empty: "remove" drops a note');
      notes.save(title, text);
      return textResult(`Saved "${name}".`);
    }
    const found = notes.read(title);
    if (found === undefined) return errorResult(missing(notes, title));
    return textResult(limitOutput(visible(found), limits.outputBytes).text);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return errorResult(visible(`${error.message}${error.hint === undefined ? "" : `. ${error.hint}`}`));
  }
}

function listed(notes: Notes): string {
  const all = notes.list();
  if (all.length === 0) return "There are no notes on this project yet.";
  return all.map(({ title, bytes }) => `${visible(title)} (${grouped(bytes)} bytes)`).join("\n");
}

function missing(notes: Notes, title: string): string {
  const names = notes.list().map((note) => note.title);
  const near = nearest(title, names);
  const there = near !== undefined
    ? `Did you mean "${near}"?`
    : names.length === 0
    ? "There are none yet."
    : `There are: ${names.join(", ")}.`;
  return visible(`There is no note "${title}". ${there}`);
}
