import { assertEquals } from "@std/assert";
import { locate } from "../../src/config/locate.ts";

const JSONC = `// "b": not here
{
  "a": { "x": [1, { "y": "}]," }, /* "b" */ 2], },
  "b" : // said
    { "c\\u0064": [ [], {"e": 1} ], "f": -1.5e3, },
}`;

for (
  const [path, line, column] of [
    ["a", 3, 3],
    ["a.x", 3, 10],
    ["a.x.1.y", 3, 21],
    ["b", 4, 3],
    ["b.cd.1.e", 5, 25],
    ["b.f", 5, 36],
  ] as const
) {
  Deno.test(`locate() finds ${path} in JSON with comments`, () => {
    assertEquals(locate(JSONC, "json", path.split(".")), { line, column });
  });
}

Deno.test("locate() points at the parent where a part is missing, and at nothing without its first", () => {
  assertEquals(locate(JSONC, "json", ["b", "zz"]), { line: 4, column: 3 });
  assertEquals(locate(JSONC, "json", ["zz"]), undefined);
  assertEquals(locate("", "json", ["a"]), undefined);
});

const YAML = `# a: not here
a:
  x: 1
  b: 2
b:
  "quoted key":
    - one
    - name: two
      more: 1
  flush:
  - - x
    - y
  c:
    x: 3
`;

for (
  const [path, line, column] of [
    ["a", 2, 1],
    ["b", 5, 1],
    ["b.quoted key", 6, 3],
    ["b.quoted key.0", 7, 5],
    ["b.quoted key.1.more", 9, 7],
    ["b.flush.0.1", 12, 5],
    ["b.c", 13, 3],
    ["b.c.x", 14, 5],
  ] as const
) {
  Deno.test(`locate() finds ${path} in YAML`, () => {
    assertEquals(locate(YAML, "yaml", path.split(".")), { line, column });
  });
}
