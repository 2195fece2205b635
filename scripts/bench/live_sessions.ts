/** Three sessions at work in one process, each with its engine, after a run with a tool call; tells the memory of the process, in MiB. */
import { WORKER_URL } from "../../src/cli/worker_url.ts";
import { loadConfig, resolveModel } from "../../src/config/mod.ts";
import { createEngine, type Engine } from "../../src/engine/create.ts";

const [folder, url, count] = Deno.args;
Deno.mkdirSync(`${folder}/home`, { recursive: true });
Deno.env.set("MYELIN_HOME", `${folder}/home`);
Deno.env.set("MOCK_KEY", "none");
Deno.writeTextFileSync(
  `${folder}/home/settings.json`,
  JSON.stringify({
    model: "mock/mock-1",
    providers: {
      mock: {
        api: "openai-completions",
        baseUrl: url,
        apiKey: "$MOCK_KEY",
        models: { "mock-1": { contextWindow: 200000, maxOutput: 8192 } },
      },
    },
  }),
);
const engines: Engine[] = [];
for (let n = 0; n < Number(count); n++) {
  const cwd = `${folder}/w${n}`;
  Deno.mkdirSync(cwd);
  const config = await loadConfig({ cwd, overrides: {} });
  const engine = await createEngine({
    config,
    model: resolveModel(config, undefined),
    cwd,
    session: { kind: "new" },
    limits: { maxSteps: 10 },
    approve: "never",
    workerUrl: WORKER_URL,
  });
  engines.push(engine);
  let reason = "";
  engine.subscribe((event) => {
    if (event.type === "run_end") reason = `${event.result.reason} ${event.result.error ?? ""}`;
  });
  const parts = [{ type: "text" as const, text: "go" }];
  await engine.submit({ type: "prompt", requestId: crypto.randomUUID(), parts });
  if (!reason.startsWith("stop")) throw new Error(`a run ended with ${reason}`);
}
await new Promise((resolve) => setTimeout(resolve, 1000));
console.log(Deno.memoryUsage().rss / 1024 / 1024);
for (const engine of engines) await engine.close();
Deno.exit(0);
