/**
 * The list of utilities that run inside the shell. Bodies are loaded when they
 * are first called, so that starting a shell costs nothing; each entry also
 * turns the errors that all utilities share (wrong use, a fatal message,
 * --help) into texts and statuses.
 */
import { UnsupportedOption, type Utility, type UtilityContext } from "../builtin.ts";
import type { Later } from "../host.ts";
import { Answer, Failure, UsageError } from "./shared/options.ts";
import { RegexError } from "../../lib/regex.ts";

export { UnsupportedOption };

interface Body {
  run(context: UtilityContext): Later<number>;
}

function lazily(name: string, load: () => Promise<Body>): Utility {
  let body: Body | undefined;
  return {
    name,
    async run(context) {
      try {
        body ??= await load();
        return await body.run(context);
      } catch (error) {
        if (error instanceof Answer) {
          await context.stdout.print(error.message);
          return 0;
        }
        if (error instanceof UsageError) {
          const hint = error.hint ? `Try '${context.name} --help' for more information.\n` : "";
          await context.stderr.print(`${context.name}: ${error.message}\n${hint}`);
          return error.status ?? 1;
        }
        if (error instanceof Failure) {
          await context.stderr.print(`${context.name}: ${error.message}\n`);
          return error.status;
        }
        if (error instanceof RegexError) {
          await context.stderr.print(`${context.name}: ${error.message}\n`);
          return 2;
        }
        throw error;
      }
    },
  };
}

/** Every utility, by name. */
export const coreutils: readonly Utility[] = [
  lazily("awk", () => import("./awk/mod.ts")),
  lazily("gawk", () => import("./awk/mod.ts")),
  lazily("basename", () => import("./basename.ts")),
  lazily("cat", () => import("./cat.ts")),
  lazily("cp", () => import("./cp.ts")),
  lazily("cut", () => import("./cut.ts")),
  lazily("date", () => import("./date.ts")),
  lazily("dirname", () => import("./dirname.ts")),
  lazily("egrep", () => import("./grep/mod.ts")),
  lazily("env", () => import("./env.ts")),
  lazily("fgrep", () => import("./grep/mod.ts")),
  lazily("find", () => import("./find/mod.ts")),
  lazily("grep", () => import("./grep/mod.ts")),
  lazily("head", () => import("./head.ts")),
  lazily("ls", () => import("./ls/mod.ts")),
  lazily("mkdir", () => import("./mkdir.ts")),
  lazily("mv", () => import("./mv.ts")),
  lazily("printenv", () => import("./printenv.ts")),
  lazily("rm", () => import("./rm.ts")),
  lazily("sed", () => import("./sed/mod.ts")),
  lazily("seq", () => import("./seq.ts")),
  lazily("sleep", () => import("./sleep.ts")),
  lazily("sort", () => import("./sort/mod.ts")),
  lazily("tail", () => import("./tail.ts")),
  lazily("tee", () => import("./tee.ts")),
  lazily("touch", () => import("./touch.ts")),
  lazily("tr", () => import("./tr.ts")),
  lazily("uniq", () => import("./uniq.ts")),
  lazily("wc", () => import("./wc.ts")),
  lazily("xargs", () => import("./xargs.ts")),
];
