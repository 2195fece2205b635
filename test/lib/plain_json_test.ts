import { assert, assertEquals } from "@std/assert";
import { fits } from "../../src/lib/plain_json.ts";

const schema = {
  type: "object",
  properties: {
    path: { type: "string", minLength: 1 },
    limit: { type: "integer", minimum: 1, maximum: 50 },
    wait: { type: "number", exclusiveMinimum: 0 },
    all: { type: "boolean" },
    state: { type: "string", enum: ["open", "done"] },
    edits: {
      type: "array",
      minItems: 1,
      items: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
    },
  },
  required: ["path"],
};

Deno.test("fits() says yes to what is right to the letter", () => {
  for (
    const value of [
      { path: "f" },
      { path: "f", limit: 1, wait: 0.5, all: false, state: "done", edits: [{ to: "" }] },
      { path: "f", limit: 50 },
    ]
  ) assert(fits(schema, value), JSON.stringify(value));
});

Deno.test("fits() says no to all that somebody else has to judge", () => {
  const texts = [
    "{}",
    '{"path":""}',
    '{"path":7}',
    '{"path":null}',
    '{"path":"f","limit":0}',
    '{"path":"f","limit":51}',
    '{"path":"f","limit":1.5}',
    '{"path":"f","limit":"1"}',
    '{"path":"f","wait":0}',
    '{"path":"f","all":"true"}',
    '{"path":"f","state":"closed"}',
    '{"path":"f","edits":[]}',
    '{"path":"f","edits":{"to":"a"}}',
    '{"path":"f","edits":[{"from":"a"}]}',
    '{"path":"f","file":"g"}',
    '{"path":"f","__proto__":{}}',
    '{"path":"f","toString":"g"}',
    "[]",
    "null",
    '"path"',
    "7",
  ];
  assertEquals(texts.filter((text) => fits(schema, JSON.parse(text))), []);
});

Deno.test("fits() says no where the schema says what it does not know", () => {
  assert(!fits({ type: "string", pattern: "^a" }, "a"));
  assert(!fits({ type: ["string", "null"] }, "a"));
  assert(!fits({ anyOf: [{ type: "string" }] }, "a"));
  assert(!fits({}, "a"));
  assert(!fits(true, "a"));
});
