import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  changedSections,
  digestSections,
  inForce,
  joinSections,
  renderSections,
  sections,
} from "../../src/context/mod.ts";
import type { PromptInput } from "../../src/context/section.ts";

const INPUT: PromptInput = {
  cwd: "/ws",
  platform: "Linux",
  date: "2026-01-31",
  sandbox: "workspace: below the folder only",
  instructions: [{ path: "/ws/AGENTS.md", text: "Use tabs.\n" }],
  skills: [{
    name: "count",
    description: "Counts.",
    path: "/ws/.agents/skills/count/SKILL.md",
    from: "project",
  }],
  docs: ["sandbox"],
  schemes: ["artifact://N: a full output"],
  files: new Map(),
};

Deno.test("the prompt is its sections in order, the same bytes for the same input", () => {
  const rendered = renderSections(sections, INPUT);
  assertEquals(rendered.map((section) => section.name), [
    "system",
    "docs",
    "schemes",
    "work",
    "prose",
    "project_context",
    "skills",
    "cwd",
    "date",
  ]);
  const text = joinSections(rendered);
  assertEquals(text, joinSections(renderSections(sections, structuredClone(INPUT))));
  assertStringIncludes(
    text,
    '<project_context>\n<file path="/ws/AGENTS.md">\nUse tabs.\n</file>\n</project_context>',
  );
  assertStringIncludes(
    text,
    "<cwd>\nFolder: /ws\nPlatform: Linux\nSandbox: workspace: below the folder only\n</cwd>",
  );
});

Deno.test("a section with nothing to say is left out", () => {
  const names = renderSections(sections, { ...INPUT, instructions: [] }).map((section) => section.name);
  assertEquals(names.includes("project_context"), false);
});

Deno.test("a file of the user stands in for a section's text; an empty one switches it off", () => {
  const files = new Map([["SYSTEM.md", "You are a parrot."], ["WORK.md", ""]]);
  const rendered = renderSections(sections, { ...INPUT, files });
  assertEquals(rendered.find(({ name }) => name === "system")?.text, "You are a parrot.");
  assertEquals(rendered.some(({ name }) => name === "work"), false);
  assertEquals(rendered.some(({ name }) => name === "prose"), true);
});

Deno.test("changedSections() says only what changed, and that a section is gone", () => {
  const first = renderSections(sections, INPUT);
  const said = [digestSections(first)];
  assertEquals(changedSections(inForce(said), first), []);
  const later = renderSections(sections, { ...INPUT, date: "2026-02-01", skills: [] });
  const changed = changedSections(inForce(said), later);
  assertEquals(changed, [{ name: "date", text: "2026-02-01" }, {
    name: "skills",
    text: "(no longer holds)",
  }]);
  said.push(digestSections(changed));
  assertEquals(changedSections(inForce(said), later), []);
  // And back again: the skills are said anew.
  assertEquals(changedSections(inForce(said), first).map(({ name }) => name), ["skills", "date"]);
});

Deno.test("dev_shell is there only where commands run in one, and the tools on offer are named where there are any", () => {
  const names = (more: Partial<PromptInput>) =>
    renderSections(sections, { ...INPUT, ...more }).map((section) => section.name);
  assertEquals(names({}).filter((name) => name === "dev_shell" || name === "tools"), []);
  assertEquals(
    names({ devShell: "nix", tools: ["read", "ls"] }).join(" "),
    "system docs tools schemes work prose project_context skills cwd dev_shell date",
  );
  const [shell] = renderSections(sections, { ...INPUT, devShell: "direnv" }).filter(({ name }) =>
    name === "dev_shell"
  );
  assertStringIncludes(shell.text, ".envrc");
});
