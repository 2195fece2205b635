/** The door of the config layer: settings, where things are, providers and models. */
export { changeCredential, readCredentials } from "./auth/store.ts";
export type { LoginScreen, LoginServer } from "./auth/login.ts";
export type { Credential, Credentials } from "./auth/store.ts";
export { accessOf } from "./access.ts";
export type { Access } from "./access.ts";
export { ConfigError, describeIssue } from "./errors.ts";
export type { ConfigErrorCode, Issue } from "./errors.ts";
export { checkConfig, loadConfig } from "./load.ts";
export type { Config, FileState, LoadOptions, ProjectState } from "./load.ts";
export { addProjectRule, readProjects, setTrust, storePath } from "./project_store.ts";
export { fingerprint } from "./trust.ts";
export { knownSecrets } from "./known_secrets.ts";
export type { KnownSecrets } from "./known_secrets.ts";
export { startNotices } from "./notices.ts";
export { expandHome, homePaths, projectRoot } from "./paths.ts";
export type { Env, HomePaths } from "./paths.ts";
export { KNOWN, providers, secretNames } from "./providers.ts";
export type { ProviderEntry } from "./providers.ts";
export { namedModel, resolveModel } from "./resolve.ts";
export type { ModelRecord, Resolved } from "./resolve.ts";
export type { McpServerSettings, ModelSettings, ProviderSettings, Settings } from "./settings.ts";
export { unsetVariables } from "./unset.ts";
export { settingsSchema, settingsTable, showSettings } from "./show.ts";
export type { ShownSetting } from "./show.ts";

/** How people log in; loaded only where somebody does. */
export const loadLogins = () => import("./logins.ts");
