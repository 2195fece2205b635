import { assertEquals, assertStringIncludes } from "@std/assert";
import { type Appeared, appearedText } from "../../src/sandbox/worker/appeared.ts";
import { withPair } from "./worker_pair.ts";

Deno.test({
  name:
    "a place for editors that a program makes where none was is told once, and protected from the next one",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const told: string[][] = [];
    const appeared = (places: readonly Appeared[]) => void told.push(places.map(({ path }) => path));
    await withPair({ wrapper: "real", appeared }, async (pair) => {
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
  const appeared = (places: readonly Appeared[]) => void told.push(places);
  await withPair({ appeared }, async (pair) => {
    Deno.mkdirSync(`${pair.workspace}/.idea`);
    await pair.sh("true");
    Deno.writeTextFileSync(`${pair.workspace}/.idea/x`, "");
    await pair.sh("true");
  });
  assertEquals(told, []);
  assertStringIncludes(appearedText([{ path: "/ws/.envrc" }]), "/ws/.envrc");
});

Deno.test({
  name: "what git would run, made by a program in a repository that was there, is moved aside and told",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const told: Appeared[] = [];
    const appeared = (places: readonly Appeared[]) => void told.push(...places);
    await withPair({ wrapper: "real", appeared }, async (pair) => {
      const git = `${pair.workspace}/.git`;
      Deno.mkdirSync(git);
      Deno.writeTextFileSync(`${git}/config`, "[core]\n\tbare = false\n");
      await pair.sh("mkdir .git/hooks; echo evil > .git/hooks/pre-commit; echo ../evil > .git/commondir");
      assertEquals(told.map(({ path }) => path), [`${git}/hooks`, `${git}/commondir`]);
      assertEquals(
        [...Deno.readDirSync(git)].map(({ name }) => name.replace(/-[0-9a-f]{8}$/, "")).sort(),
        ["commondir.set-aside", "config", "hooks.set-aside"],
      );
      assertStringIncludes(appearedText(told), told[1].moved!);
      await pair.sh("echo ../evil > .git/commondir");
      assertEquals(told.length, 3, "each time");
      const isThere = "[ -e .git/commondir ]";
      const long = await pair.sh(
        `echo ../evil > .git/commondir; while ${isThere}; do sleep 0.01; done; echo gone`,
      );
      assertEquals([long.out, told.length], ["gone\n", 4], "while the program runs");
      await pair.sh(
        `(echo ../evil > .git/commondir; while ${isThere}; do sleep 0.01; done; echo gone > seen) >&- 2>&- &`,
      );
      while (told.length < 5) await new Promise((resolve) => setTimeout(resolve, 5));
    });
  },
});
