import { assertEquals, assertStringIncludes } from "@std/assert";
import { appearedText } from "../../src/sandbox/worker/appeared.ts";
import { withPair } from "./worker_pair.ts";

Deno.test({
  name:
    "a place for editors that a program makes where none was is told once, and protected from the next one",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const told: (readonly string[])[] = [];
    await withPair({ wrapper: "real", appeared: (paths) => void told.push(paths) }, async (pair) => {
      await pair.sh("echo x > a; git init -q .; echo y > b");
      assertEquals(told, []);
      await pair.sh("mkdir .vscode; echo x > .envrc");
      assertEquals(told, [[`${pair.workspace}/.vscode`, `${pair.workspace}/.envrc`]]);
      const { out } = await pair.sh("echo y > .vscode/tasks.json; echo y > .envrc");
      assertStringIncludes(out, "Read-only file system");
      assertEquals(told.length, 1);
    });
  },
});

Deno.test("what is there from the beginning is told of never", async () => {
  const told: unknown[] = [];
  const appeared = (paths: readonly string[]) => void told.push(paths);
  await withPair({ appeared }, async (pair) => {
    Deno.mkdirSync(`${pair.workspace}/.idea`);
    await pair.sh("true");
    Deno.writeTextFileSync(`${pair.workspace}/.idea/x`, "");
    await pair.sh("true");
  });
  assertEquals(told, []);
  assertStringIncludes(appearedText(["/ws/.envrc"]), "/ws/.envrc");
});
