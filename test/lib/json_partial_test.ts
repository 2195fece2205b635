import { assertEquals } from "@std/assert";
import { partialValue, repairObject } from "../../src/lib/json_partial.ts";

Deno.test("partialValue() shows what has arrived of an object", async () => {
  assertEquals(await partialValue('{"path":"a.txt","content":"line o'), { path: "a.txt", content: "line o" });
  assertEquals(await partialValue('{"a":1}'), { a: 1 });
  assertEquals(await partialValue("nonsense"), undefined);
  assertEquals(await partialValue(""), undefined);
});

const REPAIRED: [string, unknown][] = [
  ['{"a":1,}', { a: 1 }],
  ["{'a': 'x y'}", { a: "x y" }],
  ["{a: True, b: None}", { a: true, b: null }],
  ['{"a":"one\ntwo"}', { a: "one\ntwo" }],
  ['```json\n{"a":1}\n```', { a: 1 }],
  ['{"a":1}}', { a: 1 }],
  ['{"a":1 "b":2}', { a: 1, b: 2 }],
  ['"{\\"a\\":1}"', { a: 1 }],
];
for (const [text, value] of REPAIRED) {
  Deno.test(`repairObject() mends ${JSON.stringify(text)}`, async () => {
    assertEquals(JSON.parse(await repairObject(text) ?? "null"), value);
  });
}

const REFUSED = [
  '{"command":"rm -r ./out"',
  '{"a":{"b":[1,2]}',
  '{"command":"rm -r ./ou',
  "rm -r ./out",
  "[1,2]",
  "null",
  "",
  '{"a":1}{"b":2}',
  '{"a":1} and more',
  '{"a":"b\\',
];
for (const text of REFUSED) {
  Deno.test(`repairObject() does not guess at ${JSON.stringify(text)}`, async () => {
    assertEquals(await repairObject(text), undefined);
  });
}

Deno.test("repairObject() leaves a valid object byte for byte", async () => {
  assertEquals(await repairObject('{ "a" : 1 }'), '{ "a" : 1 }');
});
