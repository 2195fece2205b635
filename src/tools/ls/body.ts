/** `ls`: the work. */
import { errorResult, textResult, type ToolBody } from "../../agent/tool.ts";
import { resolvePath, shortPath } from "../../lib/files/paths.ts";
import { visible } from "../../lib/text/visible.ts";
import { readArgs } from "../shared/arguments.ts";
import { failure } from "../shared/failure.ts";
import { listFolder } from "../shared/list_folder.ts";
import type { SheathDeps } from "../tool.ts";
import plain from "./args.json" with { type: "json" };
import { grouped } from "../../lib/text/count.ts";

/** `limits.outputBytes` bounds the list. */
type LsDeps = Pick<SheathDeps, "fs" | "cwd" | "home" | "poll" | "limits">;

const MAX_ENTRIES = 1000;

/** A file is told with its size instead of listed. */
export function create(deps: LsDeps): ToolBody {
  return {
    async run(given) {
      const args = await readArgs(plain.args, () => import("./args.ts").then(({ args }) => args), given);
      if (!args.ok) return errorResult(args.error);
      const path = resolvePath(args.value.path ?? ".", deps.cwd(), deps.home);
      const name = shortPath(path, deps.cwd());
      try {
        const stat = deps.fs.stat(path);
        if (stat.kind !== "dir") {
          return textResult(`${visible(name)}: a ${stat.kind}, ${grouped(stat.size)} bytes`);
        }
        const list = listFolder(deps.fs, path, MAX_ENTRIES, deps.limits.outputBytes);
        return textResult(list.text, { view: { type: "files", title: name, paths: list.names } });
      } catch (error) {
        return failure(deps, "list", path, error);
      }
    },
  };
}
