import { assert, assertEquals } from "@std/assert";
import { asEntry, asHeader, encode, isKnown } from "../../src/session/entry.ts";
import { chain, RUN } from "./sample.ts";

const place = { id: "i", parentId: null, at: "" };

Deno.test("asEntry() knows what waits with a part of a later version", () => {
  const entry = asEntry({ ...place, kind: "queued", requestId: "r", parts: [{ type: "voice" }] });
  assert(entry && isKnown(entry));
});

Deno.test("encode() and asEntry() give back every kind, `kind` first", () => {
  for (const entry of chain(...RUN, { kind: "title", title: "t" }, { kind: "leaf" })) {
    const line = encode(entry);
    assert(line.startsWith(`{"kind":"${entry.kind}"`));
    const back = asEntry(JSON.parse(line));
    assertEquals(back, entry);
    assert(back && isKnown(back));
  }
});

for (
  const value of [
    null,
    1,
    "x",
    [],
    {},
    { kind: "note" },
    { kind: "note", id: 1, parentId: null },
    { kind: "note", id: "", parentId: null },
    { kind: "note", id: "a" },
    { kind: "session", id: "a", parentId: null },
  ]
) {
  Deno.test(`asEntry() takes ${JSON.stringify(value)} for no entry`, () =>
    assertEquals(asEntry(value), undefined));
}

for (
  const [what, value] of [
    ["a note without text", { kind: "note" }],
    ["a submission without a message", { kind: "submission", requestId: "r", parts: [] }],
    ["an answer whose call has no id", {
      kind: "assistant",
      message: { parts: [{ type: "tool_call", name: "x", arguments: "{}" }] },
    }],
    ["a result with a text that is none", {
      kind: "result",
      callId: "a",
      name: "x",
      parts: [{ type: "text", text: 1 }],
    }],
    ["a system prompt whose sections are none", { kind: "system", text: "t", sections: null }],
    ["a system prompt with a section that has no digest", { kind: "system", text: "t", sections: { a: 1 } }],
    ["what waits without a part where one should be", { kind: "queued", requestId: "r", parts: [null] }],
    ["what waits with a text that is none", {
      kind: "queued",
      requestId: "r",
      parts: [{ type: "text", text: 7 }],
    }],
    ["a submission with a file that has no path", {
      kind: "submission",
      requestId: "r",
      parts: [{ type: "file" }],
      message: [{ type: "text", text: "x" }],
    }],
    ["an intent with an odd contract", { kind: "intent", callId: "a", name: "x", replay: "maybe" }],
  ] as const
) {
  Deno.test(`asEntry() keeps ${what}, but the projection need not rely on it`, () => {
    const entry = asEntry({ ...place, ...value });
    assert(entry && !isKnown(entry));
    assertEquals(
      encode(entry),
      `{"kind":"${value.kind}",${JSON.stringify({ ...place, ...value, kind: undefined }).slice(1)}`,
    );
  });
}

Deno.test("asEntry() keeps a kind that it does not know", () => {
  const entry = asEntry({ ...place, kind: "toString", x: 1 });
  assert(entry && !isKnown(entry));
});

Deno.test("asHeader() needs a version and an id, and no more", () => {
  assertEquals(asHeader({ kind: "session", version: 1, id: "a" })?.cwd, "");
  assertEquals(asHeader({ kind: "session", id: "a" }), undefined);
  assertEquals(asHeader({ kind: "note", version: 1, id: "a" }), undefined);
});
