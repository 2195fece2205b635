import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { SessionError } from "../../src/session/errors.ts";
import { lockSession } from "../../src/session/lock.ts";
import { inFolder } from "./sample.ts";

const HOLDER = `
const { lockSession } = await import(${
  JSON.stringify(new URL("../../src/session/lock.ts", import.meta.url).href)
});
await lockSession(Deno.args[0]);
console.log("held");
await Deno.stdin.read(new Uint8Array(1));
`;

/** A process of its own that holds the lock until it is killed. */
async function holder(path: string): Promise<Deno.ChildProcess> {
  const script = await Deno.makeTempFile({ suffix: ".ts" });
  await Deno.writeTextFile(script, HOLDER);
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      "--node-modules-dir=none",
      "--quiet",
      "--config",
      "deno.json",
      script,
      path,
    ],
    cwd: new URL("../..", import.meta.url),
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  reader.releaseLock();
  await Deno.remove(script);
  return child;
}

Deno.test("lockSession() refuses a second holder in the same process, and frees it on release", () =>
  inFolder(async (folder) => {
    const path = `${folder}/s.jsonl`;
    const lock = await lockSession(path);
    const error = await assertRejects(() => lockSession(path), SessionError);
    assertEquals(error.code, "busy");
    assertStringIncludes(error.message, String(Deno.pid));
    lock.release();
    lock.release();
    assertEquals([...Deno.readDirSync(folder)], []);
    (await lockSession(path)).release();
  }));

Deno.test("lockSession() names the process that holds it, and is free after kill -9", () =>
  inFolder(async (folder) => {
    const path = `${folder}/s.jsonl`;
    const child = await holder(path);
    try {
      const error = await assertRejects(() => lockSession(path), SessionError);
      assertEquals(error.code, "busy");
      assertStringIncludes(error.message, `process ${child.pid}`);
    } finally {
      child.kill("SIGKILL");
      await child.stdin.close().catch(() => {});
      await child.stdout.cancel();
      await child.status;
    }
    (await lockSession(path)).release();
  }));

Deno.test("lockSession() gives the lock to one of many that want it at once", () =>
  inFolder(async (folder) => {
    const path = `${folder}/s.jsonl`;
    for (let round = 0; round < 20; round++) {
      const all = await Promise.allSettled(Array.from({ length: 5 }, () => lockSession(path)));
      const won = all.filter((one) => one.status === "fulfilled");
      assertEquals(won.length, 1);
      for (const one of won) one.value.release();
    }
  }));

Deno.test("lockSession() in a folder that cannot be made says so", () =>
  inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/file`, "");
    const error = await assertRejects(() => lockSession(`${folder}/file/below/s.jsonl`), SessionError);
    assertEquals(error.code, "io");
    assertMatch(error.message, /file\/below/);
  }));
