import type { LanguageBuiltin, Shell } from "../run/shell.ts";
import { badOption } from "./shared/errors.ts";
import { change } from "./shared/folder.ts";
import { parseOptions } from "./shared/options.ts";
import { printed } from "./shared/print.ts";

/** `cd [-L|-P] [dir]` */
export const cd: LanguageBuiltin = {
  name: "cd",
  run(sh, args, call) {
    const o = parseOptions(args, "LPe@");
    if (o.bad !== undefined) return badOption(sh, "cd", o.bad, "cd [-L|[-P [-e]] [-@]] [dir]");
    if (o.rest.length > 1) {
      sh.warn("cd: too many arguments");
      return 1;
    }
    let dir = o.rest[0];
    let show = false;
    if (dir === undefined) {
      dir = sh.vars.text("HOME")!;
      if (dir === undefined) {
        sh.warn("cd: HOME not set");
        return 1;
      }
    } else if (dir === "-") {
      dir = sh.vars.text("OLDPWD")!;
      if (dir === undefined) {
        sh.warn("cd: OLDPWD not set");
        return 1;
      }
      show = true;
    }
    if (dir === "") return 0;
    let last = "";
    for (const arg of args) if (arg === "-P" || arg === "-L") last = arg;
    const physical = last === "-P" || (last === "" && sh.options.physical);
    const cdpath = sh.vars.text("CDPATH");
    if (cdpath !== undefined && cdpath !== "" && !/^(\/|\.\.?(\/|$))/.test(dir)) {
      for (const base of cdpath.split(":")) {
        const candidate = base === "" ? dir : `${base.replace(/\/$/, "")}/${dir}`;
        if (isDir(sh, candidate)) {
          const status = change(sh, candidate, physical, call.name);
          return status === 0 && base !== "" ? printed(sh, sh.cwd + "\n") : status;
        }
      }
    }
    if (sh.options.cdable_vars && !isDir(sh, dir)) {
      const value = sh.vars.text(dir);
      if (value !== undefined) {
        const status = change(sh, value, physical, call.name);
        return status === 0 ? printed(sh, sh.cwd + "\n") : status;
      }
    }
    const status = change(sh, dir, physical, call.name);
    return status === 0 && show ? printed(sh, sh.cwd + "\n") : status;
  },
};

function isDir(sh: Shell, dir: string): boolean {
  try {
    return sh.fs.stat(sh.absolute(dir)).kind === "dir";
  } catch {
    return false;
  }
}
