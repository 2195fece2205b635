/** The wire protocols, one line each. A protocol is loaded when a model of it is first used. */
import type { ProviderKind } from "../provider.ts";

/** A protocol that is not loaded yet. */
export interface ProviderEntry {
  /** The name in the settings. */
  readonly api: string;
  readonly load: () => Promise<ProviderKind>;
}

export const providers: readonly ProviderEntry[] = [
  {
    api: "openai-completions",
    load: async () => (await import("./openai_completions/mod.ts")).openaiCompletions,
  },
];
