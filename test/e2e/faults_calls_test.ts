/**
 * The whole program against servers that send tool calls in odd forms, or
 * half of one: each whole call runs once and goes back in the one form that
 * every server takes; of a broken answer nothing runs.
 */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { type Expected, type FaultyRun, meetAll } from "../support/fault_run.ts";
import type { FaultStep } from "../support/fault_server.ts";

const sse = (...chunks: unknown[]): FaultStep => ({
  fault: "sse",
  sse: chunks.map((chunk) => `data: ${typeof chunk === "string" ? chunk : JSON.stringify(chunk)}\n\n`).join(
    "",
  ),
});
const delta = (delta: unknown, finish: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
});
/** One fragment of calls. */
const calls = (...fragments: unknown[]) => delta({ tool_calls: fragments });
const finish = (reason: string) => [delta({}, reason), "[DONE]"];
const call = (id: string | undefined, name: string, args: unknown, more: object = {}) => ({
  ...(id === undefined ? {} : { id }),
  type: "function",
  function: { name, arguments: args },
  ...more,
});

const READ = { name: "read", args: { path: "notes.txt" } };
const WRITE = { name: "write", args: { path: "ran.txt", content: "this file must not come to be" } };
const readArgs = JSON.stringify(READ.args);
const writeArgs = JSON.stringify(WRITE.args);

/** What the second request says of the calls: name and arguments, as sent. */
function sentBack({ server }: FaultyRun): [string, string][] {
  return server.requests[1].body.messages.flatMap((message) =>
    (message.tool_calls ?? []).map((call): [string, string] => [call.function.name, call.function.arguments])
  );
}

function resultsTold({ server }: FaultyRun): string[] {
  return server.requests[1].body.messages.flatMap((message) =>
    message.role === "tool" ? [String(message.content)] : []
  );
}

/** The calls run, each once, without an error, and go back as they must. */
function runs(step: FaultStep, wanted: [string, string][]): Expected {
  return {
    scenario: [step],
    code: 0,
    requests: 2,
    retries: 0,
    also(run) {
      assertEquals(run.of("tool_start").map((line) => [line.name, JSON.stringify(line.args)]), wanted);
      assertEquals(
        run.of("tool_end").map((line) => [line.name, line.isError]),
        wanted.map(([name]) => [name, false]),
      );
      assertEquals(sentBack(run), wanted);
      assertEquals(run.end.toolCalls, wanted.length);
    },
  };
}

async function nothingRan({ project, of }: FaultyRun): Promise<void> {
  await assertRejects(() => project.read("ran.txt"), Deno.errors.NotFound);
  assertEquals(of("tool_end").filter((line) => line.isError === false), []);
}

Deno.test("run runs calls that come in odd forms, each once", () =>
  meetAll({
    "arguments as an object": runs({ fault: "object_arguments", calls: [READ] }, [["read", readArgs]]),
    "no index, and the finish is stop": runs({ fault: "missing_index", calls: [READ] }, [["read", readArgs]]),
    "two calls, both of index 0": runs(
      { fault: "index_zero", calls: [READ, { name: "ls", args: { path: "." } }] },
      [["read", readArgs], ["ls", '{"path":"."}']],
    ),
    "empty arguments": runs({ fault: "empty_arguments", calls: [{ name: "ls" }] }, [["ls", "{}"]]),
    "null for arguments, and none": runs(
      sse(
        calls(call("a", "ls", null, { index: 0 }), call("b", "ls", undefined, { index: 1 })),
        ...finish("tool_calls"),
      ),
      [["ls", "{}"], ["ls", "{}"]],
    ),
    "two calls of one id": runs(
      sse(
        calls(call("same", "read", readArgs, { index: 0 })),
        calls(call("same", "ls", "{}", { index: 1 })),
        ...finish("tool_calls"),
      ),
      [["read", readArgs], ["ls", "{}"]],
    ),
    "no ids": runs(
      sse(
        calls(call(undefined, "read", readArgs, { index: 0 }), call("", "ls", "{}", { index: 1 })),
        ...finish("stop"),
      ),
      [["read", readArgs], ["ls", "{}"]],
    ),
    "two finish chunks, and usage after them": runs(
      sse(
        calls(call("a", "read", readArgs, { index: 0 })),
        delta({}, "tool_calls"),
        delta({ content: "" }, "tool_calls"),
        { choices: [], usage: { prompt_tokens: 9, completion_tokens: 1 } },
        "[DONE]",
      ),
      [["read", readArgs]],
    ),
    "name and id in each fragment": runs(
      sse(
        calls(call("a", "read", readArgs.slice(0, 6), { index: 0 })),
        calls(call("a", "read", readArgs.slice(6), { index: 0 })),
        ...finish("tool_calls"),
      ),
      [["read", readArgs]],
    ),
    "arguments that have one reading": runs(
      sse(calls(call("a", "read", "{path:'notes.txt',}", { index: 0 })), ...finish("tool_calls")),
      [["read", readArgs]],
    ),
  }));

