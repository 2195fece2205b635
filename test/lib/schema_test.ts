import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import * as z from "zod/mini";
import { parseArgs, toJsonSchema } from "../../src/lib/schema.ts";

const type = z.object({
  path: z.string().check(z.minLength(1)),
  limit: z.optional(z.int().check(z.minimum(1))),
  all: z.optional(z.boolean()),
  edits: z.optional(z.array(z.object({ from: z.string(), to: z.string() }))),
  state: z.optional(z.enum(["open", "done"])),
});

function parsed(args: unknown) {
  const result = parseArgs(type, args);
  assert(result.ok, result.ok ? "" : result.error);
  return result.value;
}

function refused(args: unknown): string {
  const result = parseArgs(type, args);
  assert(!result.ok, JSON.stringify(result));
  return result.error;
}

Deno.test("parseArgs() reads what can mean only one thing", () => {
  const edit = { from: "a", to: "b" };
  assertEquals(parsed({ path: "f", limit: "12", all: "true" }), { path: "f", limit: 12, all: true });
  assertEquals(parsed({ path: "f", limit: null, all: null }), { path: "f" });
  assertEquals(parsed({ path: 7 }), { path: "7" });
  assertEquals(parsed({ path: "f", edits: edit }), { path: "f", edits: [edit] });
  assertEquals(parsed({ path: "f", edits: JSON.stringify([edit]) }), { path: "f", edits: [edit] });
  assertEquals(parsed({ path: "f", edits: [JSON.stringify(edit)] }), { path: "f", edits: [edit] });
  assertEquals(parsed('{"path": "f", "limit": "3"}'), { path: "f", limit: 3 });
  assertEquals(
    parsed({ path: "[1]" }),
    { path: "[1]" },
    "a text that looks like JSON stays one where a text is wanted",
  );
});

Deno.test("parseArgs() names the field, what came, and the right form", () => {
  assertEquals(
    refused({ file_path: "f" }),
    'Arguments: "path" is missing (string); not a field: "file_path". Right form: ' +
      '{path: string, limit?: integer, all?: boolean, edits?: [{from: string, to: string}, …], state?: "open"|"done"}',
  );
  assertStringIncludes(
    refused({ path: "f", limit: "many" }),
    '"limit": expected number, received string, got "many"',
  );
  assertStringIncludes(refused({ path: "f", limit: 0 }), '"limit"');
  assertStringIncludes(refused({ path: "f", edits: [{ from: "a" }] }), '"edits[0].to" is missing');
  assertStringIncludes(refused({ path: "f", state: "closed" }), '"state"');
  assertStringIncludes(refused({ path: null }), '"path" is missing');
  for (const wrong of [7, null, undefined, [], "text"]) {
    assertStringIncludes(refused(wrong), "expected an object");
  }
  assert(refused({ path: "f", limit: "🙂".repeat(1000) }).length < 500);
  assert(refused({ path: "f", limit: "🙂".repeat(1000) }).isWellFormed());
});

Deno.test("toJsonSchema() says no more than a model needs", () => {
  assertEquals(
    toJsonSchema(z.object({ a: z.string().check(z.minLength(1)), b: z.optional(z.enum(["x"])) })),
    {
      type: "object",
      properties: { a: { type: "string" }, b: { enum: ["x"] } },
      required: ["a"],
    },
  );
});
