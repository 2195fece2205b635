import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { createRealHost } from "../../src/sandbox/host_real.ts";
import { preparePolicy } from "../../src/sandbox/os/mod.ts";
import { createSheath } from "../../src/sandbox/worker/client.ts";
import type { Sheath, SheathOptions } from "../../src/sandbox/worker/sheath.ts";

interface Ground {
  readonly sheath: Sheath<string>;
  readonly notices: string[];
  readonly decisions: string[];
  readonly tempDir: string;
  run(name: string, args?: unknown, signal?: AbortSignal): Promise<string>;
}

async function withStubborn(
  options: Partial<SheathOptions<string>>,
  approve: "ask" | "never" | "always",
  work: (ground: Ground) => Promise<void>,
  idleAfter?: number,
) {
  const workspace = Deno.makeTempDirSync({ prefix: "client-test-" });
  const notices: string[] = [];
  const decisions: string[] = [];
  const policy = preparePolicy({
    mode: "workspace",
    workspace,
    approve,
    exec: "ask",
    home: workspace,
    ownFolder: `${workspace}/.myelin`,
  });
  const sheath = createSheath<string>(
    {
      workerUrl: new URL("./workers/stubborn.ts", import.meta.url),
      policy,
      env: ["PATH"],
      failure: (text) => `failure: ${text}`,
      notice: (_level, text) => notices.push(text),
      decided: (request, answer, by) => decisions.push(`${request.summary} ${answer.allow} ${by}`),
      ...options,
    },
    () => Promise.resolve(createRealHost()),
    50,
    idleAfter,
  );
  let calls = 0;
  try {
    await work({
      sheath,
      notices,
      decisions,
      tempDir: policy.tempDir,
      run: (name, args = null, signal = new AbortController().signal) =>
        sheath.run(name, args, { callId: `c${++calls}`, signal, output() {} }),
    });
  } finally {
    await sheath.close();
    Deno.removeSync(workspace, { recursive: true });
  }
}

Deno.test("client gives every call its own result, also when many run at once", () =>
  withStubborn({}, "never", async ({ run }) => {
    const results = await Promise.all(Array.from({ length: 50 }, (_, i) => run("echo", `r${i}`)));
    assertEquals(results, Array.from({ length: 50 }, (_, i) => `r${i}`));
  }));

Deno.test("client: a cancel reaches a call that waits, and one that loops", () =>
  withStubborn({}, "never", async ({ run }) => {
    for (const [name, wanted] of [["wait", "ended: cancelled"], ["loop", "saw the flag"]]) {
      const abort = new AbortController();
      const result = run(name, null, abort.signal);
      setTimeout(() => abort.abort(), 0);
      assertEquals(await result, wanted);
    }
  }));

Deno.test("client: a call that was cancelled before never starts", () =>
  withStubborn({}, "never", async ({ run }) => {
    assertStringIncludes(await run("echo", "x", AbortSignal.abort()), "failure: Cancelled");
  }));

Deno.test("client ends a call at its deadline", () =>
  withStubborn({}, "never", async ({ run }) => {
    assertEquals(await run("deadline"), "ended: timeout");
  }));

Deno.test("client abandons a worker that does not answer a cancel, says so, and goes on with another", () =>
  withStubborn({}, "never", async ({ run, notices }) => {
    const end = new SharedArrayBuffer(4);
    const abort = new AbortController();
    const deaf = run("deaf", end, abort.signal);
    const other = run("wait");
    setTimeout(() => abort.abort(), 0);
    assertStringIncludes(await deaf, "failure: The sandbox's worker did not answer a cancel");
    assertStringIncludes(await other, "failure:");
    assertEquals(notices.length, 1);
    assertEquals(await run("echo", "again"), "again");
    Atomics.store(new Int32Array(end), 0, 1);
  }));

Deno.test("client starts no further worker while too many of the abandoned ones are still busy", () =>
  withStubborn({}, "never", async ({ run, notices }) => {
    const ends = Array.from({ length: 4 }, () => new SharedArrayBuffer(4));
    const finish = (end: SharedArrayBuffer) => Atomics.store(new Int32Array(end), 0, 1);
    for (const end of ends) {
      const abort = new AbortController();
      const deaf = run("deaf", end, abort.signal);
      setTimeout(() => abort.abort(), 0);
      assertStringIncludes(await deaf, "did not answer a cancel");
    }
    for (let again = 0; again < 3; again++) {
      assertStringIncludes(await run("echo", "x"), "4 calls that were ended did not stop");
    }
    assertEquals(notices.length, 4);
    finish(ends[2]);
    // As soon as one of them has come to its end.
    while (await run("echo", "again") !== "again") await new Promise((resolve) => setTimeout(resolve, 5));
    ends.forEach(finish);
  }));

