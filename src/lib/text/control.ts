/**
 * Takes terminal control sequences out of text that came from a model, a
 * tool, a server or a file, before a person sees it. Sequences as in
 * ECMA-48 (5.4 CSI, 5.6 control strings) and xterm's OSC ended by BEL.
 */

// ESC and its continuation, or the one-character C1 form.
const SEQUENCES =
  /(?:\x1b\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]?|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b[\x20-\x2f]*[\x30-\x7e]?/g;
// What is left of C0 and C1, but tab, line feed and carriage return.
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;
// Marks that change the direction of text, so that it reads other than it is.
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Removes control sequences and characters; direction marks are made visible. Tabs and line ends stay. */
export function stripControls(text: string): string {
  if (!/[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(text)) return text;
  return text
    .replace(SEQUENCES, "")
    .replace(CONTROLS, "")
    .replace(BIDI, (mark) => `<U+${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}>`);
}

/** What a terminal would show of lines that were overwritten with carriage returns (progress bars): their last state. */
export function foldProgress(text: string): string {
  if (!text.includes("\r")) return text;
  return text.replaceAll("\r\n", "\n").split("\n").map((line) => {
    const states = line.split("\r").filter((state) => state !== "");
    return states.at(-1) ?? "";
  }).join("\n");
}

/** One line for a person: controls out, white space folded, cut at `limit` characters. */
export function oneLine(text: string, limit: number): string {
  const line = stripControls(text.slice(0, limit * 8)).replace(/\s+/g, " ").trim();
  const characters = [...line];
  return characters.length <= limit ? line : characters.slice(0, Math.max(0, limit - 1)).join("") + "…";
}
