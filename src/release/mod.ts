/** What this build is. */
export { VERSION } from "./version.ts";
