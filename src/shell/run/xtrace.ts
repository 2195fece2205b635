/** `set -x`: the lines before commands. */
import { xtraceQuote } from "../expand/quote.ts";
import type { Shell } from "./shell.ts";

/** Writes a trace line with PS4 before it. */
export function trace(sh: Shell, text: string): void {
  const line = prefix(sh) + text + "\n";
  const fd = sh.vars.text("BASH_XTRACEFD");
  const out = fd === undefined || !/^[0-9]+$/.test(fd) ? undefined : sh.fd(Number(fd));
  if (out === undefined) return sh.writeError(line);
  try {
    const later = out.writeText(line);
    // A trace that cannot be written has nowhere else to go.
    if (later instanceof Promise) later.catch(() => {});
  } catch {
    // As above.
  }
}

/** A value as it is shown after `name=`: nothing where it is empty. */
export function tracedValue(value: string): string {
  return value === "" ? "" : xtraceQuote(value);
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
