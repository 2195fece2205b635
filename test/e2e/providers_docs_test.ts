/**
 * Each settings example of docs/providers.md, run: as it stands in the page,
 * but for the host of its URL, which leads to a server here that speaks all
 * protocols and keeps what it is asked.
 */
import { assert, assertEquals } from "@std/assert";
import { chatEvents } from "../support/chat_script.ts";
import { type HttpServer, serveHttp } from "../support/http_server.ts";
import { createProject } from "../support/program.ts";

const page = Deno.readTextFileSync(new URL("../../docs/providers.md", import.meta.url));
const start = page.indexOf("## A settings example for each server");
const section = page.slice(start, page.indexOf("\n## ", start + 3));
const examples = [...section.matchAll(/\*\*(.+?)\*\*[\s\S]*?```jsonc\n([\s\S]*?)```/g)]
  .map(([, title, text]) => ({ title, text }));

interface Asked {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

const typed = (events: readonly Record<string, unknown>[]) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

/** By the last part of the path: the field that the protocol's body must have, and an answer. */
const PROTOCOLS: Readonly<Record<string, { readonly field: string; readonly answer: string }>> = {
  "/chat/completions": {
    field: "messages",
    answer: chatEvents({ text: "Hello." }, () => "call_1").join(""),
  },
  "/messages": {
    field: "messages",
    answer: typed([
      { type: "message_start", message: { usage: { input_tokens: 9, output_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "Hello." } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
      { type: "message_stop" },
    ]),
  },
  "/responses": {
    field: "input",
    answer: typed([{
      type: "response.completed",
      response: {
        status: "completed",
        output: [{ type: "message", content: [{ type: "output_text", text: "Hello." }] }],
        usage: { input_tokens: 9, output_tokens: 2 },
      },
    }]),
  },
};

function serveAll(asked: Asked[]): HttpServer {
  return serveHttp(async ({ method, path, headers, text }, reply) => {
    const protocol = PROTOCOLS[Object.keys(PROTOCOLS).find((end) => path.endsWith(end)) ?? ""];
    if (method !== "POST" || protocol === undefined) return await reply.send(404, {}, "");
    const body = JSON.parse(text);
    if (!Array.isArray(body[protocol.field])) return await reply.send(400, {}, "wrong protocol");
    asked.push({ path, headers, body });
    await reply.send(200, { "content-type": "text/event-stream" }, protocol.answer);
  });
}

for (const { title, text } of examples) {
  Deno.test(`docs/providers.md: the example for ${title} runs`, async () => {
    const asked: Asked[] = [];
    const server = serveAll(asked);
    await using project = await createProject();
    const local = text.replace(/"baseUrl": "https?:\/\/[^/"]+/, `"baseUrl": "${server.origin}`);
    assert(local !== text, "the example has no URL");
    await Deno.writeTextFile(`${project.home}/.myelin/settings.jsonc`, local);
    const env: Record<string, string> = {};
    for (const [, name] of text.matchAll(/\$([A-Z_]+)/g)) env[name] = "sk-example";
    const [, model] = /"model": "([^"]+)"/.exec(text) ?? [];
    const [provider] = model.split("/");
    // A login, where the page says to log in first.
    const login = { type: "login", accessToken: "sk-example", clientId: "c", tokenUrl: server.origin };
    if (provider === "openai-codex") {
      const kept = JSON.stringify({ providers: { [provider]: login } });
      await Deno.writeTextFile(`${project.home}/.myelin/auth.json`, kept, { mode: 0o600 });
    }
    const ended = await project.run(["run", "-o", "json", "say hello"], { env });
    assertEquals(ended.code, 0, ended.stderr);
    assertEquals([JSON.parse(ended.stdout).text, JSON.parse(ended.stdout).model], ["Hello.", model]);
    assertEquals(asked.length, 1);
    const [{ path, headers, body }] = asked;
    assertEquals(body.model, model.slice(provider.length + 1));
    const [, base] = /"baseUrl": "https?:\/\/[^/"]+([^"]*)"/.exec(text) ?? [];
    assert(path.startsWith(base), `${path} is not below ${base}`);
    const key = headers["x-api-key"] ?? headers.authorization?.replace("Bearer ", "");
    const wanted = Object.keys(env).length > 0 || provider === "openai-codex";
    assertEquals(key, wanted ? "sk-example" : undefined);
    await server.close();
  });
}

Deno.test("docs/providers.md: OpenRouter's option goes into the body as it is", async () => {
  const asked: Asked[] = [];
  const server = serveAll(asked);
  await using project = await createProject();
  const text = examples.find(({ title }) => title === "OpenRouter")?.text ?? "";
  await Deno.writeTextFile(
    `${project.home}/.myelin/settings.jsonc`,
    text.replace("https://openrouter.ai", server.origin),
  );
  await project.run(["run", "hello"], { env: { OPENROUTER_API_KEY: "sk-example" } });
  assertEquals(asked[0]?.body.cache_control, { type: "ephemeral" });
  await server.close();
});
