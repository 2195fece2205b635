import { assert, assertEquals, assertThrows } from "@std/assert";
import type { GuardedFs } from "../../src/sandbox/host_guarded.ts";
import { createSwitchedFs, type FarFs } from "../../src/sandbox/worker/far_fs.ts";
import { CELLS } from "../../src/sandbox/worker/messages.ts";
import { HostError } from "../../src/shell/host.ts";
import { withPair } from "./worker_pair.ts";

/** Files whose every operation answers with who did it, and whether the worker says that it is busy. */
function told<T>(who: string, cells: Int32Array): T {
  return new Proxy({}, {
    get: () => (path?: string) => {
      if (path === "/fails") throw new HostError("EIO", path);
      return `${who}, busy ${Atomics.load(cells, CELLS.busy)}`;
    },
  }) as T;
}

Deno.test("switched files: the worker works by itself, and says so, only where no program runs", () => {
  const cells = new Int32Array(new SharedArrayBuffer(CELLS.length * 4));
  const fs = createSwitchedFs({
    cells,
    far: told<FarFs>("main isolate", cells),
    near: () => told<GuardedFs>("worker", cells),
  });
  const answers = () =>
    new Set<unknown>([
      fs.stat("/x"),
      fs.lstat("/x"),
      fs.access("/x", "r"),
      fs.readLink("/x"),
      fs.realPath("/x"),
      fs.readDir("/x"),
      fs.readStart!("/x", new Uint8Array(1)),
      fs.open("/x", {}),
      fs.mkdir("/x", 0),
      fs.unlink("/x"),
      fs.rmdir("/x"),
      fs.rename("/x", "/y"),
      fs.link("/x", "/y"),
      fs.chmod("/x", 0),
      fs.chown("/x", 0, 0),
      fs.utime("/x", 0, 0),
      fs.truncate("/x", 0),
    ]);
  assertEquals(answers(), new Set(["worker, busy 1"]));
  assertThrows(() => fs.stat("/fails"), HostError);
  assertEquals(Atomics.load(cells, CELLS.busy), 0);
  Atomics.add(cells, CELLS.programs, 1);
  assertEquals(answers(), new Set(["main isolate, busy 0"]));
  Atomics.sub(cells, CELLS.programs, 1);
  assertEquals(answers(), new Set(["worker, busy 1"]));
});

Deno.test({
  name: "broker: a program is counted before it starts, and starts when the worker has ended what it is at",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withPair({}, async ({ cells, workspace, sh }) => {
      Atomics.store(cells, CELLS.busy, 1);
      const ran = sh("echo > started");
      while (Atomics.load(cells, CELLS.programs) === 0) {
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      // The broker looks again and again meanwhile.
      for (let i = 0; i < 20; i++) await new Promise((resolve) => setTimeout(resolve, 1));
      assertThrows(() => Deno.statSync(`${workspace}/started`), Deno.errors.NotFound);
      Atomics.store(cells, CELLS.busy, 0);
      assertEquals((await ran).code, 0);
      assert(Deno.statSync(`${workspace}/started`).isFile);
      assertEquals(Atomics.load(cells, CELLS.programs), 0);
    }),
});
