/**
 * The model and the thinking level that were chosen in a session, taken up
 * when it goes on in another process. What cannot be taken up any more is
 * told, and changes nothing.
 */
import { AppError } from "../lib/errors.ts";
import type { Thinking } from "../llm/mod.ts";
import type { Projection } from "../session/mod.ts";
import type { ModelInUse } from "./model_in_use.ts";

/** What a session may decide for itself. */
export type SessionChoices = readonly ("model" | "thinking")[];

const LEVELS: readonly Thinking[] = ["off", "low", "medium", "high"];

/** Puts the session's last choices to use; what the user should know of the model that it comes to. */
export async function takeUpChoices(
  chosen: Pick<Projection, "model" | "thinking">,
  use: Pick<ModelInUse, "name" | "choose" | "think">,
  decides: SessionChoices,
): Promise<{ readonly taken: boolean; readonly told: readonly string[] }> {
  const level = LEVELS.find((one) => one === chosen.thinking);
  if (decides.includes("thinking") && level !== undefined) use.think(level);
  if (!decides.includes("model") || chosen.model === undefined || chosen.model === use.name) {
    return { taken: false, told: [] };
  }
  try {
    return { taken: true, told: await use.choose(chosen.model) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const told = `The session's own model, ${chosen.model}, cannot be used any more (${error.message}): ` +
      `going on with ${use.name}. Set it up again, or choose another: --model, or /model`;
    return { taken: false, told: [told] };
  }
}
