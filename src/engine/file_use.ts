/** Which file a call is about, by what its tool declares: an argument that names it. */
import type { ToolEntry } from "../agent/tool.ts";
import type { FileUse } from "../context/compact/mod.ts";

export function fileUseOf(entries: readonly ToolEntry[]): FileUse {
  const touching = new Map(
    entries.filter(({ touches }) => touches !== undefined).map((entry) => [entry.name, entry]),
  );
  return (name, text) => {
    const entry = touching.get(name);
    const path = entry?.touches === undefined ? undefined : argumentOf(text, entry.touches);
    return path === undefined || entry === undefined ? undefined : { path, effect: entry.effects };
  };
}

function argumentOf(text: string, name: string): string | undefined {
  try {
    const value = (JSON.parse(text) as Record<string, unknown> | null)?.[name];
    return typeof value === "string" ? value : undefined;
  } catch {
    // Arguments that are no JSON named no file.
    return undefined;
  }
}

/** The path that a call with these arguments names. */
export function touchedPath(entries: readonly ToolEntry[], name: string, args: unknown): string | undefined {
  const argument = entries.find((entry) => entry.name === name)?.touches;
  const value = argument === undefined ? undefined : (args as Record<string, unknown> | null)?.[argument];
  return typeof value === "string" ? value : undefined;
}
