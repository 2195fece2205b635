/**
 * The one error of regular expressions.
 */
import { AppError } from "../errors.ts";

/** A pattern that cannot be used: `invalid` breaks the syntax, `refused` could run for ever or is not supported. */
export class RegexError extends AppError<"invalid" | "refused"> {
  override readonly name = "RegexError";
}
