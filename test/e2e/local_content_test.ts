/** What is handed over with a message: kept with the session, named to the model, read back by name, in forks, exports and after a clean-up too. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type ChatRequest, startChatServer } from "../support/chat_script.ts";
import { createProject } from "../support/program.ts";

const lastText = (request: ChatRequest) => JSON.stringify(request.body.messages.at(-1)?.content);

Deno.test("content handed over with a prompt is named to the model and read as local://NAME, by forks and imports as well", async () => {
  const server = startChatServer({
    turns: [(request) => {
      const asked = /READ (local:\S+?)[\s"\\]/.exec(lastText(request))?.[1];
      return request.body.messages.at(-1)?.role === "user" && asked !== undefined
        ? { calls: [{ name: "read", args: { path: asked, offset: 20_001, limit: 1 } }] }
        : { text: "ok" };
    }],
    repeatLast: true,
  });
  await using project = await createProject({ url: server.url });
  const run = async (...args: string[]) => {
    const ended = await project.run(args);
    assertEquals(ended.code, 0, ended.stderr);
    return ended;
  };
  const lines = (word: string) => Array.from({ length: 30_000 }, (_, n) => `${word} ${n}`).join("\n");
  try {
    await project.write("a/notes.log", lines("first"));
    await project.write("b/notes.log", lines("second"));
    await run("run", "--attach", "a/notes.log", "READ local://notes.log ");
    assertStringIncludes(lastText(server.requests[0]), "handed over: local://notes.log, 348,889 bytes]");
    assertStringIncludes(lastText(server.requests[1]), "first 20000");
    // The same name with another content gets a name of its own; the first one still is what it was.
    await run("run", "--continue", "--attach", "b/notes.log", "READ local://notes-2.log ");
    assertStringIncludes(lastText(server.requests.at(-1)!), "second 20000");
    await run("run", "--continue", "READ local://notes.log ");
    assertStringIncludes(lastText(server.requests.at(-1)!), "first 20000");
    await run("run", "--continue", "READ local://nothing.log ");
    assertStringIncludes(lastText(server.requests.at(-1)!), "There is no local://nothing.log");
    // The session's file holds no bytes of it, and what is unused only is taken away.
    await run("sessions", "gc");
    const listed = await run("sessions", "list", "--json");
    const [{ id, file: path }] = JSON.parse(listed.stdout);
    assert((await Deno.stat(path)).size < 100_000);
    const entries = (await Deno.readTextFile(path)).trim().split("\n").map((line) => JSON.parse(line));
    const last = entries.findLast(({ kind }) => kind === "assistant").id;
    await run("run", "--resume", id, "--fork", last, "READ local://notes-2.log ");
    assertStringIncludes(lastText(server.requests.at(-1)!), "second 20000");
    // An export has it within; where nothing else is, it can be read.
    const exported = await run("sessions", "export", id, "--format", "jsonl");
    await project.write("out.jsonl", exported.stdout);
    for (const folder of ["sessions", "attachments"]) {
      await Deno.remove(`${project.home}/.myelin/${folder}`, { recursive: true });
    }
    await run("sessions", "import", "out.jsonl");
    await run("run", "--continue", "READ local://notes.log ");
    assertStringIncludes(lastText(server.requests.at(-1)!), "first 20000");
    assertMatch(server.requests[0].text, /local:\/\/NAME/);
  } finally {
    await server.close();
  }
});
