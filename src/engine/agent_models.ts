/**
 * The models of sub-agents: the session's, as it is when a request is sent,
 * or the one that a role names, which stays the same however the session's
 * changes.
 */
import type { ToolEntry } from "../agent/mod.ts";
import { type Config, type Resolved, resolveModel } from "../config/mod.ts";
import type { StreamEvent } from "../llm/event.ts";
import type { Message, Usage } from "../llm/message.ts";
import { costOf, type Provider, type Thinking } from "../llm/mod.ts";
import { withKnownModel } from "./known_model.ts";
import type { ModelInUse } from "./model_in_use.ts";

/** What an agent's requests go to. */
export interface AgentModel {
  stream(
    messages: readonly Message[],
    tools: readonly ToolEntry[],
    signal: AbortSignal,
  ): AsyncIterable<StreamEvent>;
  costOf(usage: Usage): number | undefined;
}

/** What a role says of its model. */
export interface ModelWish {
  readonly model?: string;
  readonly thinking?: Thinking;
}

export interface AgentModelsOptions {
  readonly config: Config;
  readonly use: Pick<ModelInUse, "model" | "thinking" | "provider">;
  readonly limits: { readonly budgetUsd?: number };
  open(resolved: Resolved): Provider;
  /** What a model says, kept from whoever must not see it. */
  words(events: AsyncIterable<StreamEvent>): AsyncIterable<StreamEvent>;
  warn(text: string): void;
}

/** Answers with the model for a role's wish. Throws ConfigError for one that nothing is known of. */
export function agentModels(
  { config, use, limits, open, words, warn }: AgentModelsOptions,
): (wish: ModelWish) => Promise<AgentModel> {
  const opened = new Map<string, Promise<{ resolved: Resolved; provider: Provider }>>();

  /** Once for each name: what it says of itself is told once. */
  function named(name: string): Promise<{ resolved: Resolved; provider: Provider }> {
    const known = opened.get(name);
    if (known !== undefined) return known;
    const made = (async () => {
      const { model: resolved } = await withKnownModel({ model: resolveModel(config, name), limits });
      resolved.warnings.forEach(warn);
      return { resolved, provider: open(resolved) };
    })();
    opened.set(name, made);
    made.catch(() => opened.delete(name));
    return made;
  }

  return async (wish) => {
    const own = wish.model === undefined ? undefined : await named(wish.model);
    const model = () => own?.resolved.model ?? use.model;
    return {
      stream(messages, tools, signal) {
        // The session's level is for the session's model.
        const thinking = wish.thinking ?? (own === undefined ? use.thinking : undefined);
        return words((own?.provider ?? use.provider).stream({
          model: model(),
          messages,
          tools: tools.map(({ name, description, schema }) => ({ name, description, schema })),
          ...(thinking === undefined ? {} : { thinking }),
        }, signal));
      },
      costOf: (usage) => costOf(usage, model()),
    };
  };
}
