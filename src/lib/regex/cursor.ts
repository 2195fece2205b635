/**
 * A place in the text of a pattern, shared by everything that reads it.
 */

/** Reads on from `at`; whoever takes something moves it. */
export class Cursor {
  at = 0;

  constructor(readonly source: string) {}

  /** Whether this comes next. */
  looking(text: string): boolean {
    return this.source.startsWith(text, this.at);
  }

  /** Takes this where it comes next. */
  take(text: string): boolean {
    if (!this.looking(text)) return false;
    this.at += text.length;
    return true;
  }

  /** Takes what an expression that starts with `^` matches in the next `most` units; undefined: it does not. */
  match(pattern: RegExp, most: number): RegExpExecArray | undefined {
    const found = pattern.exec(this.source.slice(this.at, this.at + most)) ?? undefined;
    if (found) this.at += found[0].length;
    return found;
  }

  /** Takes one code point. Asked only where there is one. */
  code(): number {
    const code = this.source.codePointAt(this.at)!;
    this.at += code > 0xffff ? 2 : 1;
    return code;
  }
}
