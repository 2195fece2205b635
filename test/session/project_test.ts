import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import fc from "fast-check";
import { type ContentPart, type Message, toolCalls } from "../../src/llm/message.ts";
import type { Payload } from "../../src/session/entry.ts";
import { noteMessage, project, Projection } from "../../src/session/project.ts";
import { answer, chain, intent, result, RUN, submission } from "./sample.ts";

const messages = (...payloads: readonly Payload[]) => project(chain(...payloads)).messages;
const roles = (list: readonly Message[]) => list.map(({ role }) => role);
/** Texts and call ids, enough to tell messages apart. */
const brief = (list: readonly Message[]) =>
  list.map((message) =>
    message.role === "tool_result"
      ? `result ${message.callId}`
      : message.role === "system"
      ? "system"
      : message.role === "user"
      ? `user ${message.parts.map((part) => part.type === "text" ? part.text : "").join("")}`
      : `answer ${toolCalls(message).map(({ id }) => id).join(",")}`
  );

/** What every server asks of a request: each answer's calls have one result each, in order, right behind it. */
function assertPaired(list: readonly Message[]): void {
  for (let i = 0; i < list.length; i++) {
    const message = list[i];
    if (message.role !== "assistant") continue;
    for (const call of toolCalls(message)) {
      const next = list[++i];
      assert(next?.role === "tool_result", `no result of ${call.id}`);
      assertEquals(next.callId, call.id);
    }
    assert(list[i + 1]?.role !== "tool_result", "a result without a call");
  }
}

Deno.test("project() gives the messages of a run, its title and its model", () => {
  const projection = project(chain(...RUN, { kind: "title", title: "Deploying" }));
  assertEquals(roles(projection.messages), [
    "system",
    "user",
    "assistant",
    "tool_result",
    "assistant",
    "user",
    "assistant",
    "tool_result",
  ]);
  assertEquals([projection.title, projection.model], ["Deploying", undefined]);
  assertEquals(projection.run, { runId: "run2", model: "test/model", stalls: 0 });
  assertEquals(projection.openCalls, [
    { callId: "c3", name: "bash", arguments: '{"command":"make deploy"}', replay: "never" },
  ]);
});

Deno.test("project() puts results into call order, whatever order they came in", () => {
  assertEquals(
    brief(
      messages(
        answer("", ["a", "x"], ["b", "x"], ["c", "x"]),
        result("c", "x"),
        result("a", "x"),
        result("b", "x"),
      ),
    ),
    ["answer a,b,c", "result a", "result b", "result c"],
  );
});

Deno.test("project() holds back what the user says until the calls have their results", () => {
  const list = chain(
    answer("", ["a", "x"]),
    submission("wait"),
    { kind: "note", text: "n" },
    result("a", "x"),
    answer("ok"),
  );
  assertEquals(brief(project(list).messages), [
    "answer a",
    "result a",
    "user wait",
    "user <note>\nn\n</note>",
    "answer ",
  ]);
  assertEquals(brief(project(list.slice(0, 2)).messages), ["answer a"]);
});

Deno.test("project() gives a call without a result one that says so, before the next answer", () => {
  const list = messages(
    answer("", ["a", "x"], ["b", "x"]),
    result("b", "x"),
    submission("go on"),
    answer("ok"),
  );
  assertEquals(brief(list), ["answer a,b", "result a", "result b", "user go on", "answer "]);
  const [, lost] = list;
  assert(lost.role === "tool_result" && lost.isError);
});

Deno.test("project() passes over a second result and one whose answer is lost", () => {
  assertEquals(
    brief(
      messages(
        result("z", "x"),
        answer("", ["a", "x"]),
        result("a", "x"),
        result("a", "x", "again"),
        answer("ok"),
      ),
    ),
    ["answer a", "result a", "answer "],
  );
});

Deno.test("project() tells calls of different answers with one id apart", () => {
  const list = messages(
    answer("", ["a", "x"]),
    result("a", "x", "one"),
    answer("", ["a", "x"]),
    result("a", "x", "two"),
  );
  assertEquals(brief(list), ["answer a", "result a", "answer a", "result a"]);
  assert(
    list[3].role === "tool_result" && list[3].parts[0].type === "text" && list[3].parts[0].text === "two",
  );
});

Deno.test("project() passes over kinds that it does not know", () => {
  const unknown = { kind: "hologram", id: "h", parentId: "e1", x: [1] };
  assertEquals(brief(project([...chain(submission("hi")), unknown]).messages), ["user hi"]);
});

Deno.test("project() leaves out parts of a type that it does not know, and never all of a message", () => {
  const odd = { type: "hologram", data: "x" } as unknown as ContentPart;
  const said = { ...submission("hi"), message: [odd, { type: "text", text: "hi" } as const] };
  const list = messages(said, answer("", ["a", "x"]), { ...result("a", "x"), parts: [odd] });
  assertEquals(brief(list), ["user hi", "answer a", "result a"]);
  assert(list[2].role === "tool_result" && list[2].parts.length === 1 && list[2].parts[0].type === "text");
});

Deno.test("project() leaves no half of a surrogate pair in a message, and leaves sound ones alone", () => {
  const sound = answer("🙂", ["a", "x", '{"p":"🙂"}']);
  const list = messages(
    submission("cut \ud83d"),
    answer("\udc00", ["b\ud800", "x", '{"p":"\ud83d"}']),
    result("b\ud800", "x", "\udfff!"),
    sound,
  );
  const walk = (value: unknown): boolean =>
    typeof value === "string"
      ? value.isWellFormed()
      : typeof value !== "object" || value === null || Object.values(value).every(walk);
  assert(walk(list));
  assertEquals(brief(list).slice(1, 3), ["answer b\ufffd", "result b\ufffd"]);
  assertEquals(list.at(-1), sound.message);
});

