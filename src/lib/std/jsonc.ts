/** `@std/jsonc` with types: a pragma on the import itself has no effect where the import is lazy. */
// @ts-types="./jsonc.d.ts"
export { parse } from "@std/jsonc";
