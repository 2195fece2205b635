/**
 * Sixty turns of one session with everything that usually breaks a
 * provider's cache: instructions met on the way, a skill, a date that
 * changes, another model, summaries. The bytes that are sent must tell.
 */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { loadConfig, resolveModel } from "../../src/config/mod.ts";
import { createEngine } from "../../src/engine/create.ts";
import type { EngineEvent } from "../../src/engine/event.ts";
import { chatEvents } from "../support/chat_script.ts";
import { serveHttp } from "../support/http_server.ts";
import { createProject } from "../support/program.ts";

type Turn = Parameters<typeof chatEvents>[0];

const messagesOf = (body: string) => {
  const start = body.indexOf('"messages":[');
  const end = body.lastIndexOf('],"tools":');
  assert(start > 0 && end > start, body.slice(0, 200));
  return body.slice(start, end);
};
const toolsOf = (body: string) => {
  const start = body.lastIndexOf('],"tools":');
  // What follows the tools differs where an answer without calls is asked for.
  return body.slice(start, body.indexOf("]", body.lastIndexOf('"function"')));
};
const isSummaryRequest = (body: string) => body.includes("Stop working for a moment.");

/** How much of the earlier request the later one begins with, in percent. */
function share(earlier: string, later: string): number {
  let at = 0;
  while (at < earlier.length && earlier[at] === later[at]) at++;
  return 100 * at / earlier.length;
}

