import { assert, assertEquals, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import { hashOf } from "../../../src/tools/shared/file_bytes.ts";

Deno.test("hashOf() is the same for the same bytes, and another for any one that differs", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 5000 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      async (bytes, place, flip) => {
        const other = bytes.slice();
        assertEquals(await hashOf(new Uint8Array(other)), await hashOf(new Uint8Array(bytes)));
        other[place % other.length] ^= flip;
        assertNotEquals(await hashOf(new Uint8Array(other)), await hashOf(new Uint8Array(bytes)));
      },
    ),
  );
});

Deno.test("hashOf() tells texts of one length, swapped lines and added ends apart", async () => {
  const texts = ["", "a", "b", "ab", "ba", "a\nb\n", "b\na\n", "a\nb\n\n", "\0", "\0\0"];
  for (let i = 0; i < 2000; i++) texts.push(`line ${i}\n`.repeat(20), `${i}`);
  const hashes = await Promise.all(texts.map((text) => hashOf(new TextEncoder().encode(text))));
  assertEquals(new Set(hashes).size, new Set(texts).size);
  assert(hashes.every((hash) => hash.length > 0));
});
