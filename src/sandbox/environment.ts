/**
 * The environment that commands see: built from a list of names, never
 * inherited. Values that would open an editor, a pager or a question are set so
 * that nothing waits for a person; what looks like a secret is left out unless
 * the user listed it by its own name; where providers' keys come from, never.
 */

/** Names whose values tend to be secrets. */
const SECRET =
  /(^|_)(API_?KEY|KEY|TOKEN|SECRET|SECRETS|PASS|PASSWD|PASSWORD|PASSPHRASE|CREDENTIALS?|AUTH|COOKIE|PRIVATE_KEY|ACCESS_KEY_ID|DSN|DATABASE_URL|CONNECTION_STRING)$/i;

/** Where providers' keys come from without any settings: never passed on. */
const PROVIDER_KEYS = new Set([
  "OPENAI_API_KEY",
  "ANTHROPIC_API_KEY",
  "OPENROUTER_API_KEY",
  "XAI_API_KEY",
  "META_API_KEY",
  "GEMINI_API_KEY",
]);

/**
 * Settings of git with which a folder's own settings start programs; the last
 * of a name counts. Hooks are those of the protected place: another one could
 * lie where tools write.
 */
const GIT_SETTINGS = [
  ["safe.bareRepository", "explicit"],
  ["core.fsmonitor", "false"],
  ["core.hooksPath", ".git/hooks"],
];

/** What keeps programs from waiting for a person. */
export const NON_INTERACTIVE: Readonly<Record<string, string>> = {
  TERM: "dumb",
  GIT_EDITOR: "false",
  GIT_SEQUENCE_EDITOR: "false",
  EDITOR: "false",
  VISUAL: "false",
  GIT_PAGER: "cat",
  PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "/bin/false",
  SSH_ASKPASS: "/bin/false",
  SSH_ASKPASS_REQUIRE: "force",
  SUDO_ASKPASS: "/bin/false",
  GIT_SSH_COMMAND: "ssh -o BatchMode=yes",
  DEBIAN_FRONTEND: "noninteractive",
  PIP_NO_INPUT: "1",
};

/** For programs without network: trying again, for a minute and more, helps nobody. */
const NO_RETRIES: Readonly<Record<string, string>> = {
  npm_config_fetch_retries: "0",
  PIP_RETRIES: "0",
  CARGO_NET_RETRY: "0",
};

interface EnvironmentOptions {
  /** The allow-list (`sandbox.env`). `NAME*` takes all that begin so, but for secrets. */
  readonly names: readonly string[];
  readonly source: Readonly<Record<string, string>>;
  /** Never passed on, listed or not. */
  readonly secretNames?: readonly string[];
  readonly tempDir: string;
  /** The home cannot be written: what insists on writing there gets another place. */
  readonly confined?: boolean;
  /** Programs reach no host at all. */
  readonly offline?: boolean;
}

/** Builds the whole environment of a command. */
export function commandEnvironment(options: EnvironmentOptions): Record<string, string> {
  const secret = new Set(options.secretNames ?? []);
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.source)) {
    if (secret.has(name) || PROVIDER_KEYS.has(name)) continue;
    const named = options.names.includes(name);
    const fits = named ||
      options.names.some((entry) => entry.endsWith("*") && name.startsWith(entry.slice(0, -1)));
    if (fits && (named || !SECRET.test(name))) env[name] = value;
  }
  env.PATH ??= "/usr/local/bin:/usr/bin:/bin";
  for (const [name, value] of Object.entries(NON_INTERACTIVE)) {
    if (!options.names.includes(name) || env[name] === undefined) env[name] = value;
  }
  if (options.offline) {
    for (const [name, value] of Object.entries(NO_RETRIES)) env[name] ??= value;
  }
  env.TMPDIR = options.tempDir;
  // Go builds nothing without a cache that it can write; other tools do without.
  if (options.confined) env.GOCACHE ??= `${options.tempDir}/go-build`;
  return env;
}

/**
 * The environment of a program that nothing confines: git is told not to take
 * any folder for a repository, and to start no program to watch files, which
 * settings within the workspace could name.
 */
export function unwrappedEnvironment(
  program: string,
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (!/(^|[/\\])git(-[\w-]+)?(\.exe)?$/i.test(program)) return env;
  // What is no number git itself refuses.
  const given = env.GIT_CONFIG_COUNT || "0";
  if (!/^\d+$/.test(given)) return env;
  const first = Number(given);
  const made: Record<string, string> = { ...env, GIT_CONFIG_COUNT: String(first + GIT_SETTINGS.length) };
  for (const [i, [key, value]] of GIT_SETTINGS.entries()) {
    made[`GIT_CONFIG_KEY_${first + i}`] = key;
    made[`GIT_CONFIG_VALUE_${first + i}`] = value;
  }
  return made;
}
