import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { SessionError } from "../../src/session/errors.ts";
import { forkSession, toJsonl } from "../../src/session/fork.ts";
import { createSession, openSession, readSession } from "../../src/session/store.ts";
import { answer, fileOf, inFolder, RUN, submission, written } from "./sample.ts";

const CWD = "/home/demo";

Deno.test("forkSession() begins a session of its own with the path up to the entry, artifacts included", () =>
  inFolder(async (root) => {
    const file = await written(root, RUN);
    const source = await openSession(file);
    await Deno.writeTextFile(`${await source.artifactsDir()}/1.txt`, "full text");
    await source.close();
    const answer = source.path()[6];
    const { session, editable } = await forkSession(source, answer.id, { root, cwd: CWD });
    assertEquals(editable, undefined);
    assertNotEquals(session.id, source.id);
    assertEquals(session.header.forkedFrom, { session: source.id, entry: answer.id });
    assertEquals(session.path().slice(0, 7), source.path().slice(0, 7));
    await session.append(submission("another way"));
    await session.close();
    const again = await readSession(fileOf(session));
    assertEquals([again.damages, again.path().length], [[], 9]);
    assertEquals(await Deno.readTextFile(`${fileOf(session).replace(/\.jsonl$/, "")}/1.txt`), "full text");
    assertEquals((await readSession(file)).path(), source.path());
  }));

Deno.test("forkSession() from what the user said ends before it and hands it back for editing", () =>
  inFolder(async (root) => {
    const source = await readSession(await written(root, RUN));
    const said = source.path()[8];
    const { session, editable } = await forkSession(source, said.id.slice(-12), { root, cwd: CWD });
    assertEquals(editable, [{ type: "text", text: "now deploy" }]);
    assertEquals(session.path(), source.path().slice(0, 8));
    await session.append(submission("now deploy, gently", "r2"));
    assertEquals(session.path().length, 9);
    await session.close();
  }));

Deno.test("forkSession() within a run leaves no run and no call open: nothing was cut off there", () =>
  inFolder(async (root) => {
    const source = await readSession(await written(root, RUN));
    const calls = source.path()[10];
    const { session } = await forkSession(source, calls.id, { root, cwd: CWD });
    assertEquals([session.projection.run, session.projection.openCalls], [undefined, []]);
    const results = session.projection.messages.slice(-2);
    assertEquals(results.map((one) => one.role === "tool_result" && [one.name, one.isError]), [
      ["write", true],
      ["bash", true],
    ]);
    await session.close();
    // At its end it is what the source is: a run that was cut off.
    const whole = await forkSession(source, source.leaf!, { root, cwd: CWD });
    assertEquals(whole.session.projection.run?.runId, "run2");
    assertEquals(whole.session.projection.openCalls.map(({ callId }) => callId), ["c3"]);
    await whole.session.close();
  }));

Deno.test("forkSession() of an entry that is not there makes no session", () =>
  inFolder(async (root) => {
    const source = await readSession(await written(root, RUN));
    const error = await assertRejects(
      () => forkSession(source, "nope", { root: `${root}/new`, cwd: CWD }),
      SessionError,
    );
    assertEquals(error.code, "not_found");
    await assertRejects(() => Deno.stat(`${root}/new`), Deno.errors.NotFound);
  }));

Deno.test("toJsonl() is a session file with the path alone", () =>
  inFolder(async (root) => {
    const source = await readSession(await written(root, RUN));
    await Deno.writeTextFile(`${root}/copy.jsonl`, toJsonl(source));
    const copy = await readSession(`${root}/copy.jsonl`);
    assertEquals([copy.id, copy.damages, copy.path()], [source.id, [], source.path()]);
  }));

Deno.test("forkSession() takes outputs along, and not what a call of the source is changing", () =>
  inFolder(async (root) => {
    const session = await createSession({ root, cwd: "/home/demo" });
    const entry = await session.append(submission("x"));
    const folder = await session.artifactsDir();
    Deno.writeTextFileSync(`${folder}/1.txt`, "an output");
    Deno.writeTextFileSync(`${folder}/pending.jsonl`, '{"path":"/x","before":null}\n');
    await session.append(answer("y"));
    const fork = await forkSession(session, session.leaf!, { root, cwd: "/home/demo" });
    const copied = [...Deno.readDirSync(await fork.session.artifactsDir() ?? "")].map(({ name }) => name);
    assertEquals([copied, fork.session.path()[0].id], [["1.txt"], entry.id]);
    await fork.session.close();
    await session.close();
  }));
