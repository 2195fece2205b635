/**
 * What the catalog knows of the model that was chosen, laid under what the
 * settings say of it, with what the user should know of the gaps.
 */
import type { Resolved } from "../config/mod.ts";
import { completeModel, modelName } from "../llm/mod.ts";

/** The options with the model whole. The built-in models know themselves. */
export async function withKnownModel<
  T extends { readonly model: Resolved; readonly limits: { readonly budgetUsd?: number } },
>(options: T): Promise<T> {
  const { model: record, provider, own, warnings } = options.model;
  // No server: nothing that a catalog could know.
  if (provider.baseUrl === "") return options;
  const { model, listed, near } = await completeModel({
    provider: provider.name,
    id: record.id,
    baseUrl: provider.baseUrl,
    settings: own,
    assumed: provider.assumed,
  });
  const name = modelName(model);
  const said = [...warnings];
  if (!listed && near !== undefined && Object.keys(own).length === 0) {
    said.push(`${name} is not in the catalog; the nearest name there is ${provider.name}/${near}`);
  }
  if (options.limits.budgetUsd !== undefined && model.cost === undefined) {
    said.push(`The price of ${name} is not known: --budget counts only what its server itself prices`);
  }
  return { ...options, model: { ...options.model, model, warnings: said } };
}
