import { assertEquals, assertStringIncludes } from "@std/assert";
import { startChatServer } from "./chat_script.ts";

const ask = (url: string, messages: unknown[]) =>
  fetch(`${url}/chat/completions`, { method: "POST", body: JSON.stringify({ model: "m", messages }) });

Deno.test("startChatServer() answers turn by turn and keeps the requests", async () => {
  const server = startChatServer({
    turns: [
      { text: "one", calls: [{ name: "read", args: { path: "a" } }] },
      (request) => ({ text: `saw ${request.body.messages.length}` }),
    ],
  });
  try {
    const first = await (await ask(server.url, [])).text();
    assertStringIncludes(first, '"name":"read"');
    assertStringIncludes(first, "data: [DONE]");
    assertStringIncludes(await (await ask(server.url, [1, 2])).text(), "saw 2");
    const third = await ask(server.url, []);
    assertEquals(third.status, 400);
    assertStringIncludes(await third.text(), "request 3");
    assertEquals(server.requests.map((request) => request.body.messages.length), [0, 2, 0]);
  } finally {
    await server.close();
  }
});
