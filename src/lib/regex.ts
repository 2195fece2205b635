/**
 * The one door for regular expressions that come from outside: from a model, a
 * script, a file. A pattern is read into a tree (three syntaxes), and the
 * tree is given to the fastest engine that is sure to end:
 *
 * - V8, in a form without the flags i and u and without bounded repeats, which
 *   its linear engine can take over (the product runs with that fallback);
 *   without the fallback only patterns that cannot blow up go to V8;
 * - a linear machine of our own for the rest that has neither look-around nor
 *   back-references;
 * - for these, V8 where the pattern cannot blow up and the text is short, else
 *   a backtracking engine with a step budget, which refuses with the reason.
 *
 * Even the harmless ones take time in proportion to the square of a line where
 * a repeat starts at each place of it (`a+b`): in blocks of lines, long lines
 * are left to our own engines, except where samples of them show no such growth.
 */
import { analyse, neededText, rarestOf, repeatsOpenly } from "./regex/analyse.ts";
import { type Node, type Tree, walk } from "./regex/ast.ts";
import { BacktrackProgram } from "./regex/backtrack.ts";
import { EitherRegex, ScreenedRegex } from "./regex/choice.ts";
import { CountedRegex } from "./regex/counted.ts";
import { decorate, longestFirst } from "./regex/decorate.ts";
import { emit } from "./regex/emit.ts";
import type { Regex, RegexMatch } from "./regex/engine.ts";
import { RegexError } from "./regex/error.ts";
import { LongLineRegex } from "./regex/long_lines.ts";
import { parse, type Syntax } from "./regex/parse.ts";
import { PikeProgram } from "./regex/pike.ts";
import { shorten } from "./regex/shorten.ts";
import { linearFallback, V8Regex } from "./regex/v8.ts";

export { type Regex, RegexError, type RegexMatch, type Syntax };

/** How a pattern is read and what its matches are asked for. Unless said otherwise a flag is false by default. */
interface RegexOptions {
  /** `perl` (default): what JavaScript, PCRE and models write. */
  readonly syntax?: Syntax;
  readonly ignoreCase?: boolean;
  /** `^` and `$` match at every line. */
  readonly multiline?: boolean;
  /** `.` matches a newline too. POSIX syntaxes: true unless said otherwise. */
  readonly dotAll?: boolean;
  /** The text is a block of many lines, of which no match may touch two: nothing matches a newline, and `multiline` is implied. */
  readonly lines?: boolean;
  /** POSIX syntaxes: `\n`, `\t`, `\xHH` and the like have their meaning (sed, awk). */
  readonly escapes?: boolean;
  /** `perl` only: white space and comments in the pattern are ignored (flag x). */
  readonly extended?: boolean;
  /** POSIX extended: an unmatched `)` is an error, not a character (sed, awk). */
  readonly strict?: boolean;
  /** POSIX extended: a repeat of nothing is ignored, not an error (grep). */
  readonly lenient?: boolean;
  /** The whole text must match (grep -x). */
  readonly whole?: boolean;
  /** The match must stand between characters that are not part of a word (grep -w). */
  readonly word?: boolean;
  /** Only whether and in which line there is a match is asked for, never where it ends. */
  readonly exists?: boolean;
  /** Called now and then in long searches where an engine can be stopped; may throw. */
  readonly poll?: () => void;
}

/** Compiles a pattern. Throws {@link RegexError}. */
export function compileRegex(source: string, options: RegexOptions = {}): Regex {
  const syntax = options.syntax ?? "perl";
  const multiline = (options.multiline ?? false) || (options.lines ?? false);
  const tree = parse(source, {
    syntax,
    ignoreCase: options.ignoreCase ?? false,
    multiline,
    dotAll: options.dotAll ?? syntax !== "perl",
    lines: options.lines ?? false,
    escapes: options.escapes ?? false,
    extended: syntax === "perl" && (options.extended ?? false),
    strict: options.strict ?? false,
    lenient: options.lenient ?? false,
  });
  const ordered = longestFirst(tree, syntax);
  const short = options.exists && !options.word && !options.whole && !analyse(ordered.root).backref;
  const decorated = decorate(short ? { ...ordered, root: shorten(ordered.root) } : ordered, {
    multiline,
    whole: options.whole ?? false,
    word: options.word ?? false,
  });
  const regex = bounded(source, decorated, options);
  const rarest = options.lines === true ? rarestOf(neededText(decorated.root)) : "";
  return rarest === "" ? regex : new ScreenedRegex(regex, rarest);
}

