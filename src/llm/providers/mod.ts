/** The wire protocols, one line each. A protocol is loaded when a model of it is first used. */
import type { ProviderKind } from "../provider.ts";
import type { SampleFile } from "./demo/mod.ts";

export type { SampleFile };

/** A protocol that is not loaded yet. */
export interface ProviderEntry {
  /** The name in the settings. */
  readonly api: string;
  readonly load: () => Promise<ProviderKind>;
}

/** In the order in which an error lists them. */
export const providers: readonly ProviderEntry[] = [
  {
    api: "openai-completions",
    load: async () => (await import("./openai_completions/mod.ts")).openaiCompletions,
  },
  {
    api: "anthropic-messages",
    load: async () => (await import("./anthropic_messages/mod.ts")).anthropicMessages,
  },
  {
    api: "openai-responses",
    load: async () => (await import("./openai_responses/mod.ts")).openaiResponses,
  },
  {
    api: "openai-codex-responses",
    load: async () => (await import("./openai_codex_responses/mod.ts")).openaiCodexResponses,
  },
  { api: "replay", load: async () => (await import("./replay/mod.ts")).replay },
  { api: "demo", load: async () => (await import("./demo/mod.ts")).demo },
];

/** The sample project of demo/tour: its files, and what to ask there. */
export async function loadSample(): Promise<{ files: SampleFile[]; prompt: string }> {
  const { sampleProject, samplePrompt } = await import("./demo/mod.ts");
  return { files: sampleProject(), prompt: samplePrompt };
}
