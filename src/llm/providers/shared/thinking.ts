/** Thinking levels: which of them a model has, and what the user is told of one that it has not. */
import { type Model, modelName } from "../../model.ts";
import type { LlmRequest, Thinking } from "../../provider.ts";

/** The level that the request asks for; undefined where there is none, or the model cannot. */
export function levelOf({ model, thinking }: LlmRequest): Thinking | undefined {
  if (thinking === undefined || !model.reasoning) return undefined;
  return model.thinkingLevels?.[thinking] === null ? undefined : thinking;
}

/** What the model calls a level; undefined where it has no word of its own for it. */
export function wordOf(model: Model, level: Thinking): string | undefined {
  return model.thinkingLevels?.[level] ?? undefined;
}

/** What the user should know of the level that was asked for. */
export function thinkingNotices({ model, thinking }: LlmRequest): string[] {
  if (thinking === undefined) return [];
  if (!model.reasoning) return [`${modelName(model)} is not known to think: the thinking level is not sent`];
  if (model.thinkingLevels?.[thinking] !== null) return [];
  return [`${modelName(model)} has no thinking level "${thinking}": it thinks as it does by itself`];
}
