import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import type { Payload } from "../../src/session/entry.ts";
import { SessionError } from "../../src/session/errors.ts";
import { createMemorySession, createSession, openSession, readSession } from "../../src/session/store.ts";
import { ForgetfulDisk } from "../fault/forgetful_disk.ts";
import { answer, fileOf, inFolder, intent, result, RUN, submission, textOfBytes, written } from "./sample.ts";

const CWD = "/home/demo";

Deno.test("createSession() leaves a file with its header before anything is said", () =>
  inFolder(async (root) => {
    await using session = await createSession({ root, cwd: CWD });
    const file = fileOf(session);
    const header = JSON.parse(await Deno.readTextFile(file));
    assertEquals([header.kind, header.version, header.id, header.cwd], ["session", 1, session.id, CWD]);
    assert(file.startsWith(root + "/home-demo-"), file);
    if (Deno.build.os !== "windows") assertEquals((await Deno.stat(file)).mode! & 0o777, 0o600);
  }));

Deno.test("Session.append() gives back after reopening what was appended: entries, messages, artifacts folder", () =>
  inFolder(async (root) => {
    const file = await written(root, RUN);
    await using session = await openSession(file);
    assertEquals(session.damages, []);
    assertEquals(session.path().map(({ kind }) => kind), RUN.map(({ kind }) => kind));
    const path = session.path();
    path.forEach((entry, i) => assertEquals(entry.parentId, i === 0 ? null : path[i - 1].id));
    const before = [...session.projection.messages];
    await session.append(result("c3", "bash", "closed", true));
    assertEquals(session.projection.messages.slice(0, before.length), before);
    assertEquals((await readSession(file)).projection.messages, session.projection.messages);
    const folder = await session.artifactsDir();
    assertEquals(folder, file.replace(/\.jsonl$/, ""));
    assert((await Deno.stat(folder!)).isDirectory);
  }));

Deno.test("Session.append() chains entries that nobody waited for", () =>
  inFolder(async (root) => {
    await using session = await createSession({ root, cwd: CWD });
    const [a, b, c] = await Promise.all(
      ["a", "b", "c"].map((text) => session.append({ kind: "note", text })),
    );
    assertEquals([a.parentId, b.parentId, c.parentId], [null, a.id, b.id]);
    assertEquals(session.leaf, c.id);
  }));

Deno.test("Session.append() makes durable what must not be lost, and leaves the rest to the next sync", () =>
  inFolder(async (root) => {
    const disk = new ForgetfulDisk();
    const session = await createSession({ root, cwd: CWD, disk });
    const file = disk.file(session.file);
    const durable = async (payload: Payload) => {
      await session.append(payload);
      return file.synced === file.bytes.length;
    };
    const seen: [string, boolean][] = [];
    const rows: Payload[] = [
      { kind: "system", text: "s" },
      submission("hi"),
      { kind: "run_start", runId: "r", model: "m" },
      answer("", ["a", "bash"], ["b", "read"]),
      intent("b", "read", "safe"),
      intent("a", "bash", "never"),
      result("b", "read"),
      result("a", "bash"),
      answer("done"),
      { kind: "run_end", runId: "r", reason: "stop" },
    ];
    for (const row of rows) seen.push([row.kind, await durable(row)]);
    assertEquals(seen.map(([, synced]) => synced), [
      false,
      true,
      false,
      true,
      false,
      true,
      false,
      true,
      false,
      true,
    ]);
    await session.append({ kind: "note", text: "n" });
    await session.sync();
    assertEquals(file.synced, file.bytes.length);
    await session.close();
  }));

Deno.test("Session.append() on a full disk rejects, and leaves path and file as they were", () =>
  inFolder(async (root) => {
    const disk = new ForgetfulDisk();
    const session = await createSession({ root, cwd: CWD, disk });
    const first = await session.append(submission("one"));
    const before = textOfBytes(disk.file(session.file).bytes);
    disk.room = 10;
    const failed = await Promise.allSettled([
      session.append(submission("two")),
      session.append({ kind: "note", text: "n" }),
    ]);
    assertEquals(failed.map(({ status }) => status), ["rejected", "rejected"]);
    assertEquals(textOfBytes(disk.file(session.file).bytes), before);
    assertEquals([session.leaf, session.path().length], [first.id, 1]);
    assertEquals(session.projection.messages.length, 1);

    disk.room = Infinity;
    const next = await session.append(submission("three"));
    assertEquals(next.parentId, first.id);
    await session.close();
    const again = await readSession(fileOf(session), { disk });
    assertEquals(again.damages, []);
    assertEquals(again.projection.messages, session.projection.messages);
  }));

Deno.test("Session.append() accepts a submission of one requestId once, also after reopening", () =>
  inFolder(async (root) => {
    const file = await written(root, [submission("hi", "req")]);
    await using session = await openSession(file);
    const first = session.submission("req");
    const second = await session.append(submission("again", "req"));
    assertEquals(second.id, first?.id);
    assertEquals(session.path().length, 1);
    const twice = await Promise.all([
      session.append(submission("x", "new")),
      session.append(submission("y", "new")),
    ]);
    assertEquals(twice[0].id, twice[1].id);
    assertEquals(session.path().length, 2);
  }));