Deno.test("Projection.run ends with its run_end only, and counts how often it was taken up in vain", () => {
  const start: Payload = { kind: "run_start", runId: "r", model: "m" };
  const stalls = (...payloads: Payload[]) => project(chain(start, ...payloads)).run?.stalls;
  assertEquals(stalls(), 0);
  assertEquals(stalls(start, start), 2);
  assertEquals(stalls(start, answer("", ["a", "x"])), 0);
  assertEquals(stalls(answer("", ["a", "x"]), start, result("a", "x"), start), 1);
  assertEquals(stalls({ kind: "run_end", runId: "other", reason: "stop" }), 0);
  assertEquals(stalls({ kind: "run_end", runId: "r", reason: "stop" }), undefined);
});

Deno.test("noteMessage() is what a note becomes", () => {
  assertEquals(messages({ kind: "note", text: "mind" }), [noteMessage("mind")]);
});

const call = fc.constantFrom("a", "b", "c", "d");
const payload: fc.Arbitrary<Payload> = fc.oneof(
  fc.constant(submission("say")),
  fc.constant<Payload>({ kind: "note", text: "note" }),
  fc.constant<Payload>({ kind: "run_start", runId: "r", model: "m" }),
  fc.constant<Payload>({ kind: "run_end", runId: "r", reason: "stop" }),
  fc.uniqueArray(call, { maxLength: 3 }).map((ids) =>
    answer("text", ...ids.map((id): [string, string] => [id, "x"]))
  ),
  call.map((id) => intent(id, "x")),
  call.map((id) => result(id, "x")),
);

Deno.test("Projection.add() only ever adds messages at the end, the same one by one as at once, and paired when no call is open", () => {
  fc.assert(
    fc.property(fc.array(payload, { maxLength: 40 }), (payloads) => {
      const path = chain(...payloads);
      const live = new Projection();
      let before: Message[] = [];
      for (const [i, entry] of path.entries()) {
        live.add(entry);
        const now = [...live.messages];
        before.forEach((message, at) => assertStrictEquals(now[at], message));
        assertEquals(now, project(path.slice(0, i + 1)).messages);
        if (live.openCalls.length === 0) assertPaired(now);
        before = now;
      }
    }),
    { numRuns: 300 },
  );
});

Deno.test("project() puts a summary in place of what was compacted, keeps system prompts and pairs", () => {
  const path = chain(
    { kind: "system", text: "Be brief." },
    submission("first"),
    answer("", ["a", "read"]),
    result("a", "read"),
    answer("done"),
    submission("second"),
    answer("well"),
    { kind: "compaction", summary: "they greeted", firstKept: "e6" },
    submission("third"),
  );
  const { messages, origins } = project(path);
  assertEquals(brief(messages), [
    "system",
    "user <summary>\nthey greeted\n</summary>",
    "user second",
    "answer ",
    "user third",
  ]);
  assertEquals(origins, ["e1", "e8", "e6", "e7", "e9"]);
  assertPaired(messages);
});

Deno.test("project() never keeps a result whose call was compacted away", () => {
  const path = chain(
    submission("first"),
    answer("", ["a", "read"], ["b", "read"]),
    result("a", "read"),
    result("b", "read"),
    { kind: "compaction", summary: "s", firstKept: "e4" },
    submission("next"),
  );
  assertPaired(project(path).messages);
  assertEquals(roles(project(path).messages), ["user", "user"]);
});

Deno.test("project() with firstKept null keeps the summary alone", () => {
  const path = chain(submission("x"), answer("y"), { kind: "compaction", summary: "s", firstKept: null });
  assertEquals(brief(project(path).messages), ["user <summary>\ns\n</summary>"]);
});

Deno.test("project() shows an edited entry with its new content, and leaves what was handed out as it was", () => {
  const path = chain(
    submission("look"),
    answer("", ["a", "read"]),
    result("a", "read", "a long text"),
  );
  const projection = project(path);
  const before = projection.messages;
  const copy = [...before];
  projection.add({
    kind: "context_edit",
    edits: [{ entry: "e3", parts: [{ type: "text", text: "(elided)" }] }],
    id: "e4",
    parentId: "e3",
    at: "",
  });
  assertEquals(before, copy);
  const last = projection.messages[2];
  assertEquals(last.role === "tool_result" && last.parts, [{ type: "text", text: "(elided)" }]);
  assertPaired(projection.messages);
});

Deno.test("project() takes images and thinking out where an edit says so", () => {
  const image = { type: "image" as const, mediaType: "image/png", data: "AA==" };
  const path = chain(
    { ...submission("look"), message: [image] },
    {
      kind: "assistant",
      message: {
        role: "assistant",
        parts: [{ type: "thinking", text: "hm" }, { type: "text", text: "ok" }],
        stopReason: "stop",
        model: "test/model",
      },
    },
    { kind: "context_edit", edits: [{ entry: "e1", drop: "images" }, { entry: "e2", drop: "thinking" }] },
  );
  assertEquals(JSON.stringify(project(path).messages).includes("AA=="), false);
  assertEquals(JSON.stringify(project(path).messages).includes("hm"), false);
  assertEquals(roles(project(path).messages), ["user", "assistant"]);
});

Deno.test("project() knows labels, and the model and thinking that were chosen last", () => {
  const path = chain(
    submission("x"),
    { kind: "label", target: "e1", label: "start" },
    { kind: "label", target: "e2", label: "other" },
    { kind: "label", target: "e2", label: "" },
    { kind: "model", model: "a/b" },
    { kind: "thinking", level: "high" },
  );
  const { labels, model, thinking } = project(path);
  assertEquals([...labels], [["e1", "start"]]);
  assertEquals([model, thinking], ["a/b", "high"]);
});
