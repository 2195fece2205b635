import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { SessionError } from "../../src/session/errors.ts";
import {
  findSession,
  firstWords,
  listSessions,
  newestSession,
  removeSession,
} from "../../src/session/list.ts";
import { createSession, openSession } from "../../src/session/store.ts";
import { folderName, idOf, shortId } from "../../src/session/paths.ts";
import type { Payload } from "../../src/session/entry.ts";
import { answer, fileOf, inFolder, RUN, submission } from "./sample.ts";

/** A session of a workspace, changed so many seconds after the first of times. */
async function add(root: string, cwd: string, second: number, ...payloads: Payload[]): Promise<string> {
  const session = await createSession({ root, cwd });
  for (const payload of payloads) await session.append(payload);
  await session.close();
  const time = new Date(Date.UTC(2026, 0, 1, 0, 0, second));
  await Deno.utime(fileOf(session), time, time);
  return fileOf(session);
}

Deno.test("listSessions() tells title or first words, messages, size and times, newest first", () =>
  inFolder(async (root) => {
    const old = await add(root, "/a", 1, submission("  list the\nfiles  "), answer("ok"));
    const titled = await add(root, "/a", 3, ...RUN, { kind: "title", title: "Deploying" });
    await add(root, "/b", 2, submission("elsewhere"));
    const list = listSessions({ root, cwd: "/a" });
    assertEquals(list.map(({ file, title, messages }) => [file, title, messages]), [
      [titled, "Deploying", 5],
      [old, "list the files", 2],
    ]);
    const [newest] = list;
    assertEquals([newest.cwd, newest.model, newest.problem], ["/a", "test/model", undefined]);
    assertEquals(newest.changedAt, "2026-01-01T00:00:03.000Z");
    assertMatch(newest.createdAt, /^\d{4}-/);
    assertEquals(newest.bytes, (await Deno.stat(titled)).size);
    assertEquals(listSessions({ root }).map(({ title }) => title), [
      "Deploying",
      "elsewhere",
      "list the files",
    ]);
    assertEquals(listSessions({ root, limit: 1 }).length, 1);
  }));

Deno.test("listSessions() shows a bad file as such, and all others", () =>
  inFolder(async (root) => {
    const good = await add(root, "/a", 1, submission("good"));
    const folder = `${root}/${folderName("/a")}`;
    await Deno.writeTextFile(`${folder}/20260101T000000Z_00000000-0000-7000-8000-000000000001.jsonl`, "");
    await Deno.writeFile(
      `${folder}/20260101T000000Z_00000000-0000-7000-8000-000000000002.jsonl`,
      new Uint8Array(5000),
    );
    await Deno.writeTextFile(`${folder}/garbage.jsonl`, "no\njson\n{");
    await Deno.mkdir(`${folder}/odd.jsonl`);
    if (Deno.build.os !== "windows") await Deno.symlink("/nowhere", `${folder}/dangling.jsonl`);
    const list = listSessions({ root, cwd: "/a" });
    assertEquals(list.length, 4);
    assertEquals(list.find(({ file }) => file === good)?.title, "good");
    assertEquals(list.filter(({ problem }) => problem === "empty").length, 1);
  }));

Deno.test("listSessions() finds the latest title of a large session at its end", () =>
  inFolder(async (root) => {
    const big = submission("x".repeat(200_000));
    const file = await add(root, "/a", 1, submission("first words"), big, {
      kind: "title",
      title: "At last",
    });
    const [one] = listSessions({ root, cwd: "/a" });
    assertEquals([one.file, one.title, one.messages], [file, "At last", 2]);
  }));

Deno.test("listSessions() of a home without sessions is empty", () =>
  inFolder((root) => {
    assertEquals(listSessions({ root: `${root}/none` }), []);
    assertEquals(newestSession(`${root}/none`, "/a"), undefined);
  }));

Deno.test("newestSession() is the one of the workspace that was changed last", () =>
  inFolder(async (root) => {
    await add(root, "/a", 1, submission("one"));
    const newest = await add(root, "/a", 3, submission("three"));
    await add(root, "/a", 2, submission("two"));
    await add(root, "/b", 9, submission("nine"));
    assertEquals(newestSession(root, "/a"), newest);
  }));

Deno.test("newestSession() passes over a session in which nothing was said, unless there is no other", () =>
  inFolder(async (root) => {
    const said = await add(root, "/a", 1, submission("hi"));
    const empty = await add(root, "/a", 2);
    assertEquals(newestSession(root, "/a"), said);
    await removeSession(root, said);
    assertEquals(newestSession(root, "/a"), empty);
  }));

Deno.test("findSession() finds by path, id, beginning and end, in other workspaces too", () =>
  inFolder(async (root) => {
    const file = await add(root, "/a", 1);
    const id = idOf(file)!;
    for (const wanted of [file, id, id.toUpperCase(), id.slice(0, 20), shortId(id)]) {
      assertEquals(findSession(root, wanted, "/elsewhere"), file);
    }
    for (const wanted of ["zzz", "", "./none.jsonl"]) {
      assertEquals(assertThrows(() => findSession(root, wanted, "/a"), SessionError).code, "not_found");
    }
  }));

Deno.test("findSession() does not guess between several, but prefers the workspace's", () =>
  inFolder(async (root) => {
    const [first] = [await add(root, "/a", 1), await add(root, "/b", 2)];
    const start = idOf(first)!.slice(0, 3);
    assertEquals(findSession(root, start, "/a"), first);
    const error = assertThrows(() => findSession(root, start), SessionError);
    assertMatch(error.message, /2 match/);
    assert(error.hint?.includes(shortId(idOf(first)!)));
  }));

Deno.test("removeSession() moves a session with all that belongs to it into the trash, unless it is in use", () =>
  inFolder(async (root) => {
    const file = await add(root, "/a", 1, submission("hi"));
    const session = await openSession(file);
    const folder = await session.artifactsDir();
    await Deno.writeTextFile(`${folder}/1.txt`, "x");
    assertEquals((await assertRejects(() => removeSession(root, file), SessionError)).code, "busy");
    await session.close();
    const moved = await removeSession(root, file);
    assertEquals(listSessions({ root }), []);
    assertEquals(await Deno.readTextFile(moved.replace(/\.jsonl$/, "/1.txt")), "x");
    assertEquals((await openSession(moved).then(async (one) => (await one.close(), one))).path().length, 1);
    assertEquals((await assertRejects(() => removeSession(root, file), SessionError)).code, "not_found");
  }));

Deno.test("firstWords() is one line of a bounded length, cut between words and characters", () => {
  assertEquals(firstWords("a\n\tb  c "), "a b c");
  assertEquals(firstWords("word ".repeat(40)).length <= 80, true);
  assert(firstWords("word ".repeat(40)).endsWith("word…"));
  assert(firstWords("🙂".repeat(100)).isWellFormed());
});

Deno.test("folderName() tells workspaces apart that look alike, and is a plain name", () => {
  const names = ["/a/b", "/a-b", "/a/b/", "/", "C:\\a\\b", "/" + "long/".repeat(100), "/三つ目", "/.hidden"]
    .map(folderName);
  assertEquals(new Set(names).size, names.length);
  for (const name of names) assertMatch(name, /^[A-Za-z0-9][A-Za-z0-9.-]{3,80}$/);
});
