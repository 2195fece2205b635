import { assertEquals, assertStringIncludes } from "@std/assert";
import { foldersFromRoot, openInstructions } from "../../src/context/instructions.ts";

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
  openInstructions({ cwd, homes, names: ["AGENTS.md", "CLAUDE.md"], project: true }).initial();

Deno.test("openInstructions() goes from the user's folder over the repository's root to the folder, never above", async () => {
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

Deno.test("openInstructions() counts a file behind two names once, and leaves BOM and CR out", async () => {
  const root = await repository({ ".git/HEAD": "", "AGENTS.md": "\ufeffone\r\ntwo\r\n" });
  await Deno.symlink("AGENTS.md", `${root}/CLAUDE.md`);
  assertEquals(load(root).files.map((file) => file.text), ["one\ntwo\n"]);
  await Deno.remove(root, { recursive: true });
});

Deno.test("openInstructions() names what it cannot use and goes on", async () => {
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

Deno.test("openInstructions() follows no link that carries something else to the provider", async () => {
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

Deno.test("openInstructions() follows the links of the user's own folder", async () => {
  const root = await repository({ "dotfiles/agents": "mine", "home/x": "", "ws/x": "" });
  await Deno.symlink("../dotfiles/agents", `${root}/home/AGENTS.md`);
  assertEquals(load(`${root}/ws`, [`${root}/home`]).files.map((file) => file.text), ["mine"]);
  await Deno.remove(root, { recursive: true });
});

Deno.test("openInstructions() decodes UTF-16 with its mark", async () => {
  const text = "RULE: gr\u00f6\u00dfer\r\n";
  const bytes = new Uint8Array(2 + text.length * 2);
  bytes.set([0xff, 0xfe]);
  for (let i = 0; i < text.length; i++) bytes.set([text.charCodeAt(i), 0], 2 + i * 2);
  const root = await repository({ ".git/HEAD": "", "AGENTS.md": bytes });
  assertEquals(load(root).files.map((file) => file.text), ["RULE: gr\u00f6\u00dfer\n"]);
  await Deno.remove(root, { recursive: true });
});

Deno.test("openInstructions() follows includes within the repository, once each, rings cut", async () => {
  const root = await repository({
    "outside.md": "OUTSIDE",
    "repo/.git/HEAD": "",
    "repo/AGENTS.md":
      "start\n@./docs/a.md\n@../outside.md\n@~/.ssh/config\n@./none.md\n@nobody\n`@docs/c.md`\n",
    "repo/docs/a.md": "A\n@./b.md\n",
    "repo/docs/b.md": "B\n@./a.md\n",
    "repo/docs/c.md": "C",
  });
  await Deno.symlink(`${root}/outside.md`, `${root}/repo/link.md`);
  await Deno.writeTextFile(`${root}/repo/docs/b.md`, "B\n@./a.md\n@../link.md\n");
  const { files, warnings } = load(`${root}/repo`);
  assertEquals(files.map((file) => file.text.split("\n")[0]), ["start", "A", "B"]);
  for (const left of ["@../outside.md", "@~/.ssh/config", "none.md", "@../link.md"]) {
    assertEquals(warnings.filter((warning) => warning.includes(left)).length, 1, `${left}: ${warnings}`);
  }
  assertEquals(warnings.length, 4);
  await Deno.remove(root, { recursive: true });
});

Deno.test("openInstructions() gives the instructions of a touched folder once, outermost first, those of the start never again", async () => {
  const root = await repository({
    ".git/HEAD": "",
    "AGENTS.md": "root",
    "a/AGENTS.md": "middle",
    "a/b/AGENTS.md": "deep",
    "c/AGENTS.md": "other",
  });
  const loader = openInstructions({ cwd: root, homes: [], names: ["AGENTS.md"], project: true });
  const texts = (path: string) => loader.touched(path).files.map((file) => file.text);
  assertEquals(loader.initial().files.map((file) => file.text), ["root"]);
  assertEquals(texts(`${root}/a/b/x.ts`), ["middle", "deep"]);
  assertEquals(texts(`${root}/a/b/y.ts`), []);
  await Deno.mkdir(`${root}/d`);
  await Deno.writeTextFile(`${root}/d/AGENTS.md`, "of a folder itself");
  assertEquals(texts(`${root}/d`), ["of a folder itself"]);
  assertEquals(texts(`${root}/../elsewhere/x.ts`), []);
  loader.known([`${root}/c/AGENTS.md`]);
  assertEquals(texts(`${root}/c/z.ts`), []);
  await Deno.remove(root, { recursive: true });
});
