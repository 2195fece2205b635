/** Running text: parsing line by line, so that what a line does holds for how the next is read. */
import { ExpansionError, type Run } from "../expand/config.ts";
import { Parser, ShellSyntaxError, type Statement } from "../syntax/mod.ts";
import { settled } from "./allowance.ts";
import { breathe, due } from "./breath.ts";
import { report } from "./functions.ts";
import { begin, isRun, type Step } from "./process.ts";
import { Flow, type Shell, type TextOptions } from "./shell.ts";

const cache = new Map<string, readonly (readonly Statement[])[]>();

export function parserFor(sh: Shell, text: string, line: number): Parser {
  // Scripts come with either kind of line ends there.
  return new Parser(sh.windows ? text.replaceAll("\r\n", "\n") : text, {
    line,
    extglob: () => sh.options.extglob,
    alias: (name) => sh.aliases.get(name),
    aliasing: () => (sh.options.expand_aliases || sh.options.posix) && sh.aliases.size > 0,
    onWarning: (w) =>
      sh.writeError(
        `${sh.messageName}: line ${w.line}: warning: here-document at line ${w.startLine} delimited by end-of-file (wanted \`${w.delimiter}')\n`,
      ),
  });
}

/** Prints a syntax error as bash does. */
export function syntaxError(sh: Shell, error: ShellSyntaxError, label: string): void {
  const name = label === "" ? sh.messageName : `${sh.messageName}: ${label}`;
  sh.writeError(`${name}: line ${error.line}: ${error.message}\n`);
  if (error.shown !== undefined) sh.writeError(`${name}: line ${error.line}: \`${error.shown}'\n`);
}

/** The engine's own stack has run out, in the middle of a pattern too: nesting that no limit of ours caught. */
function isOverflow(error: unknown): boolean {
  return (error instanceof RangeError || error instanceof SyntaxError) &&
    error.message.includes("call stack");
}

/** Runs one complete line: an expansion's error ends it, not the text. Answers false where the shell is to leave. */
export function* line(sh: Shell, statements: readonly Statement[]): Run<boolean> {
  const { noErrexit, loopDepth } = sh;
  if (due(sh)) yield* breathe(sh);
  try {
    const step = sh.exec.statements(sh, statements);
    if (isRun(step)) yield* step;
  } catch (thrown) {
    const error = settled(thrown);
    if (isOverflow(error)) {
      sh.warn("maximum recursion depth exceeded");
      sh.status = 1;
      sh.noErrexit = noErrexit;
      sh.loopDepth = loopDepth;
      return sh.flow === Flow.None;
    }
    if (!(error instanceof ExpansionError)) throw error;
    report(sh, error);
    sh.noErrexit = noErrexit;
    sh.loopDepth = loopDepth;
    sh.status = error.status;
    sh.pipeStatus = [error.status];
    if (error.exits || (sh.options.errexit && sh.noErrexit === 0)) sh.flow = Flow.Exit;
    sh.fatal = error.exits;
  }
  return sh.flow === Flow.None;
}

/** `eval`, a trap's action: text inside a running shell. */
export function text(sh: Shell, source: string, options: TextOptions): Step<number> {
  const lines = sh.options.expand_aliases ? undefined : parseOnce(sh, source, options);
  return begin(lines === undefined ? runParsing(sh, source, options) : runLines(sh, lines));
}

/** Parses all at once where nothing can change how later lines read; cached by the text. */
function parseOnce(
  sh: Shell,
  source: string,
  options: TextOptions,
): readonly (readonly Statement[])[] | undefined {
  const key = `${options.line}${sh.options.extglob ? "x" : "-"}${source}`;
  let lines = cache.get(key);
  if (lines !== undefined) return lines;
  if (source.length > 2000 || /\b(alias|shopt)\b|<</.test(source)) return undefined;
  try {
    const parser = parserFor(sh, source, options.line);
    const all: (readonly Statement[])[] = [];
    for (let l = parser.next(); l !== undefined; l = parser.next()) all.push(l);
    lines = all;
  } catch {
    // Errors are told when the lines before them have run.
    return undefined;
  }
  if (cache.size > 500) cache.clear();
  cache.set(key, lines);
  return lines;
}

function* runLines(sh: Shell, lines: readonly (readonly Statement[])[]): Run<number> {
  if (lines.length === 0) return sh.status = 0;
  for (const l of lines) if (!(yield* line(sh, l))) break;
  return sh.status;
}

function* runParsing(sh: Shell, source: string, options: TextOptions): Run<number> {
  const parser = parserFor(sh, source, options.line);
  let any = false;
  for (;;) {
    let statements: readonly Statement[] | undefined;
    try {
      statements = parser.next();
    } catch (error) {
      if (!(error instanceof ShellSyntaxError)) throw error;
      syntaxError(sh, error, options.label);
      return sh.status = 2;
    }
    if (statements === undefined) break;
    any = true;
    if (!(yield* line(sh, statements))) break;
  }
  if (!any) sh.status = 0;
  return sh.status;
}

/** A whole script in a shell of its own: `-c`, a file. */
export function* script(sh: Shell, source: string, label: string): Run<number> {
  const parser = parserFor(sh, source.replaceAll("\0", ""), 1);
  let shown = 0;
  for (;;) {
    let statements: readonly Statement[] | undefined;
    const before = parser.reader.pos;
    try {
      statements = parser.next();
    } catch (error) {
      if (!(error instanceof ShellSyntaxError)) throw error;
      if (sh.options.verbose) sh.writeError(parser.reader.text.slice(shown));
      syntaxError(sh, error, label);
      return sh.status = 2;
    }
    if (sh.options.verbose) {
      const upTo = parser.reader.pos;
      const shownText = parser.reader.text.slice(Math.max(shown, before), upTo);
      if (shownText !== "") sh.writeError(shownText.endsWith("\n") ? shownText : shownText + "\n");
    }
    shown = parser.reader.pos;
    if (statements === undefined) return sh.status;
    if (sh.options.noexec) continue;
    if (!(yield* line(sh, statements))) return sh.status;
    if (sh.options.onecmd) return sh.status;
  }
}