/** The engine for a tree, with another one for long lines where there is a way to stop it. */
function bounded(source: string, decorated: Tree, options: RegexOptions): Regex {
  const regex = build(source, decorated);
  if (options.poll === undefined) return regex;
  const { look, backref, atomic } = analyse(decorated.root);
  const hard = look || backref || atomic;
  const poll = options.poll;
  if (!repeatsOpenly(decorated.root)) return regex;
  const sure = new CountedRegex(
    source,
    decorated,
    hard ? new BacktrackProgram(decorated) : new PikeProgram(decorated),
    poll,
  );
  return new LongLineRegex(regex, sure, neededText(decorated.root), apart(decorated.root, options), poll);
}

/** Compiles a POSIX basic regular expression with GNU's additions. */
export function posixBasic(source: string, options: Omit<RegexOptions, "syntax"> = {}): Regex {
  return compileRegex(source, { ...options, syntax: "basic" });
}

/** Compiles a POSIX extended regular expression with GNU's additions. */
export function posixExtended(source: string, options: Omit<RegexOptions, "syntax"> = {}): Regex {
  return compileRegex(source, { ...options, syntax: "extended" });
}

/** A pattern that matches the text itself. */
export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** Whether each line can be searched without the others: no match spans two or asks for the ends of the text. */
function apart(root: Node, options: RegexOptions): boolean {
  let ends = false;
  walk(root, (node) => {
    if (node.type === "assert" && (node.kind.startsWith("text_") || !node.multiline)) {
      ends ||= node.kind.startsWith("text_") || node.kind.startsWith("line_");
    }
  });
  return options.lines === true && !ends;
}

/** The engine that is quickest among those that are sure to end for this tree. */
function build(source: string, tree: Tree): Regex {
  const traits = analyse(tree.root);
  const hard = traits.look || traits.backref || traits.atomic;
  if (!hard) {
    if (!traits.unicode) {
      const expanded = emit(tree, { unicode: false, expand: true });
      if (expanded && (!traits.risky || linearFallback())) {
        return new V8Regex(source, tree, expanded.source, false, expanded.slots);
      }
    }
    if (!traits.risky) {
      const plain = emit(tree, { unicode: traits.unicode, expand: false })!;
      return new V8Regex(source, tree, plain.source, traits.unicode, plain.slots);
    }
    return new CountedRegex(source, tree, new PikeProgram(tree));
  }
  const counted = new CountedRegex(source, tree, new BacktrackProgram(tree));
  if (traits.risky || traits.atomic || foldsBackref(tree.root)) return counted;
  const plain = emit(tree, { unicode: traits.unicode, expand: false })!;
  const quick = new V8Regex(source, tree, plain.source, traits.unicode, plain.slots);
  // Word edges and the like look one character far: no harm on any text.
  return !traits.backref && shortLooks(tree.root) ? quick : new EitherRegex(quick, counted);
}

/** Whether a back-reference ignores case: without the flag i V8 knows no such thing. */
function foldsBackref(node: Node): boolean {
  if (node.type === "backref") return node.ignoreCase;
  if (node.type === "cat" || node.type === "alt") return node.items.some(foldsBackref);
  return "body" in node && foldsBackref(node.body);
}

/** Whether all look-around is over a fixed, small number of characters. */
function shortLooks(node: Node, inside = false): boolean {
  if (node.type === "repeat" && inside) return node.max <= 64 && shortLooks(node.body, true);
  if (node.type === "cat" || node.type === "alt") return node.items.every((item) => shortLooks(item, inside));
  return "body" in node ? shortLooks(node.body, inside || node.type === "look") : true;
}
