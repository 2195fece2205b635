/** Redirections: opening what they name, putting it in place of a descriptor, and undoing that. */
import type { Run } from "../expand/config.ts";
import { wait } from "../expand/config.ts";
import type { GateRedirect } from "../gate.ts";
import { HostError, type OpenOptions } from "../host.ts";
import type { Redirect } from "../syntax/mod.ts";
import { type Description, FileDescription, MemoryInput, NullDescription } from "./fds.ts";
import type { Shell } from "./shell.ts";

/** Descriptors as they were, latest change last. */
export type Undo = { readonly fd: number; readonly old: Description | undefined }[];

class RedirectFailure extends Error {
  override readonly name = "RedirectFailure";
}

/** Puts descriptors back as they were. */
export function undo(sh: Shell, changes: Undo): void {
  for (let i = changes.length - 1; i >= 0; i--) sh.fds.set(changes[i].fd, changes[i].old);
  changes.length = 0;
}

/** Makes changes lasting (`exec`). */
export function keep(changes: Undo): void {
  for (const c of changes) c.old?.release();
  changes.length = 0;
}

/** Redirections with their targets worked out, and what they would touch: for the gate, before anything is opened. */
export function* settleRedirects(
  sh: Shell,
  list: readonly Redirect[],
): Run<[readonly Redirect[], readonly GateRedirect[]]> {
  if (list.length === 0) return [list, []];
  const touched: GateRedirect[] = [];
  const out: Redirect[] = [];
  for (const r of list) {
    if (r.op === "<<" || r.op === "<<-" || r.op === "<<<") {
      out.push(r);
      continue;
    }
    let word: string;
    try {
      word = yield* target(sh, r);
    } catch (error) {
      if (!(error instanceof RedirectFailure)) throw error;
      out.push(r);
      continue;
    }
    out.push({ ...r, target: { ...r.target, plain: word } });
    const duplicates = (r.op === "<&" || r.op === ">&") && /^[0-9]*-?$/.test(word);
    if (duplicates || word === "/dev/null" || /^\/dev\/(std(in|out|err)|fd\/[0-9]+)$/.test(word)) continue;
    touched.push({
      path: sh.absolute(word),
      read: r.op === "<" || r.op === "<>",
      write: r.op !== "<" && r.op !== "<&",
    });
  }
  return [out, touched];
}

/** Applies redirections in order. On failure the message was printed, what was done is undone, and it answers false. */
export function* redirect(
  sh: Shell,
  list: readonly Redirect[],
  changes: Undo,
): Run<boolean> {
  for (const r of list) {
    try {
      yield* one(sh, r, changes);
    } catch (error) {
      if (error instanceof RedirectFailure) sh.warn(error.message);
      else if (error instanceof HostError) sh.warn(`${error.path ?? r.target.text}: ${error.message}`);
      else {
        undo(sh, changes);
        throw error;
      }
      undo(sh, changes);
      return false;
    }
  }
  return true;
}

/** Descriptors have numbers below this; the system's own limit is of this order. */
const MAX_FD = 65_536;

function install(sh: Shell, changes: Undo, fd: number, description: Description | undefined): void {
  if (fd >= MAX_FD) {
    // Closing what cannot be open is no failure.
    if (description === undefined) return;
    description.release();
    throw new RedirectFailure(`${fd}: Bad file descriptor`);
  }
  changes.push({ fd, old: sh.fds.swap(fd, description) });
}

const DEFAULT_FD: Readonly<Record<string, number>> = {
  "<": 0,
  "<>": 0,
  "<&": 0,
  "<<": 0,
  "<<-": 0,
  "<<<": 0,
};

