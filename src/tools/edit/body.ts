/** `edit`: the work. All edits are found in the file as it is, then spliced into its bytes together. */
import { errorResult, textResult, type ToolBody, type ToolResult } from "../../agent/tool.ts";
import { resolvePath, shortPath } from "../../lib/files/paths.ts";
import { parseArgs } from "../../lib/schema.ts";
import { unifiedDiff } from "../../lib/text/unified_diff.ts";
import { visible } from "../../lib/text/visible.ts";
import { failure } from "../shared/failure.ts";
import { hashOf } from "../shared/file_bytes.ts";
import { readKnown } from "../shared/known_file.ts";
import { limitOutput } from "../shared/limit_output.ts";
import { type Hunk, matchEdit } from "../shared/match_edit.ts";
import { stampOf } from "../shared/read_stamps.ts";
import { replaceFile, writeTarget } from "../shared/replace_file.ts";
import {
  decodeText,
  detectEncoding,
  EncodeError,
  isPlain,
  type Splice,
  spliceBytes,
} from "../shared/text_codec.ts";
import type { SheathDeps } from "../tool.ts";
import { args as schema } from "./args.ts";

export type EditDeps = Pick<SheathDeps, "fs" | "cwd" | "home" | "poll" | "ledger">;

/** Bytes of diff that the model gets back. */
const SHOWN_DIFF = 4096;
/** Bytes of diff that interfaces get. */
const VIEW_DIFF = 64 * 1024;

export function create(deps: EditDeps): ToolBody {
  return {
    async run(given) {
      const args = parseArgs(schema, given);
      if (!args.ok) return errorResult(args.error);
      const path = resolvePath(args.value.path, deps.cwd(), deps.home);
      try {
        return await editFile(deps, path, args.value.edits);
      } catch (error) {
        return failure(deps, "edit", path, error);
      }
    },
  };
}

async function editFile(deps: EditDeps, path: string, hunks: readonly Hunk[]): Promise<ToolResult> {
  const name = visible(shortPath(path, deps.cwd()));
  const refuse = (reason: string) => errorResult(`Nothing changed in ${name}: ${reason}`);
  deps.fs.stat(path);
  const target = writeTarget(deps.fs, path);
  const known = await readKnown(deps, target);
  if (!known.ok) return refuse(known.reason);
  const { bytes } = known;
  const encoding = detectEncoding(bytes);
  if (encoding === "binary") return refuse("it is binary");
  const before = decodeText(bytes, encoding);
  if (before.includes("\0")) return refuse("it is binary (it holds NUL)");

  const found = findAll(before, hunks);
  if (!found.ok) return refuse(found.reason);
  const after = spliceText(before, found.splices);
  if (after === before) return refuse("the edits leave it as it is");
  let changed: Uint8Array<ArrayBuffer>;
  try {
    changed = spliceBytes(bytes, encoding, before, found.splices);
  } catch (error) {
    if (error instanceof EncodeError) return refuse(`${error.message}, and the file is in that encoding`);
    throw error;
  }
  // Encodings with pairs of bytes could join what was spliced with what stands beside it.
  if (!isPlain(encoding) && decodeText(changed, encoding) !== after) {
    return refuse(`the new text cannot be written in its encoding (${encoding.name})`);
  }
  deps.poll();
  const stat = await replaceFile(deps.fs, target, changed);
  deps.ledger.set(target.realPath, stampOf(stat, await hashOf(changed)));

  const full = unifiedDiff(name, before, after);
  const short = limitOutput(
    visible(unifiedDiff(name, before, after, { context: 1, bare: true }).diff),
    SHOWN_DIFF,
  );
  const how = found.loosely === undefined ? "" : ` (${found.loosely}; check the result)`;
  return textResult(`Edited ${name}: +${full.added} -${full.removed}${how}\n${short.text.trimEnd()}`, {
    view: {
      type: "diff",
      path: shortPath(path, deps.cwd()),
      diff: limitOutput(full.diff, VIEW_DIFF).text,
      added: full.added,
      removed: full.removed,
    },
  });
}

type All =
  | { readonly ok: true; readonly splices: readonly Splice[]; readonly loosely: string | undefined }
  | { readonly ok: false; readonly reason: string };

function findAll(text: string, hunks: readonly Hunk[]): All {
  const placed: { splice: Splice; edit: number }[] = [];
  let loosely: string | undefined;
  for (const [index, hunk] of hunks.entries()) {
    const which = hunks.length === 1 ? "" : `edit ${index + 1} of ${hunks.length}: `;
    const found = matchEdit(text, hunk);
    if (!found.ok) return { ok: false, reason: which + found.reason };
    loosely ??= found.loosely;
    placed.push(...found.splices.map((splice) => ({ splice, edit: index + 1 })));
  }
  placed.sort((a, b) => a.splice.start - b.splice.start);
  for (let i = 1; i < placed.length; i++) {
    if (placed[i].splice.start < placed[i - 1].splice.end) {
      return {
        ok: false,
        reason: `edits ${placed[i - 1].edit} and ${placed[i].edit} overlap: join them into one`,
      };
    }
  }
  return { ok: true, splices: placed.map((place) => place.splice), loosely };
}

function spliceText(text: string, splices: readonly Splice[]): string {
  let out = "";
  let at = 0;
  for (const splice of splices) {
    out += text.slice(at, splice.start) + splice.text;
    at = splice.end;
  }
  return out + text.slice(at);
}
