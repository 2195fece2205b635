/** The door of the secrets: what is one, and how it is kept back and put back. */
export { isSecretFile, isSecretValue, SECRET_NAME, secretsIn } from "./file_values.ts";
export { findKeys } from "./key_shapes.ts";
export type { FoundKey } from "./key_shapes.ts";
export { createVault } from "./vault.ts";
export type { MaskOptions, MaskStream, Secret, Vault } from "./vault.ts";
