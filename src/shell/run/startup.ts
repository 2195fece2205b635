/** What a fresh shell begins with: imported environment, its own variables, functions that were exported. */
import { EXPORT, READONLY } from "../expand/variable.ts";
import { parse } from "../syntax/mod.ts";
import { isSetOption } from "./options.ts";
import { DYNAMIC_NAMES, type FunctionEntry, type Shell } from "./shell.ts";
import { promptText, wordText } from "./prompt.ts";

export const BASH_VERSION = "5.2.15(1)-release";

export function prepare(
  sh: Shell,
  environment: ReadonlyMap<string, string>,
  functions: readonly FunctionEntry[] = [],
): void {
  const vars = sh.vars;
  for (const [given, value] of environment) {
    // Names there have no case; programs of the system write `Path`.
    const name = sh.windows && /^path$/i.test(given) ? "PATH" : given;
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) vars.import(name, value);
    else importFunction(sh, name, value);
  }
  const inherited = vars.text("SHELLOPTS");
  for (const name of DYNAMIC_NAMES) vars.addDynamic(name);
  for (const name of ["SHELLOPTS", "BASHOPTS"]) {
    vars.addDynamic(name, READONLY | (inherited !== undefined ? EXPORT : 0));
  }
  for (const name of inherited?.split(":") ?? []) if (isSetOption(name)) sh.setOption(name, true);
  const set = (name: string, value: string, flags = 0) => {
    vars.assign(name, value);
    if (flags !== 0) vars.setFlags(name, flags);
  };
  set("IFS", " \t\n");
  vars.setFlags("IFS", 0, EXPORT);
  set("PS4", vars.text("PS4") ?? "+ ");
  set("OPTIND", "1");
  vars.setFlags("OPTIND", 0, EXPORT);
  set("OPTERR", "1");
  const initial = (name: string, value: string) => {
    if (vars.text(name) === undefined) set(name, value);
  };
  const profile = sh.windows ? vars.text("USERPROFILE") : undefined;
  if (profile !== undefined && vars.text("HOME") === undefined) {
    set("HOME", profile.replaceAll("\\", "/"), EXPORT);
  }
  initial("HOSTNAME", sh.host.hostname);
  initial("SHELL", "/bin/bash");
  initial("HOSTTYPE", sh.host.system.machine);
  initial(
    "MACHTYPE",
    `${sh.host.system.machine}-pc-${sh.host.platform === "linux" ? "linux-gnu" : sh.host.platform}`,
  );
  initial(
    "OSTYPE",
    sh.host.platform === "linux" ? "linux-gnu" : sh.host.platform === "darwin" ? "darwin" : "msys",
  );
  set("BASH", "/bin/bash");
  set("BASH_VERSION", BASH_VERSION);
  vars.assignArray(
    "BASH_VERSINFO",
    ["5", "2", "15", "1", "release", vars.text("MACHTYPE")!].map((v) => [undefined, v, false]),
    false,
  );
  set("UID", String(sh.host.user.uid), READONLY);
  set("EUID", String(sh.host.user.uid), READONLY);
  set("PPID", String(sh.parentPid || sh.host.ppid), READONLY);
  set("SHLVL", String((Number(vars.text("SHLVL") ?? 0) || 0) + 1), EXPORT);
  if (vars.text("PATH") === undefined) {
    set("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  }
  const pwd = vars.text("PWD");
  if (pwd === undefined) {
    try {
      sh.cwd = sh.fs.realPath(sh.cwd);
    } catch {
      // The folder is gone: its name is all there is.
    }
  }
  if (pwd === undefined || !sameFolder(sh, pwd, sh.cwd)) set("PWD", sh.cwd);
  else sh.cwd = pwd;
  vars.setFlags("PWD", EXPORT);
  if (vars.raw("OLDPWD") === undefined) vars.setFlags("OLDPWD", EXPORT);
  for (const f of functions) sh.setFunction(f.name, { ...f, source: "environment" });
  sh.promptFor = readers;
  readers(sh);
}

function readers(sh: Shell): void {
  sh.promptFor = readers;
  sh.vars.expandKey = (text) => wordText(sh, text);
  sh.promptText = (text) => promptText(sh, text);
}

function sameFolder(sh: Shell, a: string, b: string): boolean {
  if (!a.startsWith("/") && !sh.windows) return false;
  if (a === b) return true;
  try {
    const x = sh.fs.stat(a);
    const y = sh.fs.stat(b);
    return x.dev === y.dev && x.ino === y.ino && x.ino !== 0;
  } catch {
    return false;
  }
}

/** `BASH_FUNC_name%%`: a function another bash exported. */
function importFunction(sh: Shell, name: string, value: string): void {
  const m = /^BASH_FUNC_(.+)%%$/.exec(name);
  if (m === null || !value.startsWith("() {")) return;
  try {
    const c = parse(`${m[1]} ${value}`)[0]?.first.commands[0];
    if (c?.kind === "function") {
      sh.setFunction(m[1], {
        name: m[1],
        body: c.body,
        source: "environment",
        line: 1,
        exported: true,
        traced: false,
      });
    }
  } catch {
    // Not a function after all: nobody can call it.
  }
}
