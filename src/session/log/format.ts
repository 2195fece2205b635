/**
 * What the log's writer and readers agree on: bytes and lines only, nothing
 * of what the lines mean. docs/session_format.md is the document of it.
 */

export const LF = 10;
export const CR = 13;

/** How every line that this program writes begins; repair looks for it in damaged lines. */
export const LINE_START = '{"kind":"';

/** A line longer than this is damage: it cannot be one that this program wrote, and must not fill the memory. */
export const MAX_LINE = 256 * 1024 * 1024;

/** Something in a file that could not be read as it should be. */
export interface Damage {
  /** From 1. */
  readonly line: number;
  /** Offset in the file, from 0. */
  readonly byte: number;
  readonly length: number;
  /** Such as "NUL bytes"; for a person. */
  readonly what: string;
  /** It is the unfinished end of the file: a writer cuts it off. */
  readonly torn?: true;
  /** What was read all the same: no entry is missing. */
  readonly used?: true;
  /** Of what was read, something is missing; other entries may be as well. */
  readonly gap?: true;
  /** An earlier opening has set it aside already. */
  readonly known?: true;
}

/** One line for a person. */
export function describeDamage(damage: Damage): string {
  return `line ${damage.line}, byte ${damage.byte}: ${damage.what}`;
}

/** The ending of the file beside a session that keeps what was damaged. */
export const BAD_SUFFIX = ".bad";