Deno.test("client: a crash fails the open calls, and the next call has a new worker", () =>
  withStubborn({}, "never", async ({ run, notices }) => {
    const waiting = run("wait");
    assertStringIncludes(await run("crash"), "it broke");
    assertStringIncludes(await waiting, "it broke");
    assertEquals(notices.length, 1);
    assertEquals(await run("echo", "again"), "again");
  }));

Deno.test("client lets a worker go that has nothing to do, and tells the next what it knew", () =>
  withStubborn(
    {},
    "never",
    async ({ run, notices }) => {
      assertEquals(await run("memory"), "nothing");
      while (await run("memory") === "nothing") await new Promise((resolve) => setTimeout(resolve, 5));
      assertEquals(await run("memory"), "what I knew");
      assertEquals(notices, []);
    },
    0,
  ));

Deno.test("client keeps a worker in which a call waits", () =>
  withStubborn(
    {},
    "never",
    async ({ run }) => {
      const abort = new AbortController();
      const waiting = run("wait", null, abort.signal);
      // As many chances to be let go as the test above needs, and more.
      for (let n = 0; n < 20; n++) {
        assertEquals(await run("memory"), "nothing");
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      abort.abort();
      assertEquals(await waiting, "ended: cancelled");
    },
    0,
  ));

Deno.test("client: a worker that cannot be started is an error result", () =>
  withStubborn({ workerUrl: new URL("./workers/none.ts", import.meta.url) }, "never", async ({ run }) => {
    assertStringIncludes(await run("echo", "x"), "failure: The sandbox's worker");
  }));

Deno.test("client: who decides is who the mode names", async () => {
  await withStubborn({}, "never", async ({ run, decisions }) => {
    assertEquals(await run("ask"), "no");
    assertEquals(decisions, ["run x false mode"]);
  });
  await withStubborn({}, "always", async ({ run, decisions }) => {
    assertEquals(await run("ask"), "yes");
    assertEquals(decisions, ["run x true mode"]);
  });
  await withStubborn(
    { approve: () => Promise.resolve({ allow: true }) },
    "ask",
    async ({ run, decisions }) => {
      assertEquals(await run("ask"), "yes");
      assertEquals(decisions, ["run x true person"]);
    },
  );
});

Deno.test("client: a cancel withdraws an open question, also where the worker stands still for it", () => {
  const { promise: asked, resolve } = Promise.withResolvers<AbortSignal>();
  return withStubborn(
    {
      approve(_request, signal) {
        resolve(signal);
        return new Promise(() => {});
      },
    },
    "ask",
    async ({ run }) => {
      const abort = new AbortController();
      const result = run("ask", null, abort.signal);
      const signal = await asked;
      abort.abort();
      assertEquals(await result, "no");
      assert(signal.aborted);
    },
  );
});

Deno.test("client: after close nothing runs, and the temporary folder is gone", () =>
  withStubborn({}, "never", async ({ sheath, run, tempDir }) => {
    await run("echo", "x");
    assert(Deno.statSync(tempDir).isDirectory);
    const waiting = run("wait");
    await sheath.close();
    assertEquals(await waiting, "ended: cancelled");
    assertStringIncludes(await run("echo", "x"), "failure: The sandbox is closed");
    assertThrows(() => Deno.statSync(tempDir), Deno.errors.NotFound);
  }));

Deno.test({
  name: "client: a worker that claims a yes which nobody has given opens nothing outside of the roots",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const outside = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "client-outside-" }));
    try {
      // Here somebody could be asked, so that such a file can be asked for at all.
      await withStubborn({}, "ask", async ({ run }) => {
        const answer = JSON.parse(await run("forge", `${outside}/made`));
        assertEquals(answer.ask?.action.path, `${outside}/made`);
        assertEquals([...Deno.readDirSync(outside)], []);
      });
    } finally {
      Deno.removeSync(outside, { recursive: true });
    }
  },
});
