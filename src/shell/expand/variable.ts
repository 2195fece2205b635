/**
 * What a shell variable is: attributes and a value that is a text, an indexed
 * or an associative array. Owned by `run/vars.ts`, which alone changes them;
 * `owner` serves its copy-on-write.
 */

export const EXPORT = 1;
export const READONLY = 2;
export const INTEGER = 4;
export const LOWER = 8;
export const UPPER = 16;
export const CAPITAL = 32;
export const NAMEREF = 64;
export const TRACE = 128;
/** Declared as an array (`declare -a x`), perhaps without a value yet. */
export const ARRAY = 256;
export const ASSOC = 512;
/** The value is worked out on each reading. */
export const DYNAMIC = 1024;

/** Set for one command (`x=1 command`). */
export const TEMPORARY = 2048;

export type Value = string | IndexedArray | Map<string, string>;

export interface Variable {
  value: Value | undefined;
  flags: number;
  /** Depth of the function call that it is local to; 0: global. */
  frame: number;
  owner: object;
}

const DENSE_SLACK = 4096;

/** An indexed array; holes are allowed, far indexes are kept apart. */
export class IndexedArray {
  #dense: (string | undefined)[];
  #far: Map<number, string> | undefined;
  #count: number;

  constructor(values: readonly string[] = []) {
    this.#dense = values.slice();
    this.#count = values.length;
  }

  get count(): number {
    return this.#count;
  }

  /** One past the greatest index in use. */
  get end(): number {
    let end = this.#dense.length;
    if (this.#far !== undefined) { for (const k of this.#far.keys()) if (k >= end) end = k + 1; }
    return end;
  }

  get(index: number): string | undefined {
    return index < this.#dense.length ? this.#dense[index] : this.#far?.get(index);
  }

  set(index: number, value: string): void {
    const dense = this.#dense;
    if (index < dense.length) {
      if (dense[index] === undefined) this.#count++;
      dense[index] = value;
      return;
    }
    if (this.#far === undefined && index <= dense.length + DENSE_SLACK) {
      for (let i = dense.length; i < index; i++) dense.push(undefined);
      dense.push(value);
      this.#count++;
      return;
    }
    this.#far ??= new Map();
    if (!this.#far.has(index)) this.#count++;
    this.#far.set(index, value);
  }

  delete(index: number): void {
    if (index < this.#dense.length) {
      if (this.#dense[index] === undefined) return;
      this.#dense[index] = undefined;
      this.#count--;
      while (this.#dense.length > 0 && this.#dense[this.#dense.length - 1] === undefined) this.#dense.pop();
    } else if (this.#far?.delete(index)) this.#count--;
  }

  keys(): number[] {
    const out: number[] = [];
    const dense = this.#dense;
    for (let i = 0; i < dense.length; i++) if (dense[i] !== undefined) out.push(i);
    if (this.#far !== undefined) out.push(...[...this.#far.keys()].sort((a, b) => a - b));
    return out;
  }

  values(): string[] {
    if (this.#far === undefined && this.#count === this.#dense.length) return this.#dense.slice() as string[];
    return this.keys().map((k) => this.get(k)!);
  }

  clone(): IndexedArray {
    const copy = new IndexedArray();
    copy.#dense = this.#dense.slice();
    copy.#far = this.#far === undefined ? undefined : new Map(this.#far);
    copy.#count = this.#count;
    return copy;
  }
}

/** Element 0, or the text itself: what `$name` gives. */
export function scalarOf(value: Value | undefined): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  return value instanceof IndexedArray ? value.get(0) : value.get("0");
}

export function valuesOf(value: Value | undefined): string[] {
  if (value === undefined) return [];
  if (typeof value === "string") return [value];
  return value instanceof IndexedArray ? value.values() : assocKeys(value).map((k) => value.get(k)!);
}

export function keysOf(value: Value | undefined): string[] {
  if (value === undefined) return [];
  if (typeof value === "string") return ["0"];
  return value instanceof IndexedArray ? value.keys().map(String) : assocKeys(value);
}

const encoder = new TextEncoder();

/** Place of a key in bash's hash table (FNV, 1024 buckets), which decides the order in which it lists keys. */
function bucket(key: string): number {
  let h = 2166136261;
  for (const byte of encoder.encode(key)) h = (Math.imul(h, 16777619) ^ (byte << 24 >> 24)) | 0;
  return h & 1023;
}

/** The keys of an associative array in bash's order: by bucket, newest first. */
export function assocKeys(map: ReadonlyMap<string, string>): string[] {
  if (map.size < 2) return [...map.keys()];
  return [...map.keys()].map((key, i) => ({ key, i, b: bucket(key) })).sort((x, y) => x.b - y.b || y.i - x.i)
    .map((x) => x.key);
}
