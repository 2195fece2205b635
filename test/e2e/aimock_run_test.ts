/** The whole program against a mock server that others wrote (aimock_test.ts is the same for the protocol alone). */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { aimockMissing, startAimock } from "../support/aimock.ts";
import { assertCleanTexts } from "../support/fault_run.ts";
import { createProject } from "../support/program.ts";

const FIXTURES = [
  { match: { userMessage: "greet" }, response: { content: "Hello from afar 😀." } },
  {
    match: { userMessage: "look", hasToolResult: false },
    response: { content: "I look.", toolCalls: [{ name: "read", arguments: { path: "a.md" } }] },
  },
  { match: { userMessage: "look", hasToolResult: true }, response: { content: "Seen." } },
  {
    match: { userMessage: "both", hasToolResult: false },
    response: {
      toolCalls: [{ name: "read", arguments: { path: "a.md" } }, { name: "ls", arguments: { path: "." } }],
    },
  },
  { match: { userMessage: "both", hasToolResult: true }, response: { content: "Both seen." } },
  {
    match: { userMessage: "limited", sequenceIndex: 0 },
    response: { error: { message: "Rate limited", type: "rate_limit_error" }, status: 429, retryAfter: 1 },
  },
  { match: { userMessage: "limited", sequenceIndex: 1 }, response: { content: "Now." } },
  { match: { userMessage: "forbidden" }, response: { error: { message: "Bad key" }, status: 401 } },
  {
    match: { userMessage: "cut", sequenceIndex: 0 },
    response: { content: "This answer is cut somewhere in its middle, and nobody may take it for whole." },
    latency: 5,
    truncateAfterChunks: 3,
  },
  { match: { userMessage: "cut", sequenceIndex: 1 }, response: { content: "Whole." } },
];

for (const api of ["openai-completions", "openai-responses", "anthropic-messages"]) {
  Deno.test({
    name: `run works with aimock by ${api}: text, a call, parallel calls, 401, 429, a cut stream, going on`,
    ignore: aimockMissing() !== undefined,
    async fn(t) {
      const mock = await startAimock(FIXTURES);
      await using project = await createProject({ url: `${mock.origin}/v1`, provider: { api } });
      await project.write("a.md", "the milk\n");
      const lines = async (prompt: string, ...more: string[]) => {
        const ended = await project.run(["run", "-o", "stream-json", ...more, prompt]);
        assertCleanTexts(ended);
        const end = ended.lines.at(-1) ?? {};
        assertEquals(end.type, "run_end");
        return {
          ...ended,
          all: ended.lines,
          end,
          of: (type: string) => ended.lines.filter((line) => line.type === type),
        };
      };
      try {
        await t.step("text", async () => {
          const ended = await project.run(["run", "greet"]);
          assertEquals([ended.code, ended.stdout], [0, "Hello from afar 😀.\n"], ended.stderr);
        });
        await t.step("a call, then the answer", async () => {
          const { code, all, end, of, stderr } = await lines("look");
          assertEquals(
            [code, end.reason, end.text, end.steps, end.toolCalls],
            [0, "stop", "Seen.", 2, 1],
            stderr,
          );
          assertEquals(all.map((line) => line.seq), all.map((_, i) => i));
          assertEquals(of("message_end").map((line) => line.text), ["I look.", "Seen."]);
          assertStringIncludes(String(of("tool_end")[0].text), "the milk");
          assertEquals(of("text_delta").map((line) => line.text).join(""), "I look.Seen.");
          // For the other two it counts nothing, which is "unknown".
          assertEquals(end.usage !== null, api === "openai-completions");
        });
        await t.step("parallel calls", async () => {
          const { code, end, of } = await lines("both");
          assertEquals([code, end.text, end.toolCalls], [0, "Both seen.", 2]);
          assertEquals(of("tool_end").map((line) => [line.name, line.isError]), [["read", false], [
            "ls",
            false,
          ]]);
          assertEquals(
            of("tool_end").map((line) => line.callId),
            of("tool_start").map((line) => line.callId),
          );
        });
        await t.step("401", async () => {
          const { code, end, of } = await lines("forbidden");
          assertEquals([code, end.reason, of("retry").length], [1, "error", 0]);
          assertEquals(end.error, 'Provider "mock" refuses the API key (401: Bad key)');
          assertEquals(end.hint, "Correct MOCK_KEY.");
        });
        await t.step("429, then an answer", async () => {
          const { code, end, of } = await lines("limited");
          assertEquals([code, end.text, of("retry").map((line) => line.delayMs)], [0, "Now.", [1000]]);
        });
        await t.step("a stream cut in its middle", async () => {
          const { code, end, of } = await lines("cut");
          assertEquals([code, end.text, of("retry").length], [0, "Whole.", 1]);
          assertEquals(of("message_end").map((line) => line.text), ["Whole."]);
        });
        await t.step("the session goes on", async () => {
          const { code, end, of } = await lines("greet", "--continue");
          assertEquals([code, end.text, of("run_start")[0].resumed], [0, "Hello from afar 😀.", true]);
        });
      } finally {
        await mock.close();
      }
    },
  });
}
