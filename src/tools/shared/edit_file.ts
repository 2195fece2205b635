/**
 * Edits of one file, in two steps so that several files can be changed
 * together or not at all: planned in memory, where everything that can be
 * refused is, then put on disk. All edits are found in the file as it is and
 * spliced into its bytes together.
 */
import type { View } from "../../agent/tool.ts";
import { shortPath } from "../../lib/files/paths.ts";
import { grouped } from "../../lib/text/count.ts";
import { unifiedDiff } from "../../lib/text/unified_diff.ts";
import { visible } from "../../lib/text/visible.ts";
import type { SheathDeps } from "../tool.ts";
import { hashOf } from "./file_bytes.ts";
import { readKnown } from "./known_file.ts";
import { LineEnds } from "./loose_text.ts";
import { limitOutput } from "./limit_output.ts";
import { type Hunk, matchEdit } from "./match_edit.ts";
import { stampOf } from "./read_stamps.ts";
import { replaceFile, type Target, writeTarget } from "./replace_file.ts";
import { decodeText, detectEncoding, EncodeError, isPlain, type Splice, spliceBytes } from "./text_codec.ts";

/** `ledger` decides whether what the model has seen of a file is still true. */
export type EditDeps = Pick<SheathDeps, "fs" | "workspace" | "cwd" | "home" | "poll" | "ledger">;

/** A change that can be made. */
export interface EditPlan {
  /** As shown, but not yet fit for a reader. */
  readonly name: string;
  readonly target: Target;
  readonly old: Uint8Array<ArrayBuffer>;
  readonly changed: Uint8Array<ArrayBuffer>;
  readonly before: string;
  readonly after: string;
  /** What makes `before` into `after`, in order. */
  readonly splices: readonly Splice[];
  /** What was taken as alike to find the places, where that could matter. */
  readonly loosely: string | undefined;
}

/** `reason` fits behind "Nothing changed in FILE: ". */
type Planned =
  | { readonly ok: true; readonly plan: EditPlan }
  | { readonly ok: false; readonly reason: string };

/** Plans the edits of the file at an absolute path. Throws HostError for what cannot be read. */
export async function planEdit(deps: EditDeps, path: string, hunks: readonly Hunk[]): Promise<Planned> {
  deps.fs.stat(path); // Edits are for files that exist: its failure says so.
  const target = writeTarget(deps.fs, path);
  const known = await readKnown(deps, target);
  if (!known.ok) return known;
  const old = known.bytes;
  const encoding = detectEncoding(old);
  if (encoding === "binary") return refuse("it is binary");
  const before = decodeText(old, encoding);
  if (before.includes("\0")) return refuse("it is binary (it holds NUL)");
  const found = findAll(before, hunks, deps.poll);
  if (!found.ok) return found;
  const { splices } = found;
  const after = spliceText(before, splices);
  if (after === before) return refuse("the edits leave it as it is");
  let changed: Uint8Array<ArrayBuffer>;
  try {
    changed = spliceBytes(old, encoding, before, splices, deps.poll);
  } catch (error) {
    if (error instanceof EncodeError) return refuse(`${error.message}, and the file is in that encoding`);
    throw error;
  }
  // Encodings with pairs of bytes could join what was spliced with what stands beside it.
  if (!isPlain(encoding) && decodeText(changed, encoding) !== after) {
    return refuse(`the new text cannot be written in its encoding (${encoding.name})`);
  }
  const name = shortPath(path, deps.cwd());
  return { ok: true, plan: { name, target, old, changed, before, after, splices, loosely: found.loosely } };
}

/** Puts a plan on disk and remembers the file as it then is. */
export async function applyEdit(deps: EditDeps, plan: EditPlan): Promise<void> {
  const stat = await replaceFile(deps.fs, plan.target, plan.changed);
  deps.ledger.set(plan.target.realPath, stampOf(stat, await hashOf(plan.changed)));
}

/** Takes a plan that was put on disk back. */
export async function undoEdit(deps: EditDeps, plan: EditPlan): Promise<void> {
  const stat = await replaceFile(deps.fs, plan.target, plan.old);
  deps.ledger.set(plan.target.realPath, stampOf(stat, await hashOf(plan.old)));
}

