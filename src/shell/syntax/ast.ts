/**
 * The syntax tree. Plain data: the evaluator never changes it, but for the
 * `memo` slots, in which the expander and the arithmetic keep what they have
 * worked out about a node (a word's plan, a parsed expression). Texts are the
 * source's own slices, so that printing a word needs no second grammar.
 */

export interface Word {
  readonly parts: readonly Part[];
  /** The word as written. */
  readonly text: string;
  readonly line: number;
  /** The value of a word without any expansion, quote or pattern in it. */
  readonly plain: string | undefined;
  /** Present where the word has the form of an assignment and may act as one (arguments of `declare` and its kin). */
  readonly assign?: Assign;
  memo?: object;
}

export type Part =
  | Literal
  | Quoted
  | DoubleQuoted
  | Param
  | CommandSub
  | ArithSub
  | ProcessSub;

/** Unquoted text: subject to globbing, braces, tilde. */
export interface Literal {
  readonly kind: "lit";
  readonly text: string;
}

/** Text that stands for itself: '…', $'…' (decoded) or a backslash and a character. */
export interface Quoted {
  readonly kind: "quoted";
  readonly text: string;
}

export interface DoubleQuoted {
  readonly kind: "dquote";
  readonly parts: readonly Part[];
}

export interface CommandSub {
  readonly kind: "command";
  /** Absent for backquotes, whose text is parsed when it runs. */
  readonly body: readonly Statement[] | undefined;
  readonly source: string;
  readonly line: number;
  memo?: object;
}

export interface ArithSub {
  readonly kind: "arith";
  readonly expr: Word;
}

export interface ProcessSub {
  readonly kind: "process";
  readonly direction: "<" | ">";
  readonly body: readonly Statement[];
  readonly line: number;
}

export interface Subscript {
  readonly word: Word;
  /** `@` or `*` as the whole subscript. */
  readonly all: "@" | "*" | undefined;
}

/** `$name`, `${…}`. */
export interface Param {
  readonly kind: "param";
  readonly name: string;
  readonly index?: Subscript;
  /** `${#name}` */
  readonly length?: boolean;
  /** `${!name…}` */
  readonly indirect?: boolean;
  readonly op?: ParamOp;
  /** As written, for messages. */
  readonly source: string;
  readonly line: number;
  /** Set where the text is no valid expansion: an error when reached. */
  readonly bad?: boolean;
}

export type ParamOp =
  | {
    readonly kind: "default";
    readonly op: "-" | "=" | "?" | "+";
    readonly colon: boolean;
    readonly word: Word;
  }
  | { readonly kind: "strip"; readonly op: "#" | "##" | "%" | "%%"; readonly word: Word }
  | {
    readonly kind: "replace";
    readonly all: boolean;
    readonly anchor: "" | "#" | "%";
    readonly pattern: Word;
    readonly by: Word | undefined;
  }
  | {
    readonly kind: "case";
    readonly op: "^" | "^^" | "," | ",," | "~" | "~~";
    readonly word: Word | undefined;
  }
  | { readonly kind: "slice"; readonly offset: Word; readonly length: Word | undefined }
  | { readonly kind: "transform"; readonly letter: string }
  /** `${!prefix*}`, `${!prefix@}` */
  | { readonly kind: "names"; readonly star: boolean };

export interface Assign {
  readonly name: string;
  readonly index?: Subscript;
  readonly append: boolean;
  /** Absent with `array`. */
  readonly value?: Word;
  readonly array?: readonly ArrayItem[];
  readonly text: string;
}

export interface ArrayItem {
  readonly index?: Subscript;
  readonly append: boolean;
  readonly value: Word;
}

export type RedirectOp = "<" | ">" | ">>" | ">|" | "<>" | "<&" | ">&" | "&>" | "&>>" | "<<" | "<<-" | "<<<";

export interface Redirect {
  readonly op: RedirectOp;
  /** Descriptor before the operator. */
  readonly fd: number | undefined;
  /** `{name}` before the operator. */
  readonly variable: string | undefined;
  readonly target: Word;
  /** Filled when the document's lines have been read. */
  heredoc?: {
    readonly body: Word;
    readonly raw: string;
    readonly delimiter: string;
    readonly quoted: boolean;
  };
  readonly line: number;
}

export interface Statement {
  readonly first: Pipeline;
  readonly rest: readonly { readonly op: "&&" | "||"; readonly pipeline: Pipeline }[];
  readonly background: boolean;
  readonly line: number;
}

export interface Pipeline {
  readonly negated: boolean;
  readonly timed: "" | "time" | "time -p";
  readonly commands: readonly Command[];
  /** For each bar: whether it is `|&`. */
  readonly both: readonly boolean[];
  readonly line: number;
}

interface CommandBase {
  readonly redirects: readonly Redirect[];
  readonly line: number;
}

export interface Simple extends CommandBase {
  readonly kind: "simple";
  readonly assigns: readonly Assign[];
  readonly words: readonly Word[];
  memo?: object;
}
export interface Group extends CommandBase {
  readonly kind: "group";
  readonly body: readonly Statement[];
}
export interface Subshell extends CommandBase {
  readonly kind: "subshell";
  readonly body: readonly Statement[];
}
export interface If extends CommandBase {
  readonly kind: "if";
  readonly arms: readonly { readonly test: readonly Statement[]; readonly body: readonly Statement[] }[];
  readonly otherwise: readonly Statement[] | undefined;
}
export interface For extends CommandBase {
  readonly kind: "for" | "select";
  readonly name: string;
  /** Absent: the positional parameters. */
  readonly words: readonly Word[] | undefined;
  readonly body: readonly Statement[];
}
export interface ForArith extends CommandBase {
  readonly kind: "for_arith";
  readonly init: Word;
  readonly test: Word;
  readonly step: Word;
  readonly body: readonly Statement[];
}
export interface While extends CommandBase {
  readonly kind: "while";
  readonly until: boolean;
  readonly test: readonly Statement[];
  readonly body: readonly Statement[];
}
export interface Case extends CommandBase {
  readonly kind: "case";
  readonly subject: Word;
  readonly arms: readonly CaseArm[];
}
export interface CaseArm {
  readonly patterns: readonly Word[];
  readonly body: readonly Statement[];
  readonly end: ";;" | ";&" | ";;&";
}
export interface ArithCommand extends CommandBase {
  readonly kind: "arith";
  readonly expr: Word;
}
export interface CondCommand extends CommandBase {
  readonly kind: "cond";
  readonly expr: Cond;
}
export interface FunctionDef extends CommandBase {
  readonly kind: "function";
  readonly name: string;
  readonly body: Command;
  /** Line on which the definition ends. */
  readonly keyword: boolean;
}
export interface Coproc extends CommandBase {
  readonly kind: "coproc";
  readonly name: string;
  readonly body: Command;
}

export type Command =
  | Simple
  | Group
  | Subshell
  | If
  | For
  | ForArith
  | While
  | Case
  | ArithCommand
  | CondCommand
  | FunctionDef
  | Coproc;

/** The expressions of `[[ … ]]`. */
export type Cond =
  | { readonly kind: "and" | "or"; readonly left: Cond; readonly right: Cond }
  | { readonly kind: "not"; readonly operand: Cond }
  | { readonly kind: "parens"; readonly operand: Cond }
  | { readonly kind: "unary"; readonly op: string; readonly operand: Word }
  | { readonly kind: "binary"; readonly op: string; readonly left: Word; readonly right: Word };
