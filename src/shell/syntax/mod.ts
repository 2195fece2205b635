/** The door of the shell's grammar: text to tree and back. */
export { parse, type ParseOptions, Parser } from "./parser.ts";
export { ShellSyntaxError } from "./errors.ts";