Deno.test("openSession() through a link meets the lock of the session", {
  ignore: Deno.build.os === "windows",
}, () =>
  inFolder(async (root) => {
    const file = await written(root, RUN);
    await Deno.symlink(file, `${root}/link.jsonl`);
    await using session = await openSession(file);
    assertEquals((await assertRejects(() => openSession(`${root}/link.jsonl`), SessionError)).code, "busy");
    assert(session.path().length > 0);
  }));

Deno.test("Session.moveTo() goes back in the tree, and the path stays so after reopening", () =>
  inFolder(async (root) => {
    const session = await createSession({ root, cwd: CWD });
    const one = await session.append(submission("one"));
    await session.append(submission("two"));
    assertEquals(session.projection.messages.length, 2);
    await session.moveTo(one.id);
    assertEquals(session.projection.messages.length, 1);
    await session.append(submission("other"));
    const messages = [...session.projection.messages];
    assertEquals(messages.length, 2);
    await assertRejects(() => session.moveTo("nowhere"), SessionError, "nowhere");
    await session.close();
    const again = await readSession(fileOf(session));
    assertEquals(again.projection.messages, messages);
    assertEquals([...again.entries()].length, 4);
  }));

Deno.test("openSession() refuses a session that is open, and one that is not there", () =>
  inFolder(async (root) => {
    await using session = await createSession({ root, cwd: CWD });
    assertEquals((await assertRejects(() => openSession(fileOf(session)), SessionError)).code, "busy");
    assertEquals((await readSession(fileOf(session))).id, session.id);
    const missing = `${root}/none/x.jsonl`;
    assertEquals((await assertRejects(() => openSession(missing), SessionError)).code, "not_found");
    await assertRejects(() => Deno.stat(`${root}/none`), Deno.errors.NotFound);
  }));

Deno.test("openSession() refuses to continue a newer format, and readSession() reads it", () =>
  inFolder(async (root) => {
    const file = await written(root, [submission("hi")]);
    await Deno.writeTextFile(file, (await Deno.readTextFile(file)).replace('"version":1', '"version":99'));
    const before = await Deno.readTextFile(file);
    assertEquals((await assertRejects(() => openSession(file), SessionError)).code, "newer_version");
    assertEquals((await readSession(file)).projection.messages.length, 1);
    assertEquals(await Deno.readTextFile(file), before);
  }));

Deno.test("openSession() keeps unknown kinds and members, and hangs on below them", () =>
  inFolder(async (root) => {
    const file = await written(root, [submission("hi")]);
    const view = await readSession(file);
    const odd = { kind: "hologram", id: "h1", parentId: view.leaf, at: "", x: [1] };
    await Deno.writeTextFile(file, JSON.stringify(odd) + "\n", { append: true });
    const session = await openSession(file);
    assertEquals(session.damages, []);
    const next = await session.append(submission("more"));
    assertEquals(next.parentId, "h1");
    assertEquals(session.projection.messages.length, 2);
    await session.close();
    assertEquals((await readSession(file)).entry("h1"), odd);
  }));

for (const [name, content] of [["an empty file", ""], ["half a header", '{"kind":"se']] as const) {
  Deno.test(`openSession() takes ${name} for an empty session, and writes a header`, () =>
    inFolder(async (root) => {
      const file = await written(root, []);
      const { id } = await readSession(file);
      await Deno.writeTextFile(file, content);
      const session = await openSession(file, { cwd: CWD });
      assertEquals([session.id, session.cwd, session.path().length], [id, CWD, 0]);
      assertEquals(session.damages.length, 1);
      await session.append(submission("hi"));
      await session.close();
      const again = await readSession(file);
      assertEquals([again.id, again.cwd, again.damages, again.path().length], [id, CWD, [], 1]);
    }));
}

Deno.test("createMemorySession() behaves the same and keeps nothing", async () => {
  const session = createMemorySession({ cwd: CWD });
  for (const payload of RUN) await session.append(payload);
  assertEquals([session.file, await session.artifactsDir()], [undefined, undefined]);
  assertEquals(session.projection.openCalls.length, 1);
  const root = session.path()[0];
  await session.moveTo(root.id);
  assertEquals(session.projection.messages.length, 1);
  await session.close();
});

Deno.test("Session.append() and readSession() agree on any text", async () => {
  const text = fc.string({ unit: "binary", maxLength: 20 });
  await inFolder(async (root) => {
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 8 }), async (texts) => {
        const disk = new ForgetfulDisk();
        const session = await createSession({ root, cwd: CWD, disk });
        for (const one of texts) await session.append({ kind: "note", text: one });
        await session.close();
        const again = await readSession(fileOf(session), { disk });
        assertEquals(again.damages, []);
        assertEquals(again.path(), session.path());
        assertEquals(again.projection.messages, session.projection.messages);
      }),
      { numRuns: 100 },
    );
  });
});

