/** `read`: the work. */
import { errorResult, textResult, type ToolBody } from "../../agent/tool.ts";
import { describe } from "../../lib/errors.ts";
import { parseArgs } from "../../lib/schema.ts";
import { decodeBytes } from "../../lib/text/bytes.ts";
import type { SheathDeps } from "../tool.ts";
import { args as schema } from "./args.ts";

export type ReadDeps = Pick<SheathDeps, "fs" | "cwd" | "poll">;

export function create(deps: ReadDeps): ToolBody {
  return {
    async run(given) {
      const args = parseArgs(schema, given);
      if (!args.ok) return errorResult(args.error);
      const { path, offset = 1, limit = 2000 } = args.value;
      try {
        const file = await deps.fs.open(path.startsWith("/") ? path : `${deps.cwd()}/${path}`, {
          read: true,
        });
        try {
          const bytes = new Uint8Array(file.stat().size);
          const length = await file.read(bytes);
          const lines = decodeBytes(bytes.subarray(0, length)).toWellFormed().split("\n");
          return textResult(
            lines.slice(offset - 1, offset - 1 + limit).map((line, i) => `${offset + i}\t${line}`).join("\n"),
          );
        } finally {
          file.close();
        }
      } catch (error) {
        deps.poll();
        return errorResult(`Cannot read ${path}: ${describe(error)}`);
      }
    },
  };
}
