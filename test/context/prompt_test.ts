import { assertEquals, assertStringIncludes } from "@std/assert";
import { joinSections, renderSections, sections } from "../../src/context/mod.ts";
import type { PromptInput } from "../../src/context/section.ts";

const INPUT: PromptInput = {
  cwd: "/ws",
  platform: "Linux",
  date: "2026-01-31",
  sandbox: "workspace: below the folder only",
  instructions: [{ path: "/ws/AGENTS.md", text: "Use tabs.\n" }],
};

Deno.test("the prompt is its sections in order, the same bytes for the same input", () => {
  const rendered = renderSections(sections, INPUT);
  assertEquals(rendered.map((section) => section.name), [
    "system",
    "work",
    "prose",
    "project_context",
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
