/** Calls that are handed over before they may begin. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { withSheath } from "./sheath_fixture.ts";

/** Time in which a call that did not wait would have had its effect. */
async function aWhile(): Promise<void> {
  for (let i = 0; i < 30; i++) await new Promise((resolve) => setTimeout(resolve, 1));
}

function names(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name);
}

Deno.test("sheath: a call that may not begin has no effect before it may", () =>
  withSheath({}, async ({ workspace, run }) => {
    await run("bash", { command: "true" });
    const { promise, resolve } = Promise.withResolvers<void>();
    const running = run("bash", { command: "echo made > made.txt; cat made.txt" }, { begin: promise });
    await aWhile();
    assertEquals(names(workspace), ["plain.txt"]);
    resolve();
    assertEquals((await running).text, "made\n");
  }));

Deno.test("sheath: calls side by side that wait all run, the first one before the worker is there, too", () =>
  withSheath({}, async ({ run }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const running = ["plain.txt", "none.txt", "plain.txt"].map((path) =>
      run("read", { path }, { begin: promise })
    );
    await aWhile();
    resolve();
    const results = await Promise.all(running);
    assertEquals(results.map(({ isError }) => isError), [false, true, false]);
    assertStringIncludes(results[2].text, "plain");
  }));

Deno.test("sheath: a call that was cancelled before it began never begins, and the worker goes on", () =>
  withSheath({}, async ({ workspace, run, notices }) => {
    await run("bash", { command: "true" });
    const abort = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    const running = run("bash", { command: "echo 1 > made.txt" }, { begin: promise, signal: abort.signal });
    await aWhile();
    abort.abort();
    assertStringIncludes((await running).text, "Cancelled");
    resolve();
    assertEquals((await run("bash", { command: "cat made.txt; echo on" })).text.endsWith("on\n"), true);
    assertEquals(names(workspace), ["plain.txt"]);
    assertEquals(notices, []);
  }));

Deno.test("sheath: a call whose beginning is refused never begins", () =>
  withSheath({}, async ({ workspace, run }) => {
    const begin = Promise.reject(new Error("the disk is full"));
    const { isError } = await run("bash", { command: "echo 1 > made.txt" }, { begin });
    assertEquals(isError, true);
    assertEquals((await run("bash", { command: "ls" })).text, "plain.txt\n");
    assertEquals(names(workspace), ["plain.txt"]);
  }));
