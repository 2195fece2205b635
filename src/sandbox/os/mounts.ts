/**
 * What a program's mounts must look like once they are made. Where another
 * program of the session runs meanwhile, it could swap a folder of the
 * workspace for a link between the look and the mount, and something else
 * would be shown in its place: so what was mounted from a place that programs
 * write is compared with what was meant, before the program starts.
 */
import { isWithin } from "../glob.ts";
import type { Policy } from "../policy.ts";

/** One mount of a process: where, what of its file system, and the options that a remount must keep. */
export interface Mount {
  readonly at: string;
  readonly root: string;
  readonly options: readonly string[];
}

/** Reads what the system tells of a process's mounts. */
export function parseMounts(text: string): Mount[] {
  return text.split("\n").filter((line) => line !== "").map((line) => {
    const fields = line.split(" ");
    return { at: decode(fields[4]), root: decode(fields[3]), options: fields[5].split(",") };
  });
}

/** Those of this process: programs' mounts are made from them. */
export function machineMounts(): Mount[] {
  return parseMounts(Deno.readTextFileSync("/proc/self/mountinfo"));
}

/** The mount that shows a path. */
export function mountOf(path: string, mounts: readonly Mount[]): Mount | undefined {
  let found: Mount | undefined;
  for (const mount of mounts) {
    // Of two at one place the later one counts.
    if (isWithin(mount.at, path) && mount.at.length >= (found?.at.length ?? 0)) found = mount;
  }
  return found;
}

/** What must stand in the program's own list of mounts, by the arguments that make them. */
export function expectedMounts(args: readonly string[], policy: Policy, mounts: readonly Mount[]): string[] {
  const written = [policy.workspace, policy.tempDir, ...policy.writeRoots];
  const expected: string[] = [];
  for (let i = 0; i < args.length && args[i] !== "--"; i++) {
    if (args[i] !== "--bind" && args[i] !== "--ro-bind") continue;
    const [from, to] = [args[i + 1], args[i + 2]];
    i += 2;
    if (!written.some((top) => top !== from && isWithin(top, from))) continue;
    if (written.includes(from)) continue;
    const mount = mountOf(from, mounts);
    if (mount === undefined) continue;
    const rest = mount.at === "/" ? from : from.slice(mount.at.length);
    const root = mount.root === "/" ? rest || "/" : mount.root + rest;
    expected.push(` ${encode(root)} ${encode(to)} `);
  }
  return expected;
}

function decode(text: string): string {
  return text.replace(/\\(\d{3})/g, (_, digits) => String.fromCharCode(parseInt(digits, 8)));
}

function encode(text: string): string {
  return text.replace(/[ \t\n\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`);
}
