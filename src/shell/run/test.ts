/** The conditions of `[[ … ]]`, `test` and `[`. */
import { scalarOf } from "../expand/variable.ts";
import { evaluate } from "../expand/arith.ts";
import type { FileStat } from "../host.ts";
import { isSetOption } from "./options.ts";
import type { Shell } from "./shell.ts";

/** What `test` complains about. */
export class TestError extends Error {
  override readonly name = "TestError";
}

export function isUnary(op: string): boolean {
  return /^-[abcdefghknoprstuvwxzGLNORS]$/.test(op);
}

export function isBinary(op: string): boolean {
  return /^(==?|!=|<|>|-eq|-ne|-lt|-le|-gt|-ge|-ef|-nt|-ot)$/.test(op);
}

function stat(sh: Shell, path: string): FileStat | undefined {
  if (path === "") return undefined;
  const m = /^\/dev\/(?:fd\/([0-9]+)|(stdin)|(stdout)|(stderr))$/.exec(path);
  try {
    if (m !== null) {
      const fd = m[1] !== undefined ? Number(m[1]) : m[2] !== undefined ? 0 : m[3] !== undefined ? 1 : 2;
      const d = sh.fd(fd);
      if (d === undefined) return undefined;
      if (d.file !== undefined) return d.file.stat();
      return FIFO;
    }
    return sh.fs.stat(sh.absolute(path));
  } catch {
    return undefined;
  }
}

const FIFO: FileStat = {
  kind: "fifo",
  size: 0,
  mode: 0o600,
  uid: 0,
  gid: 0,
  dev: 0,
  ino: 0,
  nlink: 1,
  rdev: 0,
  blocks: 0,
  atimeMs: 0,
  mtimeMs: 0,
  ctimeMs: 0,
};

export function unary(sh: Shell, op: string, arg: string): boolean {
  switch (op) {
    case "-n":
      return arg !== "";
    case "-z":
      return arg === "";
    case "-v":
      return isSet(sh, arg);
    case "-R": {
      const v = sh.vars.raw(arg);
      return v !== undefined && (v.flags & 64) !== 0 && v.value !== undefined;
    }
    case "-o":
      return isSetOption(arg) && sh.options[arg];
    case "-t": {
      if (!/^\s*[0-9]+\s*$/.test(arg)) return false;
      return sh.fd(Number(arg))?.terminal ?? false;
    }
    case "-L":
    case "-h":
      try {
        return arg !== "" && sh.fs.lstat(sh.absolute(arg)).kind === "symlink";
      } catch {
        return false;
      }
  }
  const s = stat(sh, arg);
  if (s === undefined) return false;
  switch (op) {
    case "-e":
    case "-a":
      return true;
    case "-f":
      return s.kind === "file";
    case "-d":
      return s.kind === "dir";
    case "-b":
      return s.kind === "block";
    case "-c":
      return s.kind === "char";
    case "-p":
      return s.kind === "fifo";
    case "-S":
      return s.kind === "socket";
    case "-s":
      return s.size > 0;
    case "-g":
      return (s.mode & 0o2000) !== 0;
    case "-u":
      return (s.mode & 0o4000) !== 0;
    case "-k":
      return (s.mode & 0o1000) !== 0;
    case "-r":
    case "-w":
    case "-x":
      return arg.startsWith("/dev/fd/") || sh.fs.access(sh.absolute(arg), op[1] as "r");
    case "-G":
      return s.gid === sh.host.user.gid;
    case "-O":
      return s.uid === sh.host.user.uid;
    case "-N":
      return s.mtimeMs > s.atimeMs;
  }
  return false;
}

/** `-v name` and `-v name[key]`. */
export function isSet(sh: Shell, arg: string): boolean {
  const m = /^([A-Za-z_][A-Za-z0-9_]*)(?:\[([\s\S]*)\])?$/.exec(arg);
  if (m === null) return /^[0-9]+$/.test(arg) && (arg === "0" || sh.params.length >= Number(arg));
  const v = sh.vars.get(m[1]);
  if (m[2] === undefined) return v !== undefined && scalarOf(v.value) !== undefined;
  if (m[2] === "@" || m[2] === "*") {
    if (v?.value instanceof Map && v.value.has(m[2])) return true;
    return v !== undefined && v.value !== undefined &&
      (typeof v.value === "string" || (v.value instanceof Map ? v.value.size : v.value.count) > 0);
  }
  return sh.vars.element(m[1], m[2], 0) !== undefined;
}

export function integer(text: string): number | bigint {
  const t = text.trim();
  if (!/^[+-]?[0-9]+$/.test(t)) throw new TestError(`${text}: integer expression expected`);
  const n = Number(t);
  return Number.isSafeInteger(n) ? n : BigInt(t);
}

export function compareNumbers(op: string, a: number | bigint, b: number | bigint): boolean {
  switch (op) {
    case "-eq":
      return a == b;
    case "-ne":
      return a != b;
    case "-lt":
      return a < b;
    case "-le":
      return a <= b;
    case "-gt":
      return a > b;
    default:
      return a >= b;
  }
}

export function compareFiles(sh: Shell, op: string, a: string, b: string): boolean {
  const left = stat(sh, a);
  const right = stat(sh, b);
  if (op === "-ef") {
    return left !== undefined && right !== undefined && left.dev === right.dev && left.ino === right.ino;
  }
  if (op === "-nt") return left !== undefined && (right === undefined || left.mtimeMs > right.mtimeMs);
  return right !== undefined && (left === undefined || left.mtimeMs < right.mtimeMs);
}

/** `test`'s binary operators; `arith` evaluates operands as `[[` does. */
export function binary(sh: Shell, op: string, a: string, b: string, arith: boolean): boolean {
  switch (op) {
    case "=":
    case "==":
      return a === b;
    case "!=":
      return a !== b;
    case "<":
      return a < b;
    case ">":
      return a > b;
    case "-ef":
    case "-nt":
    case "-ot":
      return compareFiles(sh, op, a, b);
  }
  if (arith) return compareNumbers(op, evaluate(a, sh.vars), evaluate(b, sh.vars));
  return compareNumbers(op, integer(a), integer(b));
}
