/** The pruner as a user meets it: a small model beside the one at work, named in the settings. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type ChatRequest, startChatServer } from "../support/chat_script.ts";
import { createProject } from "../support/program.ts";

const FILES = 9;
const contents = (request: ChatRequest) =>
  request.body.messages.map(({ content }) => JSON.stringify(content));

Deno.test("outputs that the small model calls stale are parked once, named with their reason, and can be read again", async () => {
  let n = 0;
  const server = startChatServer({
    turns: [(request) => {
      if (request.body.model === "small") return { text: "1: changed since\n2: changed since\n3: looked at" };
      const tokens = Math.round(request.text.length / 4);
      const usage = { prompt_tokens: tokens, completion_tokens: 20, total_tokens: tokens + 20 };
      const last = JSON.stringify(request.body.messages.at(-1));
      if (n < FILES) return { calls: [{ name: "read", args: { path: `f${n++}.txt` } }], usage };
      const parked = request.text.match(/artifact:\/\/\d+/)?.[0];
      if (last.includes("call it back") && parked !== undefined) {
        return { calls: [{ name: "read", args: { path: parked, limit: 2 } }], usage };
      }
      return { text: "Done.", usage };
    }],
    repeatLast: true,
  });
  await using project = await createProject({
    url: server.url,
    provider: {
      models: { "mock-1": { contextWindow: 65_536, maxOutput: 4_096 }, small: { contextWindow: 65_536 } },
    },
    settings: { compaction: { pruner: "mock/small", reserve: 8_000, strategy: "plain" } },
  });
  try {
    for (let at = 0; at < FILES; at++) {
      await project.write(
        `f${at}.txt`,
        `file ${at} begins\n` + "some words in a line of this file\n".repeat(850),
      );
    }
    const ended = await project.run(["run", "go"]);
    assertEquals([ended.code, ended.stdout], [0, "Done.\n"], ended.stderr);
    const asked = server.requests.filter(({ body }) => body.model === "small");
    const own = server.requests.filter(({ body }) => body.model === "mock-1");
    assertEquals(asked.length, 1);
    assertEquals(asked[0].body.tools, undefined);
    assertStringIncludes(asked[0].text, "f0.txt");
    const last = contents(own.at(-1)!);
    assertEquals(last.filter((text) => text.includes("[parked ")).length, 3);
    assertStringIncludes(last.join("\n"), "changed since; full text: artifact://1]");
    // Each request begins with the one before it, but for the one that was announced.
    const broken = own.slice(1).filter((request, at) => {
      const before = contents(own[at]);
      return before.some((text, i) => contents(request)[i] !== text);
    });
    assertEquals(broken.length, 1);
    assertStringIncludes(ended.stderr, "cleared old tool output");
    assert(!ended.stderr.includes("cache begins anew"), ended.stderr);

    const back = await project.run(["run", "--continue", "call it back"]);
    assertEquals(back.code, 0, back.stderr);
    assertStringIncludes(contents(server.requests.at(-1)!).at(-1)!, "file 0 begins");
  } finally {
    await server.close();
  }
});

Deno.test("a pruner that there is not is told before anything is sent, and without one none is asked", async () => {
  const server = startChatServer({ turns: [{ text: "ok" }], repeatLast: true });
  await using project = await createProject({
    url: server.url,
    settings: { compaction: { pruner: "nowhere/small" } },
  });
  try {
    const ended = await project.run(["run", "go"]);
    assertEquals(ended.code, 2);
    assertStringIncludes(ended.stderr, "nowhere");
    assertEquals(server.requests.length, 0);
  } finally {
    await server.close();
  }
});
