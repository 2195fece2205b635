/** Where the program works: the folder of `--cwd`, or the one that it was started in. */
import { describeBriefly } from "../lib/errors.ts";
import { UsageError } from "./args.ts";

/** The real absolute path of the workspace, `/`-separated. Throws UsageError where there is no such folder. */
export function workspaceOf(dir?: string): string {
  try {
    const real = Deno.realPathSync(dir ?? ".");
    if (!Deno.statSync(real).isDirectory) throw new UsageError(`The workspace "${dir}" is not a folder`);
    return Deno.build.os === "windows" ? real.replace(/^\\\\\?\\/, "").replaceAll("\\", "/") : real;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `Cannot use "${dir ?? "."}" as the workspace: ${describeBriefly(error)}`,
      dir === undefined
        ? "The folder may be gone: go to another one"
        : "Name a folder that is there: --cwd DIR",
    );
  }
}
