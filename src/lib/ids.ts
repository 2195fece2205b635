/**
 * Names for things: UUIDs of version 7, which sort by the time they were made
 * (within one process also those of the same millisecond).
 */
// @ts-types="./std/uuid_v7.d.ts"
import { generate } from "@std/uuid/v7";

let last = "";

/** A new id; greater, as text, than every one that this process made before. */
export function newId(): string {
  let id = generate();
  // The clock stands still for a millisecond or was set back: count on from the last id.
  if (id <= last) id = after(last);
  last = id;
  return id;
}

/** The id one higher in the 62 free bits behind the variant; its time part stays. */
function after(id: string): string {
  const low = BigInt("0x" + id.slice(19).replace("-", ""));
  const free = (low + 1n) & 0x3fff_ffff_ffff_ffffn;
  const hex = (free | 0x8000_0000_0000_0000n).toString(16).padStart(16, "0");
  return `${id.slice(0, 19)}${hex.slice(0, 4)}-${hex.slice(4)}`;
}
