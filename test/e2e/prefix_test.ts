/** Ten turns of one session, with what usually breaks a provider's cache between them: the bytes that are sent must tell. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { serveHttp } from "../support/http_server.ts";
import { chatEvents } from "../support/chat_script.ts";
import { createProject } from "../support/program.ts";

/** The text of a request's messages, without the closing bracket. */
function messagesOf(body: string): string {
  const start = body.indexOf('"messages":[');
  const end = body.indexOf('],"tools":');
  assert(start > 0 && end > start);
  return body.slice(start, end);
}
const toolsOf = (body: string) => body.slice(body.indexOf('],"tools":'));

Deno.test("ten turns with changes of mode, model, tools and instructions: the request's beginning stays but where a change is announced", async () => {
  const bodies: string[] = [];
  let calls = 0;
  let next: readonly Parameters<typeof chatEvents>[0][] = [];
  const server = serveHttp(async (request, reply) => {
    if (request.method !== "POST") return await reply.send(404, {}, "");
    bodies.push(request.text);
    const [turn, ...rest] = next;
    next = rest;
    await reply.head(200, { "content-type": "text/event-stream" });
    await reply.write(chatEvents(turn ?? { text: "Fine." }, () => `call_${++calls}`).join(""));
    await reply.end();
  });
  const model = { contextWindow: 200_000, maxOutput: 8192 };
  await using project = await createProject({
    url: `${server.origin}/v1`,
    provider: { models: { "mock-1": model, "mock-2": model } },
  });
  await project.write("AGENTS.md", "Write short sentences.\n");
  await project.write("sub/AGENTS.md", "In here, write long ones.\n");
  await project.write("sub/a.txt", "alpha\n");
  const turn = async (args: readonly string[], ...turns: Parameters<typeof chatEvents>[0][]) => {
    next = turns;
    const ended = await project.run(["run", ...args]);
    assertEquals(ended.code, 0, ended.stderr);
    return ended;
  };
  const go = ["--continue", "go on"];
  const read = { calls: [{ name: "read", args: { path: "sub/a.txt" } }] };
  try {
    await turn(["begin"], { thinking: "Hm.", text: "Begun." });
    await turn(["--sandbox", "read-only", ...go]);
    await turn(["--sandbox", "workspace", ...go], { text: "I look.", ...read }, { text: "Alpha." });
    await turn(go);
    const before = bodies.length;
    await turn(["--model", "mock/mock-2", ...go]);
    await turn(["--model", "mock/mock-2", ...go], { text: "Once more.", ...read }, { text: "Still alpha." });
    const after = bodies.length;
    await turn(["--model", "mock/mock-1", ...go]);
    await turn(["--approve", "always", ...go]);
    const tools = bodies.length;
    await turn(["--tools", "read,ls,todo", ...go]);
    await turn(["--tools", "read,ls,todo", ...go]);
    assertEquals(bodies.length, 12);

    for (let i = 1; i < bodies.length; i++) {
      const [earlier, later] = [messagesOf(bodies[i - 1]), messagesOf(bodies[i])];
      // Thoughts go to the model that had them only: there the change of the model shows.
      const modelChanged = i === before || i === after;
      if (!modelChanged) assertEquals(later.slice(0, earlier.length), earlier, `request ${i + 1}`);
      assert(later.length > 0);
      if (i !== tools) assertEquals(toolsOf(bodies[i]), toolsOf(bodies[i - 1]), `tools of request ${i + 1}`);
    }
    const shown = await project.run(["debug", "prefix"]);
    assertEquals(shown.code, 1, shown.stderr);
    const lines = shown.stdout.trimEnd().split("\n");
    assertEquals(lines.length, 12);
    const broken = lines.flatMap((line, at) => line.includes("BROKE") ? [at] : []);
    assertEquals(broken, [before, after]);
    assertMatch(lines[before], /BROKE: the model changed from mock\/mock-1 to mock\/mock-2/);
    assertStringIncludes(shown.stderr, "12 requests, 2 of them");
  } finally {
    await server.close();
  }
});
