/** Variables as `declare -p` shows them. */
import { arrayText, attributes } from "../../expand/param.ts";
import { doubleQuote } from "../../expand/quote.ts";
import { traceQuote } from "../../expand/quote.ts";
import type { Variable } from "../../expand/variable.ts";

export function declaration(name: string, v: Variable): string {
  const flags = attributes(v);
  const head = `declare -${flags === "" ? "-" : flags} ${name}`;
  if (v.value === undefined) return head;
  return `${head}=${typeof v.value === "string" ? doubleQuote(v.value) : arrayText(v.value)}`;
}

/** `name=value`, as `set` shows it. */
export function assignment(name: string, v: Variable): string | undefined {
  if (v.value === undefined) return undefined;
  return `${name}=${typeof v.value === "string" ? traceQuote(v.value) : arrayText(v.value)}`;
}