function* one(sh: Shell, r: Redirect, changes: Undo): Run<void> {
  let fd = r.fd ?? DEFAULT_FD[r.op] ?? 1;
  let description: Description | undefined;
  let both = false;
  switch (r.op) {
    case "<<":
    case "<<-":
      description = new MemoryInput(
        r.heredoc === undefined
          ? ""
          : r.heredoc.body.plain ?? (yield* sh.expander.quotedText(r.heredoc.body)),
      );
      break;
    case "<<<":
      description = new MemoryInput((yield* sh.expander.text(r.target)) + "\n");
      break;
    case "<&":
    case ">&": {
      const word = yield* target(sh, r);
      const m = /^([0-9]*)(-?)$/.exec(word);
      if (m !== null && word !== "") {
        if (m[1] === "") {
          if (r.variable !== undefined) fd = Number(descriptorIn(sh, r.variable) ?? NaN);
          if (Number.isNaN(fd)) throw new RedirectFailure(`${r.variable}: Bad file descriptor`);
          install(sh, changes, fd, undefined);
          return;
        }
        const from = Number(m[1]);
        const source = sh.fds.get(from);
        if (source === undefined) throw new RedirectFailure(`${from}: Bad file descriptor`);
        description = source.retain();
        if (r.variable !== undefined) fd = yield* allocate(sh, r.variable);
        install(sh, changes, fd, description);
        if (m[2] === "-" && from !== fd) install(sh, changes, from, undefined);
        return;
      }
      if (r.op === "<&" || r.fd !== undefined && r.fd !== 1) {
        throw new RedirectFailure(`${r.target.text}: ambiguous redirect`);
      }
      both = true;
      description = yield* open(sh, word, { write: true, create: true, truncate: true });
      break;
    }
    default: {
      const word = yield* target(sh, r);
      both = r.op === "&>" || r.op === "&>>";
      let options: OpenOptions;
      if (r.op === "<") options = { read: true };
      else if (r.op === "<>") options = { read: true, write: true, create: true };
      else if (r.op === ">>" || r.op === "&>>") options = { write: true, append: true, create: true };
      else {
        options = { write: true, create: true, truncate: true };
        if (r.op !== ">|" && sh.options.noclobber) options = noclobber(sh, word, options);
      }
      description = yield* open(sh, word, options);
    }
  }
  if (r.variable !== undefined) fd = yield* allocate(sh, r.variable);
  install(sh, changes, fd, description);
  if (both) install(sh, changes, 2, description.retain());
  // A descriptor by variable outlives the command.
  if (r.variable !== undefined && !sh.options.varredir_close) changes.pop();
}

function* allocate(sh: Shell, variable: string): Run<number> {
  const fd = sh.fds.free(10);
  const [, name, index] = /^(\w+)(?:\[(.*)\])?$/.exec(variable)!;
  if (index === undefined) sh.vars.assign(name, String(fd));
  else sh.vars.assignElementText(name, index, String(fd), 0);
  return yield* wait(fd);
}

/** What `{name}` or `{name[index]}` holds. */
function descriptorIn(sh: Shell, variable: string): string | undefined {
  const [, name, index] = /^(\w+)(?:\[(.*)\])?$/.exec(variable)!;
  return index === undefined ? sh.vars.text(name) : sh.vars.element(name, index, 0);
}

function* target(sh: Shell, r: Redirect): Run<string> {
  if (r.target.plain !== undefined) return r.target.plain;
  const quick = sh.expander.quick(r.target);
  if (typeof quick === "string") return quick;
  const word = quick === null ? undefined : yield* sh.expander.target(r.target);
  if (word === undefined) throw new RedirectFailure(`${r.target.text}: ambiguous redirect`);
  return word;
}

function noclobber(sh: Shell, word: string, options: OpenOptions): OpenOptions {
  try {
    if (sh.fs.stat(sh.absolute(word)).kind !== "file") return options;
  } catch {
    return { ...options, exclusive: true };
  }
  throw new RedirectFailure(`${word}: cannot overwrite existing file`);
}

/** Opens a path as a redirection does. Throws HostError with the path as written. */
export function* open(
  sh: Shell,
  word: string,
  options: OpenOptions,
): Run<Description> {
  const standard = STANDARD[word] ?? (/^\/dev\/fd\/([0-9]+)$/.exec(word)?.[1]);
  if (standard !== undefined) {
    const description = sh.fds.get(Number(standard));
    if (description === undefined) throw new HostError("ENOENT", word);
    return description.retain();
  }
  if (word === "/dev/null" || (sh.windows && /^nul$/i.test(word))) return new NullDescription();
  if (word === "/dev/tty") throw new HostError("ENXIO", word);
  if (word === "") throw new HostError("ENOENT", "");
  const path = sh.absolute(word);
  try {
    const file = yield* wait(sh.fs.open(path, { ...options, mode: 0o666 & ~sh.umask }));
    return new FileDescription(file, path, true, options.read ? (options.write ? "rw" : "r") : "w");
  } catch (error) {
    if (error instanceof HostError) throw new HostError(error.code, word, error.message, error);
    throw error;
  }
}

const STANDARD: Readonly<Record<string, string>> = {
  "/dev/stdin": "0",
  "/dev/stdout": "1",
  "/dev/stderr": "2",
};
