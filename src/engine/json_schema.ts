/** A checker from a JSON Schema. In a module of its own, so that a bundler leaves out what is not used of the library. */
export { fromJSONSchema } from "zod";
