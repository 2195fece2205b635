/** Which addresses a fetch may connect to: those of the public internet. */
export { isAddress, notPublic } from "../../lib/address.ts";
