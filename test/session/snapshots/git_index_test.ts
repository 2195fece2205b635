import { assertEquals } from "@std/assert";
import { NOTHING_TRACKED, parseIndex } from "../../../src/session/snapshots/git_index.ts";
import { inFolder } from "../sample.ts";

const NO_GIT = (Deno.env.get("MYELIN_MISSING") ?? "").split(",").includes("git");

function git(folder: string, ...args: string[]): void {
  const { success, stderr } = new Deno.Command("git", {
    args,
    cwd: folder,
    env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
  }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

const FILES = ["a", "dir/b", "dir/deeper/with a long name that differs.txt", "dir/deeper/with ümlaut", "z"];

for (
  const [name, init, ...more] of [
    ["version 2", []],
    ["version 3", [], ["add", "--intent-to-add", "later"]],
    ["version 4", [], ["update-index", "--index-version", "4"]],
    ["SHA-256", ["--object-format=sha256"]],
  ] as const
) {
  Deno.test(`parseIndex() reads what git tracks, ${name}`, { ignore: NO_GIT }, () =>
    inFolder((folder) => {
      git(folder, "init", "-q", ...init);
      for (const file of FILES) {
        Deno.mkdirSync(`${folder}/${file.split("/").slice(0, -1).join("/")}`, { recursive: true });
        Deno.writeTextFileSync(`${folder}/${file}`, file);
      }
      Deno.writeTextFileSync(`${folder}/later`, "");
      git(folder, "add", ...FILES);
      for (const command of more) git(folder, ...command);
      const { files, folders } = parseIndex(Deno.readFileSync(`${folder}/.git/index`));
      assertEquals([...files].sort(), [...FILES, ...(name === "version 3" ? ["later"] : [])].sort());
      assertEquals([...folders].sort(), ["dir", "dir/deeper"]);
    }));
}

Deno.test("parseIndex() takes what is no index, or half of one, for nothing tracked", () => {
  for (const text of ["", "DIRC", "DIRC\0\0\0\x02\0\0\0\x05 and no more", "something else entirely"]) {
    assertEquals(parseIndex(new TextEncoder().encode(text)), NOTHING_TRACKED);
  }
});
