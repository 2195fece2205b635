/**
 * Takes a damaged line apart: finds the whole entries in it and names the
 * rest. Works on bytes, since the places of damage are told in bytes. The
 * work is bounded, whatever the line holds.
 */
import { BAD_SUFFIX, type Damage, LINE_START } from "./format.ts";
import type { Disk, LogFile } from "./disk.ts";

/** A stretch of a line that something is wrong with. */
export interface Piece {
  readonly at: number;
  readonly length: number;
  readonly what: string;
  /** An entry was read from it all the same. */
  readonly used?: true;
  /** Bytes of that entry are lost. */
  readonly gap?: true;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
/** How many beginnings are tried in one line; beyond, the line is garbage. */
const MAX_TRIES = 256;

const start = new TextEncoder().encode(LINE_START);
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const loose = new TextDecoder("utf-8", { ignoreBOM: true });

/** Hands every whole object that `take` accepts to it, and answers with what is left, in order. */
export function salvage(
  bytes: Uint8Array,
  take: (value: unknown, at: number, length: number) => boolean,
): Piece[] {
  const pieces: Piece[] = [];
  let done = 0;
  let from = 0;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const at = nextStart(bytes, from);
    if (at < 0) break;
    from = at + 1;
    const end = objectEnd(bytes, at);
    if (end < 0) continue;
    const slice = bytes.subarray(at, end);
    const found = parseDamaged(slice);
    if (!found || !take(found.value, at, end - at)) continue;
    pieces.push(...gap(bytes, done, at));
    if (found.flaw !== undefined) {
      const lost = found.flaw === NULS_INSIDE ? { gap: true as const } : {};
      pieces.push({ at, length: end - at, what: found.flaw, used: true, ...lost });
    }
    done = from = end;
  }
  pieces.push(...gap(bytes, done, bytes.length));
  return pieces;
}

/** Where an entry may begin: at an object at the start of the line, after another one, after NULs, or as all entries begin. */
function nextStart(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(OPEN, from); at >= 0; at = bytes.indexOf(OPEN, at + 1)) {
    if (bytes[at + 1] !== QUOTE) continue;
    const before = at === 0 ? 0 : bytes[at - 1];
    if (before === 0 || before === CLOSE || start.every((byte, i) => bytes[at + i] === byte)) return at;
  }
  return -1;
}

/** The offset behind the object that begins at `at`; -1 where it does not end. */
function objectEnd(bytes: Uint8Array, at: number): number {
  let depth = 0;
  let quoted = false;
  for (let i = at; i < bytes.length; i++) {
    const byte = bytes[i];
    if (quoted) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) quoted = false;
    } else if (byte === QUOTE) quoted = true;
    else if (byte === OPEN) depth++;
    else if (byte === CLOSE && --depth === 0) return i + 1;
  }
  return -1;
}

const NULS_INSIDE = "NUL bytes inside an entry, of which the rest is used";

/**
 * The value of an object's bytes, also where some of them are not UTF-8 or
 * were overwritten with NULs; undefined where it is none all the same.
 */
export function parseDamaged(bytes: Uint8Array): { value: unknown; flaw: string | undefined } | undefined {
  const parsed = (decoder: TextDecoder, own: Uint8Array, flaw: string | undefined) => {
    try {
      return { value: JSON.parse(decoder.decode(own)), flaw };
    } catch {
      return undefined;
    }
  };
  if (bytes.includes(0)) return parsed(loose, withoutNuls(bytes), NULS_INSIDE);
  return parsed(strict, bytes, undefined) ?? parsed(loose, bytes, "bytes that are not UTF-8");
}

/** What a run of NULs leaves in a text: the mark for what cannot be read, so that nobody takes the rest for the whole. */
const MARK = new TextEncoder().encode("\uFFFD");

