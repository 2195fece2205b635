import { assertEquals, assertStringIncludes } from "@std/assert";
import { foldersFromRoot, loadInstructions } from "../../src/context/instructions.ts";

async function repository(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "myelin-test-" }));
  for (const [path, content] of Object.entries(files)) {
    await Deno.mkdir(`${root}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeFile(
      `${root}/${path}`,
      typeof content === "string" ? new TextEncoder().encode(content) : content,
    );
  }
  return root;
}

const load = (cwd: string, homes: string[] = []) =>
  loadInstructions({ cwd, homes, names: ["AGENTS.md", "CLAUDE.md"], project: true });

Deno.test("loadInstructions() goes from the user's folder over the repository's root to the folder, never above", async () => {
  const root = await repository({
    "home/AGENTS.md": "mine",
    "AGENTS.md": "above the repository",
    "repo/.git/HEAD": "",
    "repo/AGENTS.md": "root",
    "repo/a/CLAUDE.md": "middle",
    "repo/a/b/AGENTS.md": "deep",
  });
  const { files, warnings } = load(`${root}/repo/a/b`, [`${root}/home`]);
  assertEquals(files.map((file) => file.text), ["mine", "root", "middle", "deep"]);
  assertEquals(warnings, []);
  await Deno.remove(root, { recursive: true });
});

Deno.test("loadInstructions() counts a file behind two names once, and leaves BOM and CR out", async () => {
  const root = await repository({ ".git/HEAD": "", "AGENTS.md": "\ufeffone\r\ntwo\r\n" });
  await Deno.symlink("AGENTS.md", `${root}/CLAUDE.md`);
  assertEquals(load(root).files.map((file) => file.text), ["one\ntwo\n"]);
  await Deno.remove(root, { recursive: true });
});

Deno.test("loadInstructions() names what it cannot use and goes on", async () => {
  const root = await repository({
    ".git/HEAD": "",
    "AGENTS.md": new Uint8Array([0x66, 0, 0x6f]),
    "a/AGENTS.md": new Uint8Array([0x63, 0x61, 0x66, 0xe9]),
    "a/b/AGENTS.md": "rule ".repeat(20_000),
    "a/b/c/CLAUDE.md": "fine",
  });
  await Deno.symlink("AGENTS.md", `${root}/a/b/c/AGENTS.md`);
  const fifo = await new Deno.Command("mkfifo", { args: [`${root}/a/CLAUDE.md`] }).output();
  assertEquals(fifo.success, true);
  const { files, warnings } = load(`${root}/a/b/c`);
  assertEquals(files.length, 2);
  assertEquals(files[1].text, "fine");
  for (
    const [path, why] of [
      ["/AGENTS.md", "binary"],
      ["/a/AGENTS.md", "UTF-8"],
      ["/a/CLAUDE.md", "plain file"],
      ["/c/AGENTS.md", "ring"],
      ["/a/b/AGENTS.md", "tokens"],
    ]
  ) {
    assertStringIncludes(
      warnings.find((text) => text.includes(`${root}${path.startsWith("/c") ? "/a/b" : ""}${path}`)) ?? "",
      why,
    );
  }
  await Deno.remove(root, { recursive: true });
});

Deno.test("foldersFromRoot() is the folder alone where there is no repository", async () => {
  const root = await repository({ "x/y/file": "" });
  // A repository above the temporary folder would be found, and there is none.
  assertEquals(foldersFromRoot(`${root}/x/y`), [`${root}/x/y`]);
  await Deno.remove(root, { recursive: true });
});

Deno.test("loadInstructions() follows no link that carries something else to the provider", async () => {
  const root = await repository({
    "outside/secret.md": "CANARY",
    "outside/id_rsa": "CANARY",
    "repo/.git/HEAD": "",
    "repo/key.pem": "CANARY",
    "repo/docs/rules.md": "honest",
    "repo/a/b/c": "",
  });
  await Deno.symlink("../outside/id_rsa", `${root}/repo/AGENTS.md`);
  await Deno.symlink("../outside/secret.md", `${root}/repo/CLAUDE.md`);
  await Deno.symlink("../key.pem", `${root}/repo/a/AGENTS.md`);
  await Deno.symlink("../../docs/rules.md", `${root}/repo/a/b/AGENTS.md`);
  const { files, warnings } = load(`${root}/repo/a/b`);
  assertEquals(files.map((file) => file.text), ["honest"]);
  assertEquals(warnings.length, 3);
  assertStringIncludes(warnings[0], "leads out of the repository");
  assertStringIncludes(warnings[2], "no text of instructions");
  await Deno.remove(root, { recursive: true });
});

Deno.test("loadInstructions() follows the links of the user's own folder", async () => {
  const root = await repository({ "dotfiles/agents": "mine", "home/x": "", "ws/x": "" });
  await Deno.symlink("../dotfiles/agents", `${root}/home/AGENTS.md`);
  assertEquals(load(`${root}/ws`, [`${root}/home`]).files.map((file) => file.text), ["mine"]);
  await Deno.remove(root, { recursive: true });
});