/** Bytes of diff that interfaces get. */
const VIEW_DIFF = 64 * 1024;

/** Past so many places, a diff shows the first ones only. */
const MOST_PLACES = 500;
const FIRST_PLACES = 50;

/** What a plan did: a text for the model with at most `maxBytes` of diff, and a view. */
export function reportEdit(
  plan: EditPlan,
  maxBytes: number,
): { readonly text: string; readonly view: Extract<View, { type: "diff" }> } {
  const many = plan.splices.length > MOST_PLACES;
  const shown = many ? spliceText(plan.before, plan.splices.slice(0, FIRST_PLACES)) : plan.after;
  const full = unifiedDiff(plan.name, plan.before, shown);
  const { added, removed } = many ? changedLines(plan.before, plan.splices) : full;
  const more = many
    ? `\n[${grouped(plan.splices.length)} places changed; the diff shows the first ${FIRST_PLACES}]`
    : "";
  // Line ends are shown only where they are what changed.
  const [before, after] = [LineEnds.fold(plan.before), LineEnds.fold(shown)];
  const plain = before === after ? [plan.before, shown] : [before, after];
  const bare = unifiedDiff(plan.name, plain[0], plain[1], { context: 1, bare: true });
  const short = limitOutput(visible(bare.diff), maxBytes);
  const how = plan.loosely === undefined ? "" : ` (${plan.loosely}; check the result)`;
  return {
    text: `Edited ${visible(plan.name)}: +${added} -${removed}${how}\n${short.text.trimEnd()}${more}`,
    view: {
      type: "diff",
      path: plan.name,
      diff: limitOutput(full.diff, VIEW_DIFF).text,
      added,
      removed,
    },
  };
}

type All =
  | { readonly ok: true; readonly splices: readonly Splice[]; readonly loosely: string | undefined }
  | { readonly ok: false; readonly reason: string };

function findAll(text: string, hunks: readonly Hunk[], poll: () => void): All {
  const placed: { splice: Splice; edit: number }[] = [];
  let loosely: string | undefined;
  for (const [index, hunk] of hunks.entries()) {
    const which = hunks.length === 1 ? "" : `edit ${index + 1} of ${hunks.length}: `;
    const found = matchEdit(text, hunk, poll);
    if (!found.ok) return refuse(which + found.reason);
    loosely ??= found.loosely;
    for (const splice of found.splices) placed.push({ splice, edit: index + 1 });
  }
  placed.sort((a, b) => a.splice.start - b.splice.start);
  for (let i = 1; i < placed.length; i++) {
    if (placed[i].splice.start < placed[i - 1].splice.end) {
      return refuse(`edits ${placed[i - 1].edit} and ${placed[i].edit} overlap: join them into one`);
    }
  }
  return { ok: true, splices: placed.map((place) => place.splice), loosely };
}

function refuse(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}

function spliceText(text: string, splices: readonly Splice[]): string {
  const out: string[] = [];
  let at = 0;
  for (const splice of splices) {
    out.push(text.slice(at, splice.start), splice.text);
    at = splice.end;
  }
  out.push(text.slice(at));
  return out.join("");
}

/** Lines that splices touch, before and after them, in one pass and without a diff. */
function changedLines(text: string, splices: readonly Splice[]): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  /** Where the last line that was counted ends. */
  let counted = 0;
  for (const splice of splices) {
    const gone = feeds(text.slice(splice.start, splice.end));
    const put = feeds(splice.text);
    // Whole lines taken out or put in leave the line that follows as it is.
    const lineStart = splice.start === 0 || text[splice.start - 1] === "\n";
    const whole = lineStart && (splice.end === splice.start || text[splice.end - 1] === "\n") &&
      (splice.text === "" || splice.text.endsWith("\n"));
    // The line that a splice begins in may be counted already.
    const own = whole || splice.start < counted ? 0 : 1;
    removed += gone + own;
    added += put + own;
    if (whole || splice.end < counted) continue;
    const feed = text.indexOf("\n", splice.end);
    counted = feed < 0 ? text.length + 1 : feed + 1;
  }
  return { added, removed };
}

function feeds(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
