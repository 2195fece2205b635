import type { Run } from "../expand/config.ts";
import { HostError } from "../host.ts";
import { isRun } from "../run/process.ts";
import { nestedText } from "../run/functions.ts";
import { readAll } from "../run/nested.ts";
import { open } from "../run/redirect.ts";
import { Flow, type LanguageBuiltin, type Shell } from "../run/shell.ts";
import { runTrap, trapApplies } from "../run/traps.ts";

/** `source file [arg …]`, `. file [arg …]` */
export const source: LanguageBuiltin = {
  name: "source",
  special: true,
  run: (sh, args, call) => run(sh, args, call.name),
};
export const dot: LanguageBuiltin = {
  name: ".",
  special: true,
  run: (sh, args, call) => run(sh, args, call.name),
};

function* run(sh: Shell, given: readonly string[], name: string): Run<number> {
  const args = given[0] === "--" ? given.slice(1) : given;
  if (args.length === 0) {
    sh.warn(`${name}: filename argument required`);
    sh.writeError(`${name}: usage: ${name} filename [arguments]\n`);
    return 2;
  }
  if (/^-./.test(args[0])) {
    sh.warn(`${name}: ${args[0].slice(0, 2)}: invalid option`);
    sh.writeError(`${name}: usage: ${name} filename [arguments]\n`);
    return 2;
  }
  if (sh.calls.length >= sh.session.limits.calls) {
    sh.warn(`${name}: maximum source nesting level exceeded`);
    return 1;
  }
  let text: string;
  let path: string | undefined;
  try {
    path = find(sh, args[0]);
    if (path !== undefined && !path.startsWith("/dev/") && sh.fs.stat(sh.absolute(path)).kind === "dir") {
      throw new HostError("EISDIR");
    }
    const file = yield* open(sh, path ?? args[0], { read: true });
    try {
      text = yield* readAll(file);
    } finally {
      file.release();
    }
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const message = error.code === "EISDIR" ? "is a directory" : error.message;
    sh.warn(error.code === "EISDIR" ? `${name}: ${args[0]}: ${message}` : `${args[0]}: ${message}`);
    if (sh.options.posix) sh.flow = Flow.Exit;
    return 1;
  }
  if (text.slice(0, 200).includes("\0")) {
    sh.warn(`${name}: ${args[0]}: cannot execute binary file`);
    return 126;
  }
  const { params, line } = sh;
  sh.calls.push({ name: "source", source: path ?? args[0], line, sourced: true });
  if (args.length > 1) sh.params = args.slice(1);
  const replaced = sh.paramsReplaced;
  sh.paramsReplaced = false;
  try {
    yield* nestedText(sh, sh.calls.length, () => sh.exec.text(sh, text, { label: "", line: 1 }));
    const status = sh.status;
    const returned = sh.flow === Flow.Return;
    if (returned) sh.flow = Flow.None;
    if (trapApplies(sh, "RETURN")) {
      if (returned) sh.status = sh.statusBeforeReturn;
      const trap = runTrap(sh, "RETURN");
      if (isRun(trap)) yield* trap;
    }
    return status;
  } finally {
    sh.calls.pop();
    // What `set --` gave inside stays; what `shift` did does not, where the file had arguments of its own.
    if (args.length > 1 && !sh.paramsReplaced) sh.params = params;
    sh.paramsReplaced ||= replaced;
    sh.line = line;
  }
}

/** A name without a slash is looked for in PATH, then in the folder. */
function find(sh: Shell, name: string): string | undefined {
  if (name.includes("/") || !sh.options.sourcepath) return name;
  for (const dir of (sh.vars.text("PATH") ?? "").split(":")) {
    const path = `${dir === "" ? "." : dir}/${name}`;
    try {
      if (sh.fs.stat(sh.absolute(path)).kind === "file") return path;
    } catch {
      // Not here.
    }
  }
  if (sh.options.posix) throw new HostError("ENOENT");
  return name;
}
