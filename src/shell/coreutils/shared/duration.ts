/** Durations as sleep and timeout read them: `1.5`, `2m`, `inf`. */

const UNITS: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3600, d: 86_400 };

/** Seconds, or undefined where the text is no duration. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|inf(?:inity)?)([smhd]?)$/.exec(text);
  if (!match) return undefined;
  return (match[1].startsWith("inf") ? Infinity : Number(match[1])) * UNITS[match[2]];
}
