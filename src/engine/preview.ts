/** The system prompt that a new session in a folder would begin with, without beginning one. */
import type { Config } from "../config/mod.ts";
import { createMemorySession } from "../session/mod.ts";
import { allTools } from "../tools/mod.ts";
import { createPromptContext } from "./prompt_context.ts";
import { chooseTools } from "./tools.ts";

/** What a first request would begin with. */
export interface PromptPreview {
  readonly text: string;
  /** What was left out, and why. */
  readonly warnings: readonly string[];
}

/** Renders it as a first prompt would. `reserved`: names of built-in commands. */
export async function previewPrompt(
  { config, cwd, reserved }: {
    readonly config: Config;
    readonly cwd: string;
    readonly reserved: readonly string[];
  },
): Promise<PromptPreview> {
  const warnings: string[] = [];
  const tools = chooseTools(allTools, { ...config.settings.tools, only: undefined, people: false });
  const prompts = createPromptContext({
    config,
    cwd,
    session: createMemorySession({ cwd }),
    tools: tools.map(({ name }) => name),
    reserved,
    clock: () => new Date(),
    warn: (text) => void warnings.push(text),
    clean: (text) => text,
  });
  const news = await prompts.news();
  return { text: news?.text ?? "", warnings };
}
