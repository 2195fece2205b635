/**
 * Writes the declared part of each tool in docs/tools.md anew (what the model
 * reads, arguments, effects), so that the page cannot drift from the tools;
 * the prose between is written by hand. `deno run -A scripts/tool_docs.ts`
 */
import { shortForm } from "../src/lib/schema.ts";
import { allTools, type Tool } from "../src/tools/mod.ts";

/** The page with the declared parts as they should be. Throws where a tool has no place in it. */
export function withTools(page: string): string {
  return allTools.reduce((text, tool) => {
    const [open, close] = [`<!-- ${tool.name} -->\n`, `<!-- /${tool.name} -->`];
    const start = text.indexOf(open);
    const end = text.indexOf(close);
    if (start < 0 || end < start) throw new Error(`docs/tools.md has no place for "${tool.name}"`);
    return text.slice(0, start + open.length) + declared(tool) + text.slice(end);
  }, page);
}

function declared(tool: Tool): string {
  const traits = [
    `set \`${tool.set}\``,
    tool.effects === "read" ? "only reads" : "changes things",
    tool.replay === "safe" ? "may be repeated after a crash" : "never repeated after a crash",
    tool.runsIn === "sheath" ? "runs in the sheath" : "runs in the main isolate",
  ];
  return `> ${tool.description}\n\n\`${tool.name} ${shortForm(tool.schema)}\` · ${traits.join(" · ")}\n`;
}

if (import.meta.main) {
  const path = new URL("../docs/tools.md", import.meta.url);
  await Deno.writeTextFile(path, withTools(await Deno.readTextFile(path)));
}
