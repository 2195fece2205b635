/** What a request begins with can be looked at before there is a session. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { createProject } from "../support/program.ts";

Deno.test("debug prompt and /context show in a folder without a session what the first request will begin with", async () => {
  await using project = await createProject({ url: "http://127.0.0.1:9/v1" });
  await project.write(".git/HEAD", "ref: refs/heads/main\n");
  await project.write("AGENTS.md", "RULE-ROOT\n");
  await project.write("sub/AGENTS.md", "RULE-SUB\n");
  await project.write(".agents/skills/bad/SKILL.md", "no front matter\n");
  const shown = await project.run(["debug", "prompt"], { cwd: `${project.dir}/sub` });
  assertEquals(shown.code, 0, shown.stderr);
  assert(shown.stdout.indexOf("RULE-ROOT") < shown.stdout.indexOf("RULE-SUB"));
  assertMatch(shown.stderr, /project_context +~\d+ tokens/);
  assertStringIncludes(shown.stderr, "SKILL.md:1: it does not begin with front matter");
  const context = await project.run(["run", "/context"], { cwd: `${project.dir}/sub` });
  assertEquals(context.code, 0, context.stderr);
  assertMatch(context.stdout, /instructions +█+ +~\d+/);
  assertMatch(context.stdout, /sub\/AGENTS\.md {2}~\d+/);
});
