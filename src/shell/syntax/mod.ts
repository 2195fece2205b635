/** The door of the shell's grammar: text to tree and back, arithmetic, escapes. */
export type {
  ArithCommand,
  ArithSub,
  ArrayItem,
  Assign,
  Case,
  Command,
  CommandSub,
  Cond,
  CondCommand,
  Coproc,
  For,
  ForArith,
  FunctionDef,
  If,
  Param,
  ParamOp,
  Part,
  Pipeline,
  ProcessSub,
  Redirect,
  Simple,
  Statement,
  While,
  Word,
} from "./ast.ts";
export {
  type Arith,
  ArithError,
  type BinaryOp,
  closingBracket,
  type Int,
  parseArith,
  type Variable as ArithVariable,
} from "./arith.ts";
export { ShellSyntaxError } from "./errors.ts";
export { ANSI_C, ECHO, joinBytes, PRINTF_B, PRINTF_FORMAT, readEscape, unescape } from "./escapes.ts";
export { parse, type ParseOptions, Parser } from "./parser.ts";
export { printCommand, printFunction, printStatement } from "./print.ts";
export { makeWord, readParts } from "./word.ts";
