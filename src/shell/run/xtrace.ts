/** `set -x`: the lines before commands. */
import type { Shell } from "./shell.ts";

/** Writes a trace line with PS4 before it. */
export function trace(sh: Shell, text: string): void {
  sh.writeError(prefix(sh) + text + "\n");
}

function prefix(sh: Shell): string {
  const ps4 = sh.vars.text("PS4");
  if (ps4 === undefined) return "";
  const status = sh.status;
  const options = sh.options;
  // What PS4 runs is not traced itself.
  sh.setOption("xtrace", false);
  let text: string;
  try {
    text = sh.prompt(ps4);
  } finally {
    sh.options = options;
    sh.status = status;
  }
  if (text === "") return "";
  const first = String.fromCodePoint(text.codePointAt(0)!);
  return first.repeat(sh.traceDepth + 1) + text.slice(first.length);
}
