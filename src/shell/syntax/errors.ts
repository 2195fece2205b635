/** What the parser throws: where the text stops being shell, and whether more text could mend it. */

export class ShellSyntaxError extends SyntaxError {
  override readonly name = "ShellSyntaxError";
  constructor(
    /** Without position, as bash words it: "syntax error near unexpected token `)'". */
    message: string,
    readonly line: number,
    /** True where the text ended too early: more input could complete it. */
    readonly incomplete: boolean = false,
    /** Source line that bash shows below the message, if it does. */
    readonly shown?: string,
  ) {
    super(message);
  }
}
