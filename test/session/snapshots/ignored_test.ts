import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { ObjectStore } from "../../../src/session/snapshots/object_store.ts";
import { Ignored } from "../../../src/session/snapshots/ignored.ts";
import { BY_NAME, type Places } from "../../../src/session/snapshots/places.ts";
import { Shadow } from "../../../src/session/snapshots/shadow.ts";
import { inFolder } from "../sample.ts";

const NO_GIT = (Deno.env.get("MYELIN_MISSING") ?? "").split(",").includes("git");

function git(folder: string, ...args: string[]): string {
  const { success, stdout, stderr } = new Deno.Command("git", {
    args,
    cwd: folder,
    env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
  }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

const FILES = [
  "a.ts",
  "a.log",
  "keep.log",
  "build/out.js",
  "build/keep/in.js",
  "src/a.ts",
  "src/build/x",
  "src/deep/a.log",
  "src/deep/b.ts",
  "docs/x.md",
  "docs/tmp/y.md",
];
const PATTERNS = [
  "*.log",
  "!keep.log",
  "build/",
  "/build",
  "src/*.ts",
  "**/tmp",
  "docs/**",
  "!docs/x.md",
  "deep/",
  "# words",
  "!build/keep/",
  "*.js",
  "",
];

Deno.test("what the shadow keeps is what git does not ignore", { ignore: NO_GIT }, () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...PATTERNS), { maxLength: 5 }),
      fc.array(fc.constantFrom(...PATTERNS), { maxLength: 3 }),
      fc.array(fc.constantFrom(...PATTERNS), { maxLength: 2 }),
      fc.array(fc.constantFrom(...FILES), { maxLength: 3 }),
      (top, inner, excluded, tracked) =>
        inFolder(async (made) => {
          const folder = await Deno.realPath(made);
          const repository = `${folder}/r`;
          Deno.mkdirSync(repository);
          git(repository, "init", "-q");
          for (const file of FILES) {
            Deno.mkdirSync(`${repository}/${file.split("/").slice(0, -1).join("/")}`, { recursive: true });
            Deno.writeTextFileSync(`${repository}/${file}`, file);
          }
          if (tracked.length > 0) git(repository, "add", "-f", ...tracked);
          Deno.writeTextFileSync(`${repository}/.gitignore`, top.join("\n"));
          Deno.writeTextFileSync(`${repository}/src/.gitignore`, inner.join("\n"));
          Deno.writeTextFileSync(`${repository}/.git/info/exclude`, excluded.join("\n"));
          const expected = git(repository, "ls-files", "--cached", "--others", "--exclude-standard", "-z");
          const store = new ObjectStore(`${folder}/objects`);
          const shadow = new Shadow(repository, store);
          await shadow.prepare();
          const kept = [...shadow.kept()].map(([path]) => path.slice(repository.length + 1));
          store.close();
          assertEquals(kept.sort(), [...new Set(expected.split("\0").filter((one) => one !== ""))].sort());
        }),
    ),
    { numRuns: Deno.env.get("MYELIN_FULL") ? 300 : 30 },
  ));

Deno.test(
  "a workspace within a repository is under the rules above it",
  { ignore: NO_GIT },
  () =>
    inFolder(async (made) => {
      const folder = await Deno.realPath(made);
      git(folder, "init", "-q");
      Deno.mkdirSync(`${folder}/part/out`, { recursive: true });
      Deno.writeTextFileSync(`${folder}/.gitignore`, "/part/out/\n*.log\n");
      for (const file of ["out/x", "a.log", "b"]) Deno.writeTextFileSync(`${folder}/part/${file}`, file);
      const store = new ObjectStore(`${folder}/.objects`);
      const shadow = new Shadow(`${folder}/part`, store);
      await shadow.prepare();
      store.close();
      assertEquals([...shadow.kept()].map(([path]) => path), [`${folder}/part/b`]);
    }),
);

Deno.test({
  name: "Ignored reads no pipe, link or endless file in the place of a list, and no file that was swapped",
  ignore: Deno.build.os === "windows",
  fn: () =>
    inFolder(async (made) => {
      const folder = await Deno.realPath(made);
      const judged = (ignored: Ignored) => {
        ignored.refresh();
        return ignored.judge(ignored.within(ignored.layersAbove(folder), folder), "a.log", "a.log", false);
      };
      const list = `${folder}/.gitignore`;
      Deno.mkdirSync(`${folder}/.git/info`, { recursive: true });
      // Nobody writes into it: who opens it waits for ever.
      new Deno.Command("mkfifo", { args: [list, `${folder}/.git/index`] }).outputSync();
      assertEquals(judged(new Ignored(folder)), false);
      Deno.removeSync(list);
      Deno.writeTextFileSync(`${folder}/rules`, "*.log\n");
      Deno.symlinkSync(`${folder}/rules`, list);
      assertEquals(judged(new Ignored(folder)), false);
      Deno.removeSync(list);
      Deno.writeTextFileSync(list, "*.log\n");
      // Far more than there is memory, and nothing but holes.
      Deno.truncateSync(list, 2 ** 40);
      assertEquals(judged(new Ignored(folder)), true);
      Deno.writeTextFileSync(list, "*.log\n");
      const swapping: Places = {
        ...BY_NAME,
        toThing(path, work) {
          if (path === list) {
            Deno.removeSync(list);
            new Deno.Command("mkfifo", { args: [list] }).outputSync();
          }
          return work(path);
        },
      };
      assertEquals(judged(new Ignored(folder, swapping)), false);
    }),
});
