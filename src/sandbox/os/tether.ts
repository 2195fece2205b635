/**
 * Programs without a wrapper end with this process, however it ends: where
 * `setpriv` of util-linux is there, the kernel kills them when the thread that
 * has started them is no more. What they start themselves it does not reach.
 */
import { baseName } from "../../lib/files/paths.ts";
import { exists } from "./places.ts";
import type { Command } from "./wrapper.ts";

/** Puts it before a command; the command itself where it could not be what it was. */
type Tether = (command: Command) => Command;

/** Tries `setpriv` once; undefined where it is missing or knows nothing of it (busybox). */
export async function findTether(setpriv: string | undefined): Promise<Tether | undefined> {
  if (setpriv === undefined) return undefined;
  try {
    const { success } = await new Deno.Command(setpriv, {
      args: [...WORDS, setpriv, "--version"],
      clearEnv: true,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).output();
    return success ? (command) => tethered(setpriv, command) : undefined;
  } catch {
    return undefined;
  }
}

const WORDS = ["--pdeathsig", "KILL", "--"];

function tethered(setpriv: string, command: Command): Command {
  const { program, argv } = command;
  // Its name as called would be lost; and what is no program the system refuses in its own words.
  if (baseName(argv[0] ?? "") !== baseName(program) || !isProgram(program)) return command;
  return { ...command, program: setpriv, argv: ["setpriv", ...WORDS, program, ...argv.slice(1)] };
}

/** Only what the kernel itself starts: `setpriv` would hand a text without `#!` to the system's shell. */
function isProgram(path: string): boolean {
  let file: Deno.FsFile | undefined;
  try {
    // A named pipe would be waited for.
    const { isFile, mode } = Deno.statSync(path);
    if (!isFile || ((mode ?? 0) & 0o111) === 0) return false;
    file = Deno.openSync(path);
    const start = new Uint8Array(256);
    const length = file.readSync(start) ?? 0;
    const text = String.fromCharCode(...start.subarray(0, length));
    const interpreter = /^#![ \t]*([^ \t\n]+)/.exec(text)?.[1];
    return interpreter === undefined ? text.startsWith("\x7fELF") : exists(interpreter) === "file";
  } catch {
    // One that may be run and not read, or may not be run.
    return false;
  } finally {
    file?.close();
  }
}
