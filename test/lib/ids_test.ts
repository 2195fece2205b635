import { assert, assertEquals, assertMatch } from "@std/assert";
import { newId } from "../../src/lib/ids.ts";

Deno.test("newId() gives UUIDs of version 7 that sort in the order in which they were made", () => {
  const ids = Array.from({ length: 20_000 }, () => newId());
  assertEquals(ids, [...new Set(ids)].sort());
  for (const id of ids.slice(0, 100)) {
    assertMatch(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  assert(Math.abs(parseInt(ids[0].replace("-", "").slice(0, 12), 16) - Date.now()) < 60_000);
});