function withoutNuls(bytes: Uint8Array): Uint8Array {
  let runs = 0;
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, runEnd(bytes, at))) runs++;
  const out = new Uint8Array(bytes.length + runs * MARK.length);
  let end = 0;
  let quoted = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === 0) {
      i = runEnd(bytes, i) - 1;
      if (quoted) {
        out.set(MARK, end);
        end += MARK.length;
      }
    } else if (byte === BACKSLASH && quoted) {
      // What was escaped is lost: the text goes on without.
      if (bytes[i + 1] === 0) continue;
      out[end++] = byte;
      out[end++] = bytes[++i];
    } else {
      if (byte === QUOTE) quoted = !quoted;
      out[end++] = byte;
    }
  }
  return out.subarray(0, end);
}

function runEnd(bytes: Uint8Array, from: number): number {
  let end = from;
  while (bytes[end] === 0) end++;
  return end;
}

/** The bytes from `from` to `to` as damage; NULs at either end are told apart from the rest. */
function gap(bytes: Uint8Array, from: number, to: number): Piece[] {
  if (from >= to) return [];
  let head = from;
  while (head < to && bytes[head] === 0) head++;
  if (head === to) return [{ at: from, length: to - from, what: "NUL bytes" }];
  return [{
    at: from,
    length: to - from,
    what: parseDamaged(bytes.subarray(from, to)) ? "not an entry of a session" : "not a whole entry",
  }];
}

interface Aside {
  readonly line: number;
  readonly byte: number;
  readonly length: number;
  readonly what: string;
  readonly text?: string;
  readonly base64?: string;
}

/** More than this of one piece of damage is not copied: it stays in the session file. */
const MAX_ASIDE = 16 * 1024 * 1024;

/**
 * Copies what is damaged into the file beside, each piece once, and answers
 * with the damages, those that were there before marked as known. What is
 * torn is always copied: it is about to be cut off.
 */
export async function setAside(
  disk: Disk,
  path: string,
  file: LogFile,
  damages: readonly Damage[],
): Promise<Damage[]> {
  // An empty file has nothing to set aside.
  if (damages.every((damage) => damage.length === 0)) return [...damages];
  const bad = await disk.open(path + BAD_SUFFIX, { make: true });
  try {
    const size = await bad.size();
    const known = size === 0 ? new Set<string>() : await readAside(bad, size);
    const out: Damage[] = [];
    let text = size > 0 ? "\n" : "";
    for (const damage of damages) {
      if (!damage.torn && known.has(key(damage))) {
        out.push({ ...damage, known: true });
        continue;
      }
      out.push(damage);
      text += JSON.stringify(await aside(file, damage)) + "\n";
    }
    if (text.trim() !== "") {
      let bytes = new TextEncoder().encode(text);
      while (bytes.length > 0) bytes = bytes.subarray(await bad.append(bytes));
      await bad.syncData();
    }
    return out;
  } finally {
    bad.close();
  }
}

const key = (place: { byte: number; length: number; what: string }) =>
  `${place.byte} ${place.length} ${place.what}`;

async function readAside(bad: LogFile, size: number): Promise<Set<string>> {
  const bytes = new Uint8Array(size);
  await bad.read(bytes, 0);
  const known = new Set<string>();
  for (const line of loose.decode(bytes).split("\n")) {
    try {
      if (line !== "") known.add(key(JSON.parse(line)));
    } catch {
      // A torn line of the file of damages: what it told is told again.
    }
  }
  return known;
}

async function aside(file: LogFile, damage: Damage): Promise<Aside> {
  const { line, byte, length, what } = damage;
  // Nothing but zeros tells nobody anything.
  if (/NUL bytes\)?$/.test(what) || length > MAX_ASIDE) return { line, byte, length, what };
  const bytes = new Uint8Array(length);
  await file.read(bytes, byte);
  try {
    return { line, byte, length, what, text: strict.decode(bytes) };
  } catch {
    return { line, byte, length, what, base64: bytes.toBase64() };
  }
}