Deno.test("run runs no call of an answer that broke, however much of it had arrived", () => {
  const recovers = (step: FaultStep, says: string): Expected => ({
    scenario: [step],
    code: 0,
    requests: 2,
    retries: 1,
    says: [says],
    async also(run) {
      await nothingRan(run);
      assertEquals(run.of("tool_start"), []);
      assertEquals(run.server.requests[1].text, run.server.requests[0].text);
    },
  });
  const whole = calls(call("a", "write", writeArgs, { index: 0 }));
  return meetAll({
    "cut in the arguments": recovers({ fault: "cut", calls: [WRITE] }, "the connection broke"),
    "ended in the arguments": recovers({ fault: "cut_arguments", calls: [WRITE] }, "stream ended early"),
    "ended after a whole call": recovers(sse(whole), "stream ended early"),
    "[DONE] after a whole call, without a finish": recovers(sse(whole, "[DONE]"), "stream ended early"),
    "an error after a whole call": recovers(sse(whole, { error: { message: "gone", code: 502 } }), "gone"),
    "finish_reason error after a whole call": recovers(sse(whole, ...finish("error")), 'ended with "error"'),
    "ended in the middle of the finish": recovers(
      { fault: "sse", sse: sse(whole).sse + 'data: {"choices":[{"index":0,"delta":{},"finish_rea' },
      "stream ended early",
    ),
  });
});

Deno.test("run tells the model of a call that cannot run, and goes on", () => {
  const refuses = (step: FaultStep, name: string, ...parts: string[]): Expected => ({
    scenario: [step],
    code: 0,
    requests: 2,
    retries: 0,
    async also(run) {
      await nothingRan(run);
      assertEquals(run.of("tool_end").map((line) => [line.name, line.isError]), [[name, true]]);
      const [told, ...more] = resultsTold(run);
      assertEquals(more, []);
      for (const part of parts) assertStringIncludes(told, part);
      assertEquals(sentBack(run).length, 1);
    },
  });
  const one = (name: string, args: unknown) =>
    sse(calls(call("a", name, args, { index: 0 })), ...finish("tool_calls"));
  return meetAll({
    "length in the arguments": refuses(
      { fault: "length", calls: [WRITE] },
      "write",
      "not run",
      "cut at the output limit",
      "smaller parts",
    ),
    "length in the arguments of a tool that is not there": refuses(
      { fault: "length", calls: [{ ...WRITE, name: "write_file" }] },
      "write_file",
      'no tool named "write_file"',
      "cut at the output limit",
    ),
    "the filter in the arguments": refuses(
      sse(calls(call("a", "write", writeArgs.slice(0, 30), { index: 0 })), ...finish("content_filter")),
      "write",
      "not run",
    ),
    "a finish in the middle of the arguments": refuses(
      one("write", writeArgs.slice(0, -9)),
      "write",
      "not run",
    ),
    "no JSON at all": refuses(one("write", "ran.txt, please"), "write", "not JSON"),
    "a list of arguments": refuses(one("write", '["ran.txt","x"]'), "write", "object"),
    "arguments that lack one": refuses(one("write", '{"content":"x"}'), "write", "path"),
    "a tool that is not there": refuses(one("wrote", writeArgs), "wrote", 'no tool named "wrote"', "write"),
  });
});

Deno.test("run runs the whole calls of an answer at the output limit, and not the last one", () =>
  meetAll({
    "a read, then half a write": {
      scenario: [{ fault: "length", calls: [READ, WRITE] }],
      code: 0,
      requests: 2,
      retries: 0,
      async also(run) {
        assertEquals(run.of("tool_end").map((line) => [line.name, line.isError]), [["read", false], [
          "write",
          true,
        ]]);
        await assertRejects(() => run.project.read("ran.txt"), Deno.errors.NotFound);
        const told = resultsTold(run);
        assertStringIncludes(told[0], "remember the milk");
        assertStringIncludes(told[1], "not run");
        assert(!told[1].includes("milk"));
      },
    },
  }));
