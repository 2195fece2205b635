/** Looks at JSON values and texts that came from outside. */
import { isRecord } from "../../../lib/json.ts";

/** A count of tokens; what is none counts as 0. */
export function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}

/** The arguments of a call as text: as they are, or out of the object that a server sent in place of it; else "". */
export function argumentsText(value: unknown): string {
  if (typeof value === "string") return value;
  return isRecord(value) ? JSON.stringify(value) : "";
}

/** True for the text of a complete JSON object. */
export function isObjectText(text: string): boolean {
  // Most fragments end inside the object: look at the last character before parsing.
  if (!/\}\s*$/.test(text.slice(-16))) return false;
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}
