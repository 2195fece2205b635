import { assertEquals } from "@std/assert";
import { isLocal, probeServer } from "../../src/llm/probe.ts";

/** Answers by path, and 404 for all else. */
function server(answers: Readonly<Record<string, unknown>>): typeof fetch {
  return (input) => {
    const { pathname } = new URL(String(input));
    return Promise.resolve(
      Object.hasOwn(answers, pathname)
        ? Response.json(answers[pathname])
        : new Response("no", { status: 404 }),
    );
  };
}
const signal = new AbortController().signal;
const ask = (answers: Record<string, unknown>, model = "m", vendor?: string) =>
  probeServer({
    baseUrl: "http://127.0.0.1:1/v1/",
    model,
    signal,
    fetch: server(answers),
    ...(vendor === undefined ? {} : { vendor }),
  });

Deno.test("probeServer() knows the windows of vLLM, llama.cpp, Ollama and LM Studio", async () => {
  assertEquals(
    await ask({ "/v1/models": { data: [{ id: "m", owned_by: "vllm", max_model_len: 40960 }] } }),
    { vendor: "vllm", models: ["m"], contextWindow: 40960 },
  );
  assertEquals(
    await ask({
      "/v1/models": { data: [{ id: "other.gguf", owned_by: "llamacpp", meta: { n_ctx_train: 131072 } }] },
      "/props": { default_generation_settings: { n_ctx: 8192 } },
    }),
    { vendor: "llamacpp", models: ["other.gguf"], contextWindow: 8192 },
  );
  const ollama = { "/v1/models": { data: [{ id: "m:latest", owned_by: "library" }] } };
  assertEquals(
    (await ask({ ...ollama, "/api/ps": { models: [{ name: "m:latest", context_length: 4096 }] } }))
      ?.contextWindow,
    4096,
  );
  assertEquals(
    (await ask({
      ...ollama,
      "/api/ps": { models: [] },
      "/api/show": {
        parameters: "temperature 1\nnum_ctx    16384",
        model_info: { "q.context_length": 262144 },
      },
    }))?.contextWindow,
    16384,
  );
  assertEquals(
    (await ask(
      {
        "/v1/models": { data: [{ id: "m" }, { id: "n" }] },
        "/api/v0/models": { data: [{ id: "m", loaded_context_length: 5000, max_context_length: 9000 }] },
      },
      "m",
      "lmstudio",
    ))?.contextWindow,
    5000,
  );
});

Deno.test("probeServer() says nothing where the server does not", async () => {
  assertEquals(await ask({}), undefined);
  assertEquals(await ask({ "/v1/models": ["odd"] }), undefined);
  const failing = probeServer({
    baseUrl: "http://127.0.0.1:1",
    signal,
    fetch: () => Promise.reject(new Error("refused")),
  });
  assertEquals(await failing, undefined);
});

Deno.test("isLocal() knows this machine, its house, and servers that are named for it", () => {
  for (
    const url of ["http://localhost:1/v1", "http://127.0.0.1", "http://192.168.1.4:80", "http://box.local"]
  ) {
    assertEquals(isLocal(url), true, url);
  }
  assertEquals(isLocal("https://api.openai.com/v1"), false);
  assertEquals(isLocal("https://gpu.example/v1", "vllm"), true);
});
