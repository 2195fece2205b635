/** The patterns of grep as one question to a block of lines. */
import { compileRegex, escapeRegex, type Regex, RegexError } from "../../../lib/regex.ts";
import { Failure } from "../shared/options.ts";

export interface PatternOptions {
  readonly kind: "basic" | "extended" | "fixed" | "perl";
  readonly ignoreCase: boolean;
  readonly word: boolean;
  readonly whole: boolean;
  /** Records end with NUL and may hold newlines. */
  readonly records: boolean;
  /** Whole lines are selected: where a match ends does not matter. */
  readonly exists: boolean;
  /** Asked now and then in searches of long lines; throws when the run was cancelled. */
  readonly poll: () => void;
}

/** The regular expressions that stand for the patterns; most often one. Empty where nothing can match. */
export function compilePatterns(patterns: readonly string[], options: PatternOptions): Regex[] {
  const shared = {
    ignoreCase: options.ignoreCase,
    word: options.word,
    whole: options.whole,
    lines: !options.records,
    multiline: true,
    dotAll: false,
    lenient: true,
    exists: options.exists,
    poll: options.poll,
  };
  const compile = (source: string, syntax: "basic" | "extended" | "perl"): Regex => {
    try {
      return compileRegex(source, { ...shared, syntax });
    } catch (error) {
      if (error instanceof RegexError) throw new Failure(error.message, 2);
      throw error;
    }
  };
  if (options.kind === "perl") {
    if (patterns.length > 1) throw new Failure("the -P option only supports a single pattern", 2);
    return [compile(patterns[0], "perl")];
  }
  const unique = [...new Set(patterns)];
  if (options.kind === "fixed") {
    return chunks(unique.map(escapeRegex)).map((source) => compile(source, "perl"));
  }
  // Numbers of groups would shift in a joined pattern.
  const joinable = unique.length === 1 || !unique.some((pattern) => /\\[1-9]/.test(pattern));
  for (const pattern of unique.length > 1 ? unique : []) compile(pattern, options.kind);
  if (!joinable) return unique.map((pattern) => compile(pattern, options.kind as "basic" | "extended"));
  return [compile(unique.join(options.kind === "basic" ? "\\|" : "|"), options.kind)];
}

/** Alternatives in a few patterns of bounded length; longer texts first, so that the longest is found. */
function chunks(sources: readonly string[]): string[] {
  const out: string[] = [];
  let current: string[] = [];
  let length = 0;
  for (const source of [...sources].sort((a, b) => b.length - a.length)) {
    if (length + source.length > 16_000 && current.length > 0) {
      out.push(current.join("|"));
      current = [];
      length = 0;
    }
    current.push(source);
    length += source.length + 1;
  }
  if (current.length > 0) out.push(current.join("|"));
  return out;
}

/** Where the leftmost match of any of the expressions ends, or -1. */
export function findAny(regexes: readonly Regex[], text: string, from: number): number {
  if (regexes.length === 1) return regexes[0].find(text, from);
  let best = -1;
  let start = Infinity;
  for (const regex of regexes) {
    const match = regex.exec(text, from);
    if (match && match.index < start) {
      start = match.index;
      best = match.index + match[0]!.length;
    }
  }
  return best;
}

/** The leftmost, then longest match in a text, as start and end. */
export function matchAny(
  regexes: readonly Regex[],
  text: string,
  from: number,
): [number, number] | undefined {
  if (regexes.length === 1) {
    const match = regexes[0].exec(text, from);
    return match && [match.index, match.index + match[0]!.length];
  }
  let best: [number, number] | undefined;
  for (const regex of regexes) {
    const match = regex.exec(text, from);
    if (!match) continue;
    const end = match.index + match[0]!.length;
    if (!best || match.index < best[0] || (match.index === best[0] && end > best[1])) {
      best = [match.index, end];
    }
  }
  return best;
}
