import { assertEquals } from "@std/assert";
import type { Appeared } from "../../src/sandbox/worker/appeared.ts";
import { gitlinks } from "../../src/sandbox/worker/gitlinks.ts";
import { withPair } from "./worker_pair.ts";

const HAS_GIT = await new Deno.Command("git", { args: ["--version"], stdout: "null" }).output()
  .then(({ success }) => success, () => false);

function git(folder: string, ...args: string[]): void {
  const { success, stderr } = new Deno.Command("git", {
    args: ["-C", folder, "-c", "user.name=n", "-c", "user.email=n@example.org", ...args],
    stdout: "null",
  }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

function nested(folder: string, format: string): void {
  Deno.mkdirSync(folder);
  git(folder, "init", "-q", `--object-format=${format}`);
  Deno.writeTextFileSync(`${folder}/file`, folder);
  git(folder, "add", "file");
  git(folder, "commit", "-qm", "first");
}

for (const format of ["sha1", "sha256"]) {
  for (const version of ["2", "3", "4"]) {
    Deno.test({
      name: `gitlinks() finds the repositories in an index of version ${version} with ${format}`,
      ignore: !HAS_GIT,
      fn: () => {
        const top = Deno.makeTempDirSync({ prefix: "gitlinks-test-" });
        try {
          git(top, "init", "-q", `--object-format=${format}`);
          for (const name of ["a.txt", "ab.txt", "lib0", "z"]) Deno.writeTextFileSync(`${top}/${name}`, name);
          nested(`${top}/lib`, format);
          nested(`${top}/libäx`, format);
          git(top, "-c", "advice.addEmbeddedRepo=false", "add", ".");
          if (version === "3") {
            git(top, "rm", "-q", "--cached", "a.txt");
            git(top, "add", "--intent-to-add", "a.txt");
          }
          git(top, "update-index", "--index-version", version);
          assertEquals(gitlinks(Deno.readFileSync(`${top}/.git/index`)), ["lib", "libäx"]);
        } finally {
          Deno.removeSync(top, { recursive: true });
        }
      },
    });
  }
}

Deno.test("gitlinks() of what is no index is nothing", () => {
  for (const text of ["", "DIRC", "x".repeat(1000), "DIRC\0\0\0\x02\0\0\0\x09" + "y".repeat(100)]) {
    assertEquals(gitlinks(new TextEncoder().encode(text)), []);
  }
});

Deno.test({
  name:
    "a repository inside of the repository that a program adds or changes is told, and one that stays is not",
  ignore: Deno.build.os !== "linux" || !HAS_GIT,
  fn: async () => {
    const told: string[] = [];
    const appeared = (places: readonly Appeared[]) => void told.push(...places.map(({ path }) => path));
    await withPair({ wrapper: "real", appeared }, async (pair) => {
      const { workspace } = pair;
      git(workspace, "init", "-q");
      nested(`${workspace}/old`, "sha1");
      git(workspace, "-c", "advice.addEmbeddedRepo=false", "add", "old");
      const add = (name: string) =>
        `git init -q ${name} && cd ${name} && echo x > f && git add f && ` +
        `git -c user.name=n -c user.email=n@example.org commit -qm x && cd .. && git add ${name} 2> warning`;
      assertEquals((await pair.sh(`cat old/.git/config > seen; echo x > old/file; ${add("new")}`)).code, 0);
      assertEquals(told, [`${workspace}/new/.git`]);
      await pair.sh("echo x > new/file; git -C new add file");
      assertEquals(told.length, 1);
      await pair.sh("echo '[core]fsmonitor=evil' >> old/.git/config");
      assertEquals(told.slice(1), [`${workspace}/old/.git`]);
    });
  },
});
