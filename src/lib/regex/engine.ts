/**
 * What every engine answers, whichever was chosen for a pattern.
 */

/** What a search found: the whole match, then the groups; `index` is where it starts. */
export type RegexMatch = readonly (string | undefined)[] & { readonly index: number };

/** A compiled pattern. Places are indexes into the text as JavaScript counts: UTF-16 units. */
export interface Regex {
  readonly source: string;
  /** Number of capturing groups. */
  readonly groups: number;
  /** Names of groups and their numbers. */
  readonly names: ReadonlyMap<string, number>;
  /** The leftmost match that starts at or after `from`. */
  exec(text: string, from?: number): RegexMatch | undefined;
  /** Start and end of each group (-1 where it took no part). Slower than {@link exec}. */
  spans(text: string, from?: number): Int32Array | undefined;
  /** Where the leftmost match at or after `from` ends, or -1: the cheapest question. */
  find(text: string, from?: number): number;
  test(text: string): boolean;
}

/** Makes a match of its parts: the whole one first, then the groups. */
export function withIndex(values: (string | undefined)[], index: number): RegexMatch {
  return Object.assign(values, { index });
}
