/**
 * What the kernel makes of a program file that begins with `#!`: it runs the
 * interpreter that is named there, which may be any program (`#!/usr/bin/env
 * git`), with the file as an argument. A rule that forbids that program means
 * such a file as well.
 */
import type { HostFs } from "../shell/host.ts";
import { isWithin } from "./glob.ts";
import type { Policy } from "./policy.ts";

/** As much of a first line as the kernel reads. */
const LINE = 256;

/**
 * The argument vector that a script of the workspace becomes; undefined where
 * the file is none, or where tools could not have written it: the system's own
 * scripts are what they are called.
 */
export async function interpreted(
  fs: Pick<HostFs, "open" | "lstat">,
  program: string,
  argv: readonly string[],
  policy: Pick<Policy, "workspace" | "tempDir" | "writeRoots">,
): Promise<readonly string[] | undefined> {
  const roots = [policy.workspace, policy.tempDir, ...policy.writeRoots];
  if (!roots.some((root) => isWithin(root, program))) return undefined;
  const line = await firstLine(fs, program);
  const [, interpreter, argument] = /^#![ \t]*([^ \t]+)(?:[ \t]+(.*?))?[ \t]*$/.exec(line) ?? [];
  if (interpreter === undefined) return undefined;
  const words = argument === undefined || argument === "" ? [] : [argument];
  return [interpreter, ...words, program, ...argv.slice(1)];
}

async function firstLine(fs: Pick<HostFs, "open" | "lstat">, path: string): Promise<string> {
  try {
    if (fs.lstat(path).kind !== "file") return "";
    const file = await fs.open(path, { read: true });
    try {
      const head = new Uint8Array(LINE);
      const length = await file.read(head);
      return new TextDecoder().decode(head.subarray(0, length)).split("\n", 1)[0];
    } finally {
      file.close();
    }
  } catch {
    // Not to be read: whoever starts it says why.
    return "";
  }
}
