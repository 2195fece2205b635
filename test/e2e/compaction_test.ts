/** Summaries as a user meets them, a process for each turn: rings, refusals, cancels and crashes must leave the conversation whole. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { chatEvents, type ChatTurn } from "../support/chat_script.ts";
import { type HttpReply, serveHttp } from "../support/http_server.ts";
import { createProject, type Project } from "../support/program.ts";

const WINDOW = 65_536;
const asksForSummary = (body: string) =>
  body.includes("is about to be replaced by a summary that you write now");
const usage = (tokens: number) => ({
  prompt_tokens: tokens,
  completion_tokens: 50,
  total_tokens: tokens + 50,
});

interface Scene extends AsyncDisposable {
  readonly project: Project;
  readonly bodies: readonly string[];
  /** Resolves when the n-th request (from 1) has come in. */
  arrived(n: number): Promise<void>;
  /** `myelin run`, going on with the session. */
  say(...args: string[]): ReturnType<Project["run"]>;
}

/** `answer`: what the server does with the n-th request (from 0). */
async function scene(
  answer: (body: string, n: number, reply: HttpReply) => ChatTurn | Promise<void>,
  settings: Record<string, unknown> = {},
): Promise<Scene> {
  const bodies: string[] = [];
  const waiting = new Map<number, () => void>();
  let calls = 0;
  const server = serveHttp(async (request, reply) => {
    if (request.method !== "POST") return await reply.send(404, {}, "");
    const n = bodies.push(request.text);
    waiting.get(n)?.();
    const turn = answer(request.text, n - 1, reply);
    if (turn instanceof Promise) return await turn;
    await reply.head(200, { "content-type": "text/event-stream" });
    await reply.write(chatEvents(turn, () => `call_${++calls}`).join(""));
    await reply.end();
  });
  const project = await createProject({
    url: `${server.origin}/v1`,
    provider: { models: { "mock-1": { contextWindow: WINDOW, maxOutput: 8_192 } } },
    settings,
  });
  return {
    project,
    bodies,
    arrived: (n) =>
      bodies.length >= n ? Promise.resolve() : new Promise((resolve) => void waiting.set(n, resolve)),
    say: (...args) => project.run(["run", ...(bodies.length > 0 ? ["--continue"] : []), ...args]),
    async [Symbol.asyncDispose]() {
      await server.close();
      await project[Symbol.asyncDispose]();
    },
  };
}

const tooLong = (reply: HttpReply) =>
  reply.send(
    400,
    { "content-type": "application/json" },
    JSON.stringify({
      error: {
        message: `This model's maximum context length is ${WINDOW} tokens.`,
        code: "context_length_exceeded",
      },
    }),
  );
const wishesIn = (body: string) => [0, 1, 2].map((n) => body.includes(`wish ${n}`));

Deno.test("a window that the fixed part fills ends in words after at most two summaries and four requests, over restarts", async () => {
  await using s = await scene(() => ({ text: "ok", usage: usage(63_000) }));
  let ended = await s.say("wish 0");
  for (let turn = 1; turn < 8 && ended.code === 0; turn++) ended = await s.say(`wish ${turn}`);
  assertEquals(ended.code, 1);
  assertStringIncludes(ended.stderr, `does not fit the model's window of ${WINDOW} tokens`);
  assertStringIncludes(ended.stderr, "tools ~");
  assert(s.bodies.filter(asksForSummary).length <= 2);
  assert(s.bodies.length <= 4, `${s.bodies.length} requests`);
});

Deno.test("a summary that comes back empty leaves the conversation as it was, and is told", async () => {
  await using s = await scene((body, n) =>
    asksForSummary(body) ? { text: " " } : { text: "ok", usage: usage(n === 0 ? 900 : 55_000) }
  );
  for (const n of [0, 1]) await s.say(`wish ${n}`);
  const ended = await s.say("wish 2");
  assertEquals(ended.code, 0);
  assertStringIncludes(ended.stderr, "it stays as it is");
  assertEquals(wishesIn(s.bodies.at(-1)!), [true, true, true]);
  assert(!s.bodies.at(-1)!.includes("<summary>"));
  const asked = await s.say("/compact");
  assertEquals(asked.code, 1);
  assertStringIncludes(asked.stderr, "it stays as it is");
});

Deno.test("a summary that the server refuses inside the conversation is made apart from it", async () => {
  await using s = await scene((body, n, reply) => {
    if (asksForSummary(body)) return body.includes('"tools":[') ? tooLong(reply) : { text: "made apart" };
    return { text: "ok", usage: usage(n === 1 ? 55_000 : 900) };
  });
  for (const n of [0, 1, 2]) assertEquals((await s.say(`wish ${n}`)).code, 0);
  assertStringIncludes(s.bodies.at(-1)!, "made apart");
});

Deno.test("a summary that heeds no budget does not fill the window that it was to empty", async () => {
  await using s = await scene((body, n) =>
    asksForSummary(body)
      ? { text: "word ".repeat(80_000), finish: "length", pieceLength: 10_000 }
      : { text: "ok", usage: usage(n === 1 ? 55_000 : 900) }
  );
  for (const n of [0, 1, 2]) assertEquals((await s.say(`wish ${n}`)).code, 0);
  assert(s.bodies.at(-1)!.length < 80_000, `${s.bodies.at(-1)!.length}`);
  assertEquals(wishesIn(s.bodies.at(-1)!), [true, true, true]);
});

Deno.test("switched off it stays off: a full window and a refusal for length make no summary", async () => {
  await using s = await scene(
    (_, n, reply) => n === 2 ? tooLong(reply) : { text: "ok", usage: usage(63_000) },
    { compaction: { enabled: false } },
  );
  for (const n of [0, 1]) assertEquals((await s.say(`wish ${n}`)).code, 0);
  const ended = await s.say("wish 2");
  assertEquals(ended.code, 1);
  assertStringIncludes(ended.stderr, "/compact makes room");
  assertEquals(s.bodies.filter(asksForSummary).length, 0);
});

for (const signal of ["SIGKILL", "SIGINT", "SIGTERM"] as const) {
  Deno.test(`${signal} while a summary is being made leaves the old conversation to go on with`, async () => {
    await using s = await scene((body, n, reply) => {
      if (asksForSummary(body)) return n === 2 ? reply.gone : { text: "made later" };
      return { text: "ok", usage: usage(n === 1 ? 55_000 : 900) };
    });
    for (const n of [0, 1]) await s.say(`wish ${n}`);
    const running = s.project.start(["run", "--continue", "wish 2"]);
    await s.arrived(3);
    running.kill(signal);
    const { stderr } = await running.ended;
    if (signal !== "SIGKILL") assertStringIncludes(stderr, "Interrupted");
    const ended = await s.say("and on");
    assertEquals(ended.code, 0, ended.stderr);
    // The summary is asked for again, with all that was there.
    assert(asksForSummary(s.bodies[3]));
    assertEquals(wishesIn(s.bodies[3]), [true, true, true]);
    assert(!s.bodies[3].includes("<summary>"));
    assertStringIncludes(s.bodies.at(-1)!, "made later");
    assertEquals(wishesIn(s.bodies.at(-1)!), [true, true, true]);
  });
}
