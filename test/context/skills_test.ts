import { assertEquals, assertStringIncludes } from "@std/assert";
import { expandSkill, loadSkills } from "../../src/context/skills.ts";

async function folder(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "myelin-test-" }));
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(`${root}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(`${root}/${path}`, text);
  }
  return root;
}

const skill = (name: string, description: string, more = "") =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\nBody of ${name}.\n`;

Deno.test("loadSkills() finds nested ones, with BOM and CRLF, sorted, the first folder winning a clash", async () => {
  const root = await folder({
    "agents/zeta/SKILL.md": skill("zeta", "Last.", 'argument-hint: "[file]"\n'),
    "agents/group/nested/SKILL.md": skill("nested", "One deeper."),
    "agents/crlf/SKILL.md": '\ufeff---\r\nname: crlf\r\ndescription: "Colon: inside"\r\n---\r\nBody.\r\n',
    "claude/zeta/SKILL.md": skill("zeta", "Another."),
    "claude/zeta/sub/SKILL.md": skill("hidden-in-a-skill", "Part of it."),
  });
  await Deno.symlink("..", `${root}/agents/group/ring`);
  const folders = [
    { path: `${root}/agents`, from: "project" as const },
    { path: `${root}/claude`, from: "project" as const },
    { path: `${root}/none`, from: "user" as const },
  ];
  const { skills, warnings } = await loadSkills({ folders, reserved: [] });
  assertEquals(skills.map(({ name, description }) => `${name}: ${description}`), [
    "crlf: Colon: inside",
    "nested: One deeper.",
    "zeta: Last.",
  ]);
  assertEquals(skills[2].argumentHint, "[file]");
  assertEquals(
    expandSkill(skills[2], "a.txt"),
    `<skill name="zeta" path="${root}/agents/zeta/SKILL.md">\nBody of zeta.\n</skill>\n\na.txt`,
  );
  assertEquals(warnings.length, 1);
  assertStringIncludes(warnings[0], `${root}/claude/zeta/SKILL.md`);
  assertStringIncludes(warnings[0], `${root}/agents/zeta/SKILL.md, which wins`);
  await Deno.remove(root, { recursive: true });
});

Deno.test("loadSkills() names what is broken with file and line, and goes on", async () => {
  const root = await folder({
    "a/SKILL.md": "Just text.\n",
    "b/SKILL.md": "---\nname: b\ndescription: has: a: colon\n  - and: [broken\n---\nBody.\n",
    "c/SKILL.md": "---\nname: c\n---\nBody.\n",
    "d/SKILL.md": skill("no good name!", "x"),
    "e/SKILL.md": skill("help", "Taken."),
    "f/SKILL.md": skill("fine", "Fine."),
  });
  const { skills, warnings } = await loadSkills({
    folders: [{ path: root, from: "user" }],
    reserved: ["help"],
  });
  assertEquals(skills.map(({ name }) => name), ["fine"]);
  assertEquals(warnings.length, 5);
  assertStringIncludes(warnings[0], `${root}/a/SKILL.md:1:`);
  assertStringIncludes(warnings[1], `${root}/b/SKILL.md:3:`);
  assertStringIncludes(warnings[2], "no description");
  assertStringIncludes(warnings[4], '"/help" is a built-in command');
  await Deno.remove(root, { recursive: true });
});
