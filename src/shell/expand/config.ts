/**
 * What the expander needs from the interpreter: variables, options, and a way
 * to run code for a substitution. Implemented in `run/`; nothing here knows
 * how commands run.
 *
 * Evaluation is written as generators that yield the promises they must wait
 * for ({@link Run}); where nothing waits, they finish in one synchronous step.
 */
import type { HostFs, Later } from "../host.ts";
import type { CommandSub, ProcessSub, Word } from "../syntax/mod.ts";
import type { Variable } from "./variable.ts";

/** A computation that may wait: yields promises, is resumed with what they resolve to. */
export type Run<T> = Generator<Promise<unknown>, T, unknown>;

/** Waits inside a {@link Run} for a value that may be there already. */
export function* wait<T>(value: Later<T>): Run<T> {
  return value instanceof Promise ? (yield value) as T : value;
}

/** Ends the command line being run (status 1), or the shell (`exits`). The message was not printed yet. */
export class ExpansionError extends Error {
  override readonly name = "ExpansionError";
  printed = false;
  constructor(message: string, readonly exits: boolean = false, readonly status: number = 1) {
    super(message);
  }
}

/** An assignment to a constant: its message stands alone, whatever assigned. */
export class ReadonlyError extends ExpansionError {
  constructor(name: string) {
    super(`${name}: readonly variable`);
  }
}

export interface Vars {
  /** The variable a name leads to, namerefs followed; dynamic values worked out. */
  get(name: string): Variable | undefined;
  /** The same without following a nameref. */
  raw(name: string): Variable | undefined;
  /** Where a nameref leads: a name or `name[subscript]`. Others: the name itself. */
  target(name: string): string;
  text(name: string): string | undefined;
  /** Assigns a text under the variable's attributes. Throws {@link ExpansionError} on a readonly one. */
  assign(name: string, value: string, append?: boolean): void;
  /** Assigns an element; `key` is worked out already (a number for indexed arrays). */
  assignElement(name: string, key: string | number, value: string, append?: boolean): void;
  /** An element by the text of its subscript. */
  element(name: string, index: string, depth: number): string | undefined;
  names(): string[];
}

export interface ExpandConfig {
  readonly vars: Vars;
  readonly params: readonly string[];
  /** `$0 $? $$ $! $- $#`; undefined where unset. */
  special(name: string): string | undefined;
  /** IFS, undefined when unset. */
  readonly ifs: string | undefined;
  option(name: string): boolean;
  readonly fs: HostFs;
  readonly cwd: string;
  readonly windows: boolean;
  home(user: string): string | undefined;
  /** Output of a command substitution without its last newlines. */
  commandOutput(node: CommandSub): string | Run<string>;
  /** Path that stands for a process substitution. */
  processPath(node: ProcessSub): string | Run<string>;
  /** Prints a warning as `bash: line N: text`. */
  warn(text: string): void;
  /** Called in long loops; throws when the run is cancelled. */
  poll(): void;
  /** Expands a prompt string (`${v@P}`). */
  prompt(text: string): string;
}

/** The expansions of a word, as the parameter code needs them for its arguments. */
export interface WordExpander {
  readonly config: ExpandConfig;
  /** No splitting, no globbing. */
  text(word: Word): Run<string>;
  /** As a pattern: what was quoted is escaped. */
  pattern(word: Word): Run<string>;
  /** Into the fields of the word around it. */
  into(word: Word, quoted: boolean, sink: Sink): Run<void>;
  /** An arithmetic expression's value. */
  arith(word: Word): Run<number | bigint>;
  /** The key a subscript gives for a variable. */
  key(name: string, word: Word): Run<string | number>;
}

/** Receives the pieces of a word. */
export interface Sink {
  /** Quoted text: neither split nor globbed; makes a field even when empty. */
  quoted(text: string): void;
  /** Unquoted text of the source: globbed, not split. */
  literal(text: string): void;
  /** Result of an unquoted expansion: split and globbed. */
  split(text: string): void;
  /** `"$@"`: each a field of its own; `join` is used where fields cannot be. */
  list(values: readonly string[], quoted: boolean, join: string): void;
}