Deno.test("openSession() tells of damage once, sets it aside and goes on on a line of its own", () =>
  inFolder(async (root) => {
    const file = await written(root, RUN);
    const lines = (await Deno.readTextFile(file)).split("\n");
    lines.splice(3, 0, '{"kind":"note","id":');
    const torn = '{"kind":"note","id":"x","text":"cut he';
    await Deno.writeTextFile(file, lines.join("\n") + torn);

    const session = await openSession(file);
    assertEquals(session.damages.map(({ line, torn, known }) => [line, torn, known]), [
      [4, undefined, undefined],
      [17, true, undefined],
    ]);
    assertEquals(session.path().length, RUN.length);
    await session.append(submission("on"));
    await session.close();
    const bad = (await Deno.readTextFile(file + ".bad")).trim().split("\n").map((line) => JSON.parse(line));
    assertEquals(bad.map(({ text }) => text), ['{"kind":"note","id":', torn]);
    assertStringIncludes(await Deno.readTextFile(file), '{"kind":"note","id":\n');

    const again = await openSession(file);
    assertEquals(again.damages.map(({ line, known }) => [line, known]), [[4, true]]);
    assertEquals(again.path().length, RUN.length + 1);
    await again.close();
    assertEquals((await Deno.readTextFile(file + ".bad")).trim().split("\n").length, 2);
  }));

Deno.test("openSession() uses an entry that has NULs in it, marks the gap, and finds it again in the file", () =>
  inFolder(async (root) => {
    const session = await createSession({ root, cwd: CWD });
    const first = await session.append(submission("begin"));
    await session.append(answer("", ["c", "read"]));
    for (let n = 0; n < 40; n++) await session.append({ kind: "note", text: "long ".repeat(20_000) });
    await session.close();
    const bytes = await Deno.readFile(fileOf(session));
    const at = bytes.lastIndexOf("g".charCodeAt(0));
    bytes.fill(0, at - 3000, at);
    await Deno.writeFile(fileOf(session), bytes);
    for (const known of [undefined, true]) {
      await using again = await openSession(fileOf(session));
      assertEquals(again.damages.map(({ known, gap }) => [known, gap]), [[known, true]]);
      assertEquals(again.path()[0], first);
      assertEquals(again.path().length, 42);
      const last = again.path().at(-1) as { text: string };
      assertEquals(last.text.slice(-3), "\uFFFDg ");
    }
    assertStringIncludes(await Deno.readTextFile(fileOf(session) + ".bad"), "NUL bytes inside an entry");
  }));

Deno.test("createSession() on a full disk leaves no empty session, which would be taken for the newest", () =>
  inFolder(async (root) => {
    const disk = new ForgetfulDisk();
    disk.room = 10;
    const error = await assertRejects(() => createSession({ root, cwd: CWD, disk }), SessionError);
    assertEquals([error.code, disk.files.size], ["io", 0]);
  }));

Deno.test("createSession() where no folder can be made says so and leaves no lock", () =>
  inFolder(async (root) => {
    await Deno.writeTextFile(`${root}/file`, "x");
    const error = await assertRejects(() => createSession({ root: `${root}/file`, cwd: CWD }), SessionError);
    assertEquals(error.code, "io");
    assertEquals([...Deno.readDirSync(root)].map(({ name }) => name), ["file"]);
  }));

Deno.test("openSession() gives the same of a file that is larger than what stays in memory, with branches and summaries", () =>
  inFolder(async (root) => {
    const session = await createSession({ root, cwd: "/home/demo" });
    const long = (n: number) => `${n} `.repeat(20_000);
    const first = await session.append(submission("begin", "first"));
    for (let n = 0; n < 60; n++) {
      await session.append(answer("", [`c${n}`, "read"]));
      await session.append(intent(`c${n}`, "read", "safe"));
      await session.append(result(`c${n}`, "read", long(n)));
    }
    const kept = await session.append(submission("then"));
    await session.append({ kind: "compaction", summary: "it read a lot", firstKept: kept.id });
    await session.append({ kind: "title", title: "Reading" });
    await session.append(answer("yes"));
    const left = session.leaf!;
    const path = session.path();
    const messages = session.projection.messages;
    assertEquals(messages.map(({ role }) => role), ["user", "user", "assistant"]);
    await session.close();
    const size = Deno.statSync(fileOf(session)).size;
    assert(size > 3_000_000);

    const again = await openSession(fileOf(session));
    assertEquals(again.projection.messages, messages);
    assertEquals(again.projection.title, "Reading");
    assertEquals(again.path(), path);
    assertEquals(again.submission("first"), first);
    await again.moveTo(first.id);
    await again.append(submission("another way"));
    assertEquals(again.projection.messages.length, 2);
    await again.moveTo(left);
    // Worked out anew, from what is read again.
    assertEquals(again.projection.messages, messages);
    await again.close();
    const third = await openSession(fileOf(session));
    assertEquals(third.projection.messages, messages);
    await third.close();
  }));
