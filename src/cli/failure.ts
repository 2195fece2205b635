/** Turns an error that reached the top into a message for a person and an exit status. */
import { AppError, describeBriefly } from "../lib/errors.ts";
import { stripControls } from "../lib/text/control.ts";
import { wrapWords } from "../lib/text/width.ts";
import { EXIT } from "./exit_codes.ts";

/** Errors about what the user wrote, by name: wrong usage or settings. */
const USAGE_ERRORS: ReadonlySet<string> = new Set(["UsageError", "ConfigError", "RuleError"]);

/** Codes of expected failures -> exit status; all others: 1. */
const BY_CODE: Readonly<Record<string, number>> = {
  usage: EXIT.usage,
  not_found: EXIT.usage,
  busy: EXIT.busy,
};

/** The exit status for an error. */
export function failureStatus(error: unknown): number {
  if (!(error instanceof AppError)) return EXIT.failed;
  return USAGE_ERRORS.has(error.name) ? EXIT.usage : BY_CODE[error.code] ?? EXIT.failed;
}

/** The remedy that an error carries, if any. */
export function failureHint(error: unknown): string | undefined {
  return error instanceof AppError ? error.hint : undefined;
}

/** Prints message and hint on stderr; answers with the exit status. */
export function reportFailure(error: unknown, message: string): number {
  say(`Error: ${isDiskFailure(error) ? `Cannot write: ${describeBriefly(error)}` : message}`);
  const hint = failureHint(error);
  if (hint !== undefined) say(hint);
  if (!(error instanceof AppError) && !isDiskFailure(error)) {
    if (Deno.env.get("MYELIN_DEBUG")) console.error(error);
    else console.error("This was not expected. MYELIN_DEBUG=1 shows where it comes from.");
  }
  return failureStatus(error);
}

/** On stderr; on a terminal broken between words. */
function say(text: string): void {
  let width = Infinity;
  try {
    if (Deno.stderr.isTerminal()) width = Deno.consoleSize().columns || 80;
  } catch {
    // The terminal is another stream's: it breaks the lines itself.
  }
  console.error(stripControls(text).split("\n").flatMap((line) => wrapWords(line, width)).join("\n"));
}

/** A full or failing disk behind stdout is nobody's mistake here. */
function isDiskFailure(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOSPC" || code === "EDQUOT" || code === "EIO";
}
