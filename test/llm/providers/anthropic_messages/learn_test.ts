import { assertEquals } from "@std/assert";
import { openProvider } from "../../../../src/llm/stream.ts";
import { serveHttp } from "../../../support/http_server.ts";
import { collect, messageOf, testEndpoint, testModel, testRequest } from "../../../support/llm_run.ts";

/** Asks a server that refuses what `refuse` names; answers with the bodies that it got and what came of it. */
async function ask(refuse: (body: string) => string | undefined, content: unknown, request = testRequest()) {
  const bodies: string[] = [];
  const server = serveHttp(async ({ text }, reply) => {
    bodies.push(text);
    const message = refuse(text);
    const body = message === undefined
      ? { type: "message", content, stop_reason: "end_turn" }
      : { type: "error", error: { type: "invalid_request_error", message } };
    await reply.send(
      message === undefined ? 200 : 400,
      { "content-type": "application/json" },
      JSON.stringify(body),
    );
  });
  try {
    const provider = openProvider({
      api: "anthropic-messages",
      endpoint: testEndpoint(server.origin),
      retry: false,
    });
    return { bodies, message: messageOf(await collect(provider, request)) };
  } finally {
    await server.close();
  }
}

Deno.test("anthropic-messages says a thinking level the other way where the server refuses the first", async () => {
  const model = { ...testModel, reasoning: true, maxOutput: 8000 };
  const text = [{ type: "text", text: "ok" }];
  const adaptive = await ask(
    (body) =>
      body.includes('"enabled"') ? '"thinking.type.enabled" is not supported for this model' : undefined,
    text,
    testRequest({ model, thinking: "low" }),
  );
  assertEquals(adaptive.bodies.map((body) => JSON.parse(body).thinking.type), ["enabled", "adaptive"]);
  const budget = await ask(
    (body) => body.includes('"adaptive"') ? "adaptive thinking is not supported on this model" : undefined,
    text,
    testRequest({ model: { ...model, thinkingForm: "adaptive" }, thinking: "low" }),
  );
  assertEquals(budget.bodies.map((body) => JSON.parse(body).thinking.type), ["adaptive", "enabled"]);
});

Deno.test("anthropic-messages asks for a schema as a tool call where the server takes none, and gives the answer as text", async () => {
  const { bodies, message } = await ask(
    (body) =>
      body.includes("output_config") ? "output_config.format: this model does not support it" : undefined,
    [{ type: "tool_use", id: "toolu_1", name: "final_answer", input: { n: 7 } }],
    testRequest({ outputSchema: { type: "object" } }),
  );
  assertEquals(bodies.length, 2);
  assertEquals([message.parts, message.stopReason], [[{ type: "text", text: '{"n":7}' }], "stop"]);
});
