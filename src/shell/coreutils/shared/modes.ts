/**
 * File modes: the texts that `ls -l` and `stat` print, and the symbolic and
 * octal forms that chmod, mkdir -m and find -perm read.
 */
import type { FileKind } from "../../host.ts";

export const KIND_LETTER: Readonly<Record<FileKind, string>> = {
  file: "-",
  dir: "d",
  symlink: "l",
  fifo: "p",
  socket: "s",
  char: "c",
  block: "b",
};
const KIND_BITS: Readonly<Record<FileKind, number>> = {
  file: 0o100000,
  dir: 0o040000,
  symlink: 0o120000,
  fifo: 0o010000,
  socket: 0o140000,
  char: 0o020000,
  block: 0o060000,
};

/** The mode with the bits of the kind, as stat prints it raw. */
export function rawMode(kind: FileKind, mode: number): number {
  return KIND_BITS[kind] | mode;
}

/** `drwxr-xr-x`. */
export function modeText(kind: FileKind, mode: number): string {
  const triple = (bits: number, special: boolean, letter: string) => {
    const x = (bits & 1) !== 0;
    return (bits & 4 ? "r" : "-") + (bits & 2 ? "w" : "-") +
      (special ? (x ? letter : letter.toUpperCase()) : x ? "x" : "-");
  };
  return KIND_LETTER[kind] + triple(mode >> 6, (mode & 0o4000) !== 0, "s") +
    triple(mode >> 3, (mode & 0o2000) !== 0, "s") +
    triple(mode, (mode & 0o1000) !== 0, "t");
}

/**
 * A function from old mode to new one, or undefined where the text is no
 * mode. `mask` is the umask, which holds for clauses without `ugoa`.
 */
export function parseMode(text: string, mask: number): ((old: number, dir: boolean) => number) | undefined {
  if (/^[0-7]{1,5}$/.test(text)) {
    const value = parseInt(text, 8);
    if (value > 0o7777) return undefined;
    // GNU keeps a folder's set-id bits unless the number has five digits.
    return (old, dir) => dir && text.length < 5 ? value | (old & 0o6000) : value;
  }
  const clauses: ((old: number, dir: boolean) => number)[] = [];
  for (const part of text.split(",")) {
    const match = /^([ugoa]*)((?:[-+=](?:[rwxXst]*|[ugo]|[0-7]+))+)$/.exec(part);
    if (!match) return undefined;
    const who = match[1];
    for (const action of match[2].matchAll(/([-+=])([rwxXst]*(?![ugo0-7])|[ugo]|[0-7]+)/g)) {
      clauses.push((old, dir) => apply(old, dir, who, action[1], action[2], mask));
    }
  }
  return (old, dir) => clauses.reduce((mode, clause) => clause(mode, dir), old);
}

function apply(
  old: number,
  dir: boolean,
  who: string,
  operator: string,
  perms: string,
  mask: number,
): number {
  let bits = 0;
  let affected = 0;
  const all = who === "" || who.includes("a");
  const u = all || who.includes("u"), g = all || who.includes("g"), o = all || who.includes("o");
  if (u) affected |= 0o4700;
  if (g) affected |= 0o2070;
  if (o) affected |= 0o0007;
  if (all) affected |= 0o1000;
  if (/^[0-7]+$/.test(perms)) {
    bits = parseInt(perms, 8);
    affected = 0o7777;
  } else if (/^[ugo]$/.test(perms)) {
    const source = perms === "u" ? old >> 6 : perms === "g" ? old >> 3 : old;
    bits = spread(source & 7, u, g, o);
  } else {
    let triple = 0;
    if (perms.includes("r")) triple |= 4;
    if (perms.includes("w")) triple |= 2;
    if (perms.includes("x") || (perms.includes("X") && (dir || (old & 0o111) !== 0))) triple |= 1;
    bits = spread(triple, u, g, o);
    if (perms.includes("s")) bits |= (u ? 0o4000 : 0) | (g ? 0o2000 : 0);
    if (perms.includes("t")) bits |= 0o1000;
    if (who === "") bits &= ~mask | 0o7000;
  }
  if (operator === "+") return old | bits;
  if (operator === "-") return old & ~bits;
  const kept = dir ? 0o6000 & ~(perms.includes("s") ? affected : 0) : 0;
  return (old & ~(affected & ~kept)) | bits;
}

function spread(triple: number, u: boolean, g: boolean, o: boolean): number {
  return (u ? triple << 6 : 0) | (g ? triple << 3 : 0) | (o ? triple : 0);
}