Deno.test("sixty turns: each request begins with the one before it but where a summary or another model is announced, and what the user said is never lost", async () => {
  const bodies: string[] = [];
  let calls = 0;
  let script: Turn[] = [];
  const server = serveHttp(async (request, reply) => {
    if (request.method !== "POST") return await reply.send(404, {}, "");
    bodies.push(request.text);
    const tokens = Math.round(request.text.length / 4);
    const usage = { prompt_tokens: tokens, completion_tokens: 20, total_tokens: tokens + 20 };
    const turn = isSummaryRequest(request.text)
      ? { text: "The port is 4711; the rest can be looked up." }
      : script.shift() ?? { text: "Fine." };
    await reply.head(200, { "content-type": "text/event-stream" });
    await reply.write(chatEvents({ ...turn, usage }, () => `call_${++calls}`).join(""));
    await reply.end();
  });
  const model = { contextWindow: 40_000, maxOutput: 4_096 };
  await using project = await createProject({
    url: `${server.origin}/v1`,
    provider: { models: { "mock-1": model, "mock-2": model } },
    settings: { compaction: { reserve: 8_000, keepRecentTokens: 6_000 } },
  });
  await project.write(".git/HEAD", "ref: refs/heads/main\n");
  await project.write("AGENTS.md", "RULE-ROOT: short sentences.\n");
  await project.write("sub/AGENTS.md", "RULE-SUB: long sentences.\n");
  await project.write("sub/a.txt", "alpha\n");
  await project.write("big.txt", "a line of text that fills the window\n".repeat(500));
  await project.write(
    ".agents/skills/count/SKILL.md",
    "---\nname: count\ndescription: Counts.\n---\nRULE-SKILL: count twice.\n",
  );
  await project.write(".myelin/commands/tidy.md", "Tidy up $1.\n");

  const config = await loadConfig({
    cwd: project.dir,
    env: (name) => ({ HOME: project.home, MOCK_KEY: "sk-mock-CANARY" } as Record<string, string>)[name],
  });
  let now = new Date(2026, 0, 31, 23, 50);
  const engine = await createEngine({
    config,
    model: resolveModel(config),
    cwd: project.dir,
    session: { kind: "new" },
    limits: { maxSteps: 50 },
    approve: "never",
    clock: () => now,
    workerUrl: new URL("../../src/sheath/main.ts", import.meta.url),
  });
  const events: EngineEvent[] = [];
  engine.subscribe((event) => void events.push(event));
  const announced = new Map<number, string>();
  const wishes: string[] = [];
  const say = async (text: string, ...turns: Turn[]) => {
    script = turns;
    wishes.push(text);
    const before = events.filter(({ type }) => type === "compaction").length;
    await engine.submit({ type: "prompt", requestId: crypto.randomUUID(), parts: [{ type: "text", text }] });
    const end = events.findLast(({ type }) => type === "run_end");
    assert(end?.type === "run_end" && end.result.reason === "stop", JSON.stringify(end));
    return events.filter(({ type }) => type === "compaction").length - before;
  };
  const call = (name: string, args: Record<string, unknown>): Turn => ({
    text: "I look.",
    calls: [{ name, args }],
  });
  let summaries = 0;
  try {
    for (let turn = 1; turn <= 60; turn++) {
      const text = `Wish ${turn}: remember the number ${turn * 7}.`;
      if (turn === 4) summaries += await say(text, call("read", { path: "sub/a.txt" }));
      else if (turn === 6) summaries += await say(`/count ${text}`);
      else if (turn === 8) summaries += await say("/tidy kitchen");
      else if (turn === 10) {
        now = new Date(2026, 1, 1, 0, 10);
        summaries += await say(text);
      } else if (turn === 20) {
        await engine.submit({ type: "model", model: "mock/mock-2" });
        announced.set(bodies.length, "model");
        summaries += await say(text);
      } else if (turn === 25) {
        await engine.submit({ type: "thinking", level: "high" });
        announced.set(bodies.length, "thinking");
        summaries += await say(text);
      } else if (turn === 12) {
        const todo = { items: [{ text: "TODO-ITEM: mend the sink", state: "open" }] };
        summaries += await say(text, call("todo", todo));
      } else if (turn === 14) {
        summaries += await say(text, call("write", { path: "made.txt", content: "x" }));
      } else if (turn % 5 === 0) summaries += await say(text, call("read", { path: "big.txt" }));
      else summaries += await say(`${text} ${"And some words more. ".repeat(60)}`);
    }
    assert(summaries >= 2, `${summaries} summaries`);

    // The prefix.
    const shrunk: number[] = [];
    let last = bodies[0];
    for (let at = 1; at < bodies.length; at++) {
      const kept = share(messagesOf(last), messagesOf(bodies[at]));
      if (isSummaryRequest(bodies[at])) {
        assert(kept >= 95, `the request for a summary keeps ${kept.toFixed(1)} %`);
        assertEquals(toolsOf(bodies[at]), toolsOf(last), "a summary is asked for with the same tools");
        shrunk.push(at + 1);
        continue;
      }
      if (!shrunk.includes(at) && !announced.has(at)) assertEquals(kept, 100, `request ${at + 1}`);
      assertEquals(toolsOf(bodies[at]), toolsOf(last), `tools of request ${at + 1}`);
      last = bodies[at];
    }

    // What is carried over, item by item: the request after the last summary.
    const next = bodies[shrunk.at(-1)!];
    const said = messagesOf(next);
    for (
      const part of [
        "The port is 4711",
        "RULE-ROOT",
        "RULE-SUB",
        "TODO-ITEM: mend the sink",
        "made.txt",
        "big.txt",
        "2026-02-01",
        wishes[wishes.length - 1].slice(0, 20),
      ]
    ) {
      if (part.startsWith("Wish")) continue;
      assertStringIncludes(said, part);
    }
    // Every wish: word for word, or in the artifact that the request names.
    const artifact = /All messages of the user and all files up to here: artifact:\/\/(\d+)/.exec(said)?.[1];
    const snapshot = await engine.snapshot();
    const kept = artifact === undefined
      ? ""
      : await Deno.readTextFile(`${snapshot.session.file!.replace(/\.jsonl$/, "")}/${artifact}.txt`);
    const atThatTime = wishes.slice(0, bodies.slice(0, shrunk.at(-1)!).length);
    for (const wish of atThatTime.filter((text) => text.startsWith("Wish"))) {
      const words = wish.slice(0, 40).trim();
      if (!said.includes(words) && !kept.includes(words)) {
        const later = bodies.slice(shrunk.at(-1)!).some((body) => body.includes(words));
        assert(later, `lost: ${words}`);
      }
    }
    // The skill's text came with its prompt, and the command's words were put in.
    assert(bodies.some((body) => body.includes("RULE-SKILL: count twice.")));
    assert(bodies.some((body) => body.includes("Tidy up kitchen.")));
  } finally {
    await engine.close();
    await server.close();
  }
});
