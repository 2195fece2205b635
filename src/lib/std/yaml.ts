/** `@std/yaml` with types: a pragma on the import itself has no effect where the import is lazy. */
// @ts-types="./yaml.d.ts"
export { parse } from "@std/yaml";
