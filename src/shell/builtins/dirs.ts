/** `dirs`, `pushd`, `popd`. */
import type { Run } from "../expand/config.ts";
import { change } from "./shared/folder.ts";
import type { LanguageBuiltin, Shell } from "../run/shell.ts";

function shown(sh: Shell, dir: string, long: boolean): string {
  const home = sh.vars.text("HOME");
  if (long || home === undefined || home === "" || home === "/") return dir;
  return dir === home ? "~" : dir.startsWith(home + "/") ? "~" + dir.slice(home.length) : dir;
}

const line = (sh: Shell) => [sh.cwd, ...sh.dirStack].map((d) => shown(sh, d, false)).join(" ") + "\n";

/** Place that `+N` or `-N` names; undefined where it is out of range. */
function place(sh: Shell, arg: string): number | undefined {
  const size = sh.dirStack.length + 1;
  const n = Number(arg.slice(1));
  const at = arg[0] === "+" ? n : size - 1 - n;
  return at >= 0 && at < size ? at : undefined;
}

function go(sh: Shell, dir: string, name = "pushd"): boolean {
  return change(sh, dir, sh.options.physical, name) === 0;
}

function outOfRange(sh: Shell, name: string, arg: string): number {
  sh.warn(
    sh.dirStack.length === 0
      ? `${name}: directory stack empty`
      : `${name}: ${arg}: directory stack index out of range`,
  );
  return 1;
}

function* out(sh: Shell, text: string): Run<void> {
  const later = sh.print(text);
  if (later instanceof Promise) yield later;
}

export const dirs: LanguageBuiltin = {
  name: "dirs",
  *run(sh, args): Run<number> {
    let long = false;
    let lines = false;
    let numbered = false;
    let at: number | undefined;
    for (const a of args) {
      if (/^[-+][0-9]+$/.test(a)) {
        at = place(sh, a);
        if (at === undefined) {
          return outOfRange(sh, "dirs", a.slice(1));
        }
      } else if (a === "-c") {
        sh.dirStack = [];
        return 0;
      } else if (/^-[lpv]+$/.test(a)) {
        if (a.includes("l")) long = true;
        if (a.includes("p")) lines = true;
        if (a.includes("v")) lines = numbered = true;
      } else if (a !== "--") {
        sh.warn(`dirs: ${a}: invalid ${a.startsWith("-") ? "option" : "number"}`);
        if (a.startsWith("-")) sh.writeError("dirs: usage: dirs [-clpv] [+N] [-N]\n");
        return a.startsWith("-") ? 2 : 1;
      }
    }
    const all = [sh.cwd, ...sh.dirStack].map((d) => shown(sh, d, long));
    const list = at === undefined ? all : [all[at]];
    const text = numbered
      ? list.map((d, i) => `${String(at ?? i).padStart(2)}  ${d}`).join("\n")
      : list.join(lines ? "\n" : " ");
    yield* out(sh, text + "\n");
    return 0;
  },
};

export const pushd: LanguageBuiltin = {
  name: "pushd",
  *run(sh, given): Run<number> {
    let stay = false;
    let args = given;
    while (args[0] === "-n" || args[0] === "--") {
      if (args[0] === "-n") stay = true;
      args = args.slice(1);
    }
    if (args.length > 1) {
      sh.warn("pushd: too many arguments");
      return 1;
    }
    const arg = args[0];
    if (arg === undefined) {
      if (stay) return 0;
      if (sh.dirStack.length === 0) {
        sh.warn("pushd: no other directory");
        return 1;
      }
      const here = sh.cwd;
      const [next, ...rest] = sh.dirStack;
      if (!go(sh, next)) return 1;
      sh.dirStack = [here, ...rest];
    } else if (/^[-+][0-9]+$/.test(arg)) {
      const at = place(sh, arg);
      if (at === undefined) {
        return outOfRange(sh, "pushd", arg);
      }
      const all = [sh.cwd, ...sh.dirStack];
      const turned = [...all.slice(at), ...all.slice(0, at)];
      if (!stay && !go(sh, turned[0])) return 1;
      sh.dirStack = turned.slice(1);
    } else if (/^-./.test(arg)) {
      sh.warn(`pushd: ${arg}: invalid number`);
      sh.writeError("pushd: usage: pushd [-n] [+N | -N | dir]\n");
      return 2;
    } else if (stay) sh.dirStack = [arg, ...sh.dirStack];
    else {
      const here = sh.cwd;
      const stack = sh.dirStack;
      if (!go(sh, arg)) return 1;
      sh.dirStack = [here, ...stack];
    }
    yield* out(sh, line(sh));
    return 0;
  },
};

export const popd: LanguageBuiltin = {
  name: "popd",
  *run(sh, given): Run<number> {
    let stay = false;
    let args = given;
    while (args[0] === "-n" || args[0] === "--") {
      if (args[0] === "-n") stay = true;
      args = args.slice(1);
    }
    if (args.length > 1) {
      sh.warn("popd: too many arguments");
      return 1;
    }
    if (sh.dirStack.length === 0) {
      sh.warn("popd: directory stack empty");
      return 1;
    }
    const arg = args[0];
    if (arg === undefined || arg === "+0") {
      if (stay) sh.dirStack = sh.dirStack.slice(1);
      else {
        const [next, ...rest] = sh.dirStack;
        if (!go(sh, next, "popd")) return 1;
        sh.dirStack = rest;
      }
    } else if (/^[-+][0-9]+$/.test(arg)) {
      const at = place(sh, arg);
      if (at === undefined) {
        return outOfRange(sh, "popd", arg);
      }
      if (at === 0) {
        const [next, ...rest] = sh.dirStack;
        if (!go(sh, next, "popd")) return 1;
        sh.dirStack = rest;
      } else sh.dirStack = sh.dirStack.filter((_, i) => i !== at - 1);
    } else {
      sh.warn(`popd: ${arg}: invalid ${arg.startsWith("-") ? "number" : "argument"}`);
      sh.writeError("popd: usage: popd [-n] [+N | -N]\n");
      return 2;
    }
    yield* out(sh, line(sh));
    return 0;
  },
};
