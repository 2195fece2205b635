/**
 * What is known of a model before the settings have their say. The door
 * through which the embedded catalog will speak; until there is one, every
 * model is unknown: no window, no prices, text only.
 */
import type { Model } from "../model.ts";

/** What settings may say of a model; each field that is there wins. */
export type ModelSettings = Partial<Omit<Model, "provider" | "id">>;

/** The model of that name, with the settings laid over what is known. */
export function lookupModel(provider: string, id: string, settings: ModelSettings = {}): Model {
  const { reasoning = false, images = false, options = {}, contextWindow, maxOutput, cost } = settings;
  return {
    provider,
    id,
    reasoning,
    images,
    options,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutput === undefined ? {} : { maxOutput }),
    ...(cost === undefined ? {} : { cost }),
  };
}
