/** What becomes of a run that was cut off when its session is opened again, by policy. */
import { assertEquals } from "@std/assert";
import { loadConfig, resolveModel } from "../../src/config/mod.ts";
import { createEngine } from "../../src/engine/create.ts";
import type { EngineEvent } from "../../src/engine/event.ts";
import { createSession } from "../../src/session/mod.ts";
import { startChatServer } from "../support/chat_script.ts";
import { createProject } from "../support/program.ts";

for (const recovery of ["wait", "resume"] as const) {
  Deno.test(`createEngine() with the policy "${recovery}" and a run that was cut off`, async () => {
    const server = startChatServer({ turns: [{ text: "went on" }] });
    await using project = await createProject({ url: server.url });
    const config = await loadConfig({
      cwd: project.dir,
      env: (name) => ({ HOME: project.home, MOCK_KEY: "x" } as Record<string, string>)[name],
    });
    const session = await createSession({ root: config.home.sessions, cwd: project.dir });
    const parts = [{ type: "text", text: "do it" }] as const;
    await session.append({ kind: "submission", requestId: "r", parts, message: parts });
    await session.append({ kind: "run_start", runId: "run", model: "mock/mock-1" });
    await session.append({
      kind: "assistant",
      message: {
        role: "assistant",
        parts: [{ type: "tool_call", id: "c", name: "bash", arguments: '{"command":"deploy"}' }],
        model: "mock/mock-1",
        stopReason: "tool_calls",
      },
    });
    await session.append({ kind: "intent", callId: "c", name: "bash", replay: "never" });
    await session.close();
    const engine = await createEngine({
      config,
      model: resolveModel(config),
      cwd: project.dir,
      session: { kind: "newest" },
      limits: { maxSteps: 5 },
      approve: "never",
      ...(recovery === "wait" ? {} : { recovery }),
      workerUrl: new URL("../../src/sheath/main.ts", import.meta.url),
    });
    try {
      const ended = Promise.withResolvers<EngineEvent>();
      engine.subscribe((event) => {
        if (event.type === "run_end") ended.resolve(event);
      });
      assertEquals(engine.unfinished, true);
      if (recovery === "resume") {
        const end = await ended.promise;
        assertEquals(end.type === "run_end" && [end.result.reason, end.result.text], ["stop", "went on"]);
        assertEquals(engine.unfinished, false);
        const result = server.requests[0].body.messages.find((message) => message.role === "tool");
        assertEquals(String(result?.content).slice(0, 34), "interrupted: outcome not known. Th");
      } else {
        await engine.snapshot();
        assertEquals(server.requests, []);
      }
    } finally {
      await engine.close();
      await server.close();
    }
  });
}
