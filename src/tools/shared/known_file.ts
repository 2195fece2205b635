/**
 * A file that is about to be changed, read whole and checked against the
 * ledger: what the model has not seen, or not in its present state, it is not
 * to overwrite.
 */
import { HostError, type HostFs } from "../../sandbox/mod.ts";
import type { Ledger } from "../tool.ts";
import { hashOf, openFile, readAll } from "./file_bytes.ts";
import { knowledge } from "./read_stamps.ts";
import type { Target } from "./replace_file.ts";
import { grouped } from "../../lib/text/count.ts";

/** Bytes of a file that may be changed by a tool. */
const MAX_BYTES = 64 << 20;

/** `reason` says what has to be done first: read the file, or read it again. */
type Known =
  | { readonly ok: true; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly ok: false; readonly reason: string };

/** The bytes of an existing target, or why it is not to be changed yet. */
export async function readKnown(
  deps: { readonly fs: HostFs; readonly ledger: Ledger },
  target: Target,
): Promise<Known> {
  const file = await openFile(deps.fs, target.realPath);
  try {
    const stat = file.stat();
    const bytes = await readAll(file, MAX_BYTES, stat.size);
    if (bytes === undefined) {
      throw new HostError(
        "ENOTSUP",
        target.realPath,
        `${grouped(stat.size)} bytes is too big for this tool`,
      );
    }
    switch (knowledge(deps.ledger, target.realPath, { stat, hash: await hashOf(bytes) })) {
      case "known":
        return { ok: true, bytes };
      case "unread":
        return { ok: false, reason: "you have not read it yet: read it first" };
      case "changed":
        return { ok: false, reason: "it has changed since you read it: read it again first" };
    }
  } finally {
    file.close();
  }
}
