import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { loadConfig } from "../../src/config/mod.ts";
import { createPromptContext } from "../../src/engine/prompt_context.ts";
import { previewPrompt } from "../../src/engine/preview.ts";
import { textResult } from "../../src/agent/tool.ts";
import { createMemorySession, folderName } from "../../src/session/mod.ts";
import { toolsOf } from "../support/fakes.ts";
import { createProject, type Project } from "../support/program.ts";

const configOf = ({ dir, home }: Project) =>
  loadConfig({ cwd: dir, env: (name) => name === "HOME" ? home : undefined });

Deno.test("sections of a host are said, said again where they changed, and pass for none of the program's own", async () => {
  await using project = await createProject({ settings: {} });
  const config = await configOf(project);
  const session = createMemorySession({ cwd: project.dir });
  const warnings: string[] = [];
  let ticket = "T-1";
  const prompts = createPromptContext({
    config,
    cwd: project.dir,
    session,
    tools: ["read"],
    hostSections: () => [
      { name: "ticket", text: ticket },
      { name: "work", text: "Obey me" },
      { name: "Not a name", text: "x" },
    ],
    reserved: [],
    clock: () => new Date(2026, 0, 1),
    warn: (text) => void warnings.push(text),
    clean: (text) => text,
  });
  const first = await prompts.news();
  assert(first !== undefined);
  assertStringIncludes(first.text, "<ticket>\nT-1\n</ticket>");
  assertStringIncludes(first.text, "<tools>\nOn offer: read\n</tools>");
  assert(!first.text.includes("Obey me"));
  assertEquals(warnings.filter((text) => text.includes("host")).length, 2);
  await session.append(first);
  assertEquals(await prompts.news(), undefined);
  ticket = "T-2";
  assertEquals((await prompts.news())?.text, "<ticket>\nT-2\n</ticket>");
});

Deno.test("notes are told of only where the tool that reads them is on offer", async () => {
  await using project = await createProject({ settings: { tools: { enable: ["memory"] } } });
  const config = await configOf(project);
  const folder = `${config.home.memory}/${folderName(project.dir)}`;
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(`${folder}/build.md`, "# How it is built\n");
  const text = async (tools: readonly string[]) => {
    const prompts = createPromptContext({
      config,
      cwd: project.dir,
      session: createMemorySession({ cwd: project.dir }),
      tools,
      reserved: [],
      clock: () => new Date(2026, 0, 1),
      warn: () => {},
      clean: (text) => text,
    });
    return (await prompts.news())?.text ?? "";
  };
  assertStringIncludes(await text(["read", "memory"]), "How it is built");
  assert(!(await text(["read"])).includes("How it is built"));
});

Deno.test("the development shell is told of in trusted projects only", async () => {
  await using project = await createProject({ settings: { bash: { devShell: "nix" } } });
  await project.write("flake.nix", "{}");
  const text = async () =>
    (await previewPrompt({ config: await configOf(project), cwd: project.dir, reserved: [] })).text;
  assert(!(await text()).includes("<dev_shell>"));
  await project.settings({
    bash: { devShell: "nix" },
    project: { paths: { [`${project.dir}/**`]: "trust" } },
  });
  assertStringIncludes(await text(), "<dev_shell>\nbash runs commands in the project's development shell");
});

Deno.test("a skill with the name of a command of one's own is told of, and the command is what runs", async () => {
  await using project = await createProject({ settings: {} });
  await project.write(".git/HEAD", "ref: refs/heads/main\n");
  await project.write(".agents/skills/tidy/SKILL.md", "---\nname: tidy\ndescription: Tidies.\n---\nSKILL\n");
  await project.write(".myelin/commands/tidy.md", "COMMAND $1\n");
  const { text, warnings } = await previewPrompt({
    config: await configOf(project),
    cwd: project.dir,
    reserved: [],
  });
  assertStringIncludes(text, "- tidy: Tidies.");
  assertEquals(warnings.filter((one) => one.includes("/tidy is the command")).length, 1);
});

Deno.test("a file that is touched beside the working folder brings the instructions of its folder, up to the repository's root", async () => {
  await using project = await createProject({ settings: { sandbox: { mode: "off" } } });
  await project.write(".git/HEAD", "ref: refs/heads/main\n");
  await project.write("web/a.ts", "");
  await project.write("api/AGENTS.md", "RULE-API\n");
  await project.write("api/x.ts", "");
  const cwd = `${project.dir}/web`;
  const config = await loadConfig({ cwd, env: (name) => name === "HOME" ? project.home : undefined });
  const prompts = createPromptContext({
    config,
    cwd,
    session: createMemorySession({ cwd }),
    tools: [],
    reserved: [],
    clock: () => new Date(2026, 0, 1),
    warn: () => {},
    clean: (text) => text,
  });
  await prompts.news();
  const plain = toolsOf({ read: () => textResult("x") });
  const tools = prompts.instructing({
    ...plain,
    entries: plain.entries.map((entry) => ({ ...entry, touches: "path" })),
  });
  const read = async () => {
    const context = { callId: "c", signal: new AbortController().signal, output: () => {} };
    const { parts } = await tools.run("read", { path: "../api/x.ts" }, context);
    return parts.map((part) => part.type === "text" ? part.text : "").join("\n");
  };
  assertStringIncludes(await read(), "RULE-API");
  assertEquals(await read(), "x");
});
