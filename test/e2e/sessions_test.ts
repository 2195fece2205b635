/** `myelin sessions` through the whole program. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { startChatServer } from "../support/chat_script.ts";
import { createProject, type Project } from "../support/program.ts";

/** A picture of one pixel; what stands behind its end makes it long enough to be kept apart. */
const PICTURE = new Uint8Array([
  ...Uint8Array.fromBase64(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  ),
  ...new Uint8Array(3000).map((_, n) => n % 256),
]);

/** A session that says hello and has seen a picture. */
async function withSession(body: (project: Project, id: string) => Promise<void>): Promise<void> {
  const server = startChatServer({ turns: [{ text: "Hello <b>you</b>." }, { text: "Again." }] });
  await using project = await createProject({ url: server.url });
  await Deno.writeFile(`${project.dir}/p.png`, PICTURE);
  const ended = await project.run(["run", "-o", "json", "--attach", "p.png", "greet me & <i>mine</i>"]);
  assertEquals(ended.code, 0, ended.stderr);
  await body(project, JSON.parse(ended.stdout).sessionId);
  await server.close();
}

Deno.test("sessions search finds what was said, and says by its status when nothing was", () =>
  withSession(async (project, id) => {
    const found = await project.run(["sessions", "search", "GREET me"]);
    assertEquals(found.code, 0, found.stderr);
    assertStringIncludes(found.stdout, id.slice(-8));
    assertEquals((await project.run(["sessions", "search", "never said"])).code, 1);
  }));

Deno.test("sessions export gives a page that needs nothing else, and lines that can be imported elsewhere", () =>
  withSession(async (project, id) => {
    const page = await project.run(["sessions", "export", id, "--format", "html"]);
    assertStringIncludes(page.stdout, "greet me &amp; &lt;i&gt;mine&lt;/i&gt;");
    assertStringIncludes(page.stdout, "Hello &lt;b&gt;you&lt;/b&gt;.");
    assertStringIncludes(page.stdout, 'src="data:image/png;base64,');
    assertEquals(/<script|https?:\/\//.test(page.stdout), false);

    const lines = await project.run(["sessions", "export", id, "--format", "jsonl"]);
    assertEquals(lines.stdout.includes("attachment:"), false);
    await using other = await createProject();
    await other.write("them.jsonl", lines.stdout);
    const imported = await other.run(["sessions", "import", "them.jsonl"]);
    assertEquals(imported.code, 0, imported.stderr);
    const list = JSON.parse((await other.run(["sessions", "list", "--all", "--json"])).stdout);
    assertEquals(list.length, 1);
    const shown = await other.run(["sessions", "show", list[0].id]);
    assertStringIncludes(shown.stdout, "Hello <b>you</b>.");
    assertEquals((await other.run(["sessions", "import", "nothing.jsonl"])).code, 2);
  }));

Deno.test("the bytes of a picture are beside the session, and in the request", async () => {
  const server = startChatServer({ turns: [{ text: "Seen." }, { text: "Again." }, { text: "So be it." }] });
  await using project = await createProject({ url: server.url });
  await Deno.writeFile(`${project.dir}/p.png`, PICTURE);
  const ended = await project.run(["run", "-o", "json", "--attach", "p.png", "look"]);
  const { sessionFile } = JSON.parse(ended.stdout);
  assert(!Deno.readTextFileSync(sessionFile).includes(PICTURE.toBase64().slice(0, 200)));
  assertStringIncludes(server.requests[0].text, PICTURE.toBase64());
  await project.run(["run", "-c", "and now"]);
  assertStringIncludes(server.requests[1].text, PICTURE.toBase64());
  await Deno.remove(`${project.home}/.myelin/attachments`, { recursive: true });
  const refused = await project.run(["run", "-c", "and now"]);
  assertEquals(refused.code, 1);
  assertStringIncludes(refused.stderr, "Cannot find the attachment");
  assertEquals(server.requests.length, 2);
  const without = await project.run(["run", "-c", "then without"]);
  assertEquals(without.code, 0, without.stderr);
  await server.close();
});

Deno.test("sessions rename gives a title; rm and gc leave the others alone", () =>
  withSession(async (project, id) => {
    assertEquals((await project.run(["sessions", "rename", id, "A", "good", "name"])).code, 0);
    assertStringIncludes((await project.run(["sessions", "list"])).stdout, "A good name");
    const freed = await project.run(["sessions", "gc"]);
    assertEquals(freed.code, 0, freed.stderr);
    assertStringIncludes((await project.run(["run", "-c", "go on"])).stdout, "Again.");
    assertEquals((await project.run(["sessions", "rename", id])).code, 2);
  }));
