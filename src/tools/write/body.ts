/** `write`: the work. */
import { errorResult, textResult, type ToolBody, type ToolResult } from "../../agent/tool.ts";
import { isWithin, resolvePath, shortPath } from "../../lib/files/paths.ts";
import { unifiedDiff } from "../../lib/text/unified_diff.ts";
import { visible } from "../../lib/text/visible.ts";
import { readArgs } from "../shared/arguments.ts";
import { failure } from "../shared/failure.ts";
import { hashOf } from "../shared/file_bytes.ts";
import { readKnown } from "../shared/known_file.ts";
import { limitOutput } from "../shared/limit_output.ts";
import { stampOf } from "../shared/read_stamps.ts";
import { replaceFile, type Target, writeTarget } from "../shared/replace_file.ts";
import {
  decodeText,
  detectEncoding,
  EncodeError,
  encodingLabel,
  isPlain,
  UTF8,
} from "../shared/text_codec.ts";
import type { SheathDeps } from "../tool.ts";
import plain from "./args.json" with { type: "json" };
import { inMannerOf } from "./manner.ts";
import { grouped } from "../../lib/text/count.ts";

/** `ledger`: a file that the model has not seen as it is is not overwritten. */
type WriteDeps = Pick<SheathDeps, "fs" | "cwd" | "home" | "privateTemp" | "poll" | "ledger">;

const VIEW_DIFF = 64 * 1024;

/** Missing folders are made. A file that stands there keeps its encoding, line ends, mode and owner. */
export function create(deps: WriteDeps): ToolBody {
  return {
    async run(given) {
      const args = await readArgs(plain.args, () => import("./args.ts").then(({ args }) => args), given);
      if (!args.ok) return errorResult(args.error);
      const path = resolvePath(args.value.path, deps.cwd(), deps.home);
      try {
        return await writeFile(deps, path, args.value.content.toWellFormed());
      } catch (error) {
        return failure(deps, "write", path, error);
      }
    },
  };
}

async function writeFile(deps: WriteDeps, path: string, content: string): Promise<ToolResult> {
  const name = visible(shortPath(path, deps.cwd()));
  const target = writeTarget(deps.fs, path);
  let bytes: Uint8Array<ArrayBuffer> = new TextEncoder().encode(content);
  let before = "";
  let note = "new";
  if (target.stat !== undefined) {
    const known = await readKnown(deps, target);
    if (!known.ok) return errorResult(`${name} not written: ${known.reason}`);
    const encoding = detectEncoding(known.bytes);
    if (encoding !== "binary") {
      before = decodeText(known.bytes, encoding);
      try {
        bytes = inMannerOf(known.bytes, encoding, content);
      } catch (error) {
        if (!(error instanceof EncodeError)) throw error;
        return errorResult(
          `${name} not written: ${error.message}, and the file is in that encoding. ` +
            "Leave the character out, or remove the file first to write it as UTF-8.",
        );
      }
      note = isPlain(encoding)
        ? "replaced"
        : `replaced, ${encodingLabel({ ...encoding, damaged: false })} kept`;
    } else note = "replaced a binary file";
  }
  deps.poll();
  return await store(deps, path, target, bytes, { before, content, note });
}

async function store(
  deps: WriteDeps,
  path: string,
  target: Target,
  bytes: Uint8Array<ArrayBuffer>,
  about: { readonly before: string; readonly content: string; readonly note: string },
): Promise<ToolResult> {
  const name = visible(shortPath(path, deps.cwd()));
  const stat = await replaceFile(deps.fs, target, bytes);
  const realPath = deps.fs.realPath(path);
  deps.ledger.set(realPath, stampOf(stat, await hashOf(bytes)));
  // The user looks for it in vain, and the model would name it to them.
  const hidden = deps.privateTemp !== undefined && isWithin(realPath, deps.privateTemp)
    ? "; only this session sees it, and it goes with the session: what the user should find belongs in the workspace"
    : "";
  const encoding = detectEncoding(bytes);
  const after = decodeText(bytes, encoding === "binary" ? UTF8 : encoding);
  const diff = unifiedDiff(name, about.before, after);
  const lines = about.content.split("\n").length -
    (about.content.endsWith("\n") || about.content === "" ? 1 : 0);
  return textResult(
    `Wrote ${name}: ${count(lines, "line")}, ${count(bytes.length, "byte")} (${about.note}${hidden})`,
    {
      view: {
        type: "diff",
        path: shortPath(path, deps.cwd()),
        diff: limitOutput(diff.diff, VIEW_DIFF).text,
        added: diff.added,
        removed: diff.removed,
      },
    },
  );
}

function count(value: number, unit: string): string {
  return `${grouped(value)} ${unit}${value === 1 ? "" : "s"}`;
}
