/**
 * The model that a session's requests go to, which may be changed between
 * requests: everything asks for it when it needs it and keeps none.
 */
import { type Config, type Resolved, resolveModel } from "../config/mod.ts";
import { modelName, type Provider, type Thinking } from "../llm/mod.ts";
import type { Model } from "../llm/model.ts";
import { withKnownModel } from "./known_model.ts";

/** The model that answers; it may change between requests. */
export interface ModelInUse {
  readonly model: Model;
  /** "provider/id" */
  readonly name: string;
  /** Undefined: the model's own. */
  readonly thinking: Thinking | undefined;
  /** Whatever model is in use when a request is sent. */
  readonly provider: Provider;
  /** Takes another; what the user should know of it. Throws ConfigError for a name that nothing is known of. */
  choose(name: string): Promise<readonly string[]>;
  think(level: Thinking): void;
}

export interface ModelOptions {
  readonly config: Config;
  readonly first: Resolved;
  readonly thinking: Thinking | undefined;
  readonly limits: { readonly budgetUsd?: number };
  /** How its server is reached; `onWindow` hears how large a local server says that its window is. */
  open(resolved: Resolved, onWindow: (contextWindow: number) => void): Provider;
}

export function useModel({ config, first, thinking, limits, open }: ModelOptions): ModelInUse {
  // A window that nobody has named is what the server says it is; of one that is named, the smaller counts.
  const learn = (name: string) => (contextWindow: number) => {
    const { model } = now.resolved;
    if (modelName(model) !== name || (model.contextWindow ?? Infinity) <= contextWindow) return;
    now = { ...now, resolved: { ...now.resolved, model: { ...model, contextWindow } } };
  };
  const opened = (resolved: Resolved) => open(resolved, learn(modelName(resolved.model)));
  let now = { resolved: first, provider: opened(first), thinking };
  return {
    get model() {
      return now.resolved.model;
    },
    get name() {
      return modelName(now.resolved.model);
    },
    get thinking() {
      return now.thinking;
    },
    provider: { stream: (request, signal) => now.provider.stream(request, signal) },
    async choose(name) {
      const { model } = await withKnownModel({ model: resolveModel(config, name), limits });
      now = { ...now, resolved: model, provider: opened(model) };
      return model.warnings;
    },
    think(level) {
      now = { ...now, thinking: level };
    },
  };
}
