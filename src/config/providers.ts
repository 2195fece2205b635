/**
 * The providers in force: those of the settings, those that an environment
 * variable is enough for, and those that somebody has logged in to. Where the
 * settings and the environment speak of one, the settings count member by
 * member, with one exception: a base URL from the environment brings the
 * environment's key along, so that a key never goes to a server that it was
 * not set for. A kept credential counts where neither names a key.
 */
import { keptKey } from "./auth/kept.ts";
import { type Credentials, readCredentials } from "./auth/store.ts";
import type { Config } from "./load.ts";
import { envName, keySource } from "./secrets.ts";
import type { ModelSettings, ProviderSettings } from "./settings.ts";
import { VENDOR_NAMES } from "./vendors.ts";

/** How to reach a provider, and what is known of its models. Structurally an `Endpoint` of llm. */
export interface ProviderEntry {
  readonly name: string;
  /** The protocol; "demo" and "replay" are built in. */
  readonly api: string;
  readonly baseUrl: string;
  readonly apiKey: () => Promise<string | undefined>;
  /** A fresh key after a refusal; only with a login. */
  readonly renewKey?: () => Promise<string | undefined>;
  /** What server it is, where its address does not tell. */
  readonly vendor?: string;
  /** Where the key comes from or would come from, for messages. Never the key. */
  readonly keySource?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly idleTimeoutMs: number;
  readonly models: Readonly<Record<string, ModelSettings>>;
  /** What the user's `models.jsonc` says of its models. */
  readonly described: Readonly<Record<string, ModelSettings>>;
  readonly defaultModel: string | undefined;
  /** It has a key, or needs none as far as the settings say. */
  readonly usable: boolean;
  /** Any model id may be asked for, not only those in `models`. */
  readonly open: boolean;
  /** What is assumed of a model that is not in `models`. */
  readonly assumed: { readonly reasoning: boolean; readonly images: boolean };
  /** Environment variables that are named for it and not set. */
  readonly missing: readonly string[];
}

/** A provider that needs no settings. */
export interface Known {
  readonly name: string;
  readonly api: string;
  readonly baseUrl: string;
  readonly key?: string;
  /** The variable that names another server. */
  readonly url?: string;
  readonly model?: string;
  /** There are no keys: only a login opens it. */
  readonly loginOnly?: true;
  /** The protocol at another server, which the variable names. */
  readonly apiElsewhere?: string;
}

/** Providers that need no settings, in the order in which the first usable one is taken. */
export const KNOWN: readonly Known[] = [
  {
    name: "openai",
    api: "openai-responses",
    apiElsewhere: "openai-completions",
    baseUrl: "https://api.openai.com/v1",
    key: "OPENAI_API_KEY",
    url: "OPENAI_BASE_URL",
    model: "gpt-5.5",
  },
  {
    name: "anthropic",
    api: "anthropic-messages",
    baseUrl: "https://api.anthropic.com",
    key: "ANTHROPIC_API_KEY",
    url: "ANTHROPIC_BASE_URL",
    model: "claude-sonnet-4-6",
  },
  {
    name: "openrouter",
    api: "openai-completions",
    baseUrl: "https://openrouter.ai/api/v1",
    key: "OPENROUTER_API_KEY",
    model: "openrouter/auto",
  },
  {
    name: "xai",
    api: "openai-responses",
    baseUrl: "https://api.x.ai/v1",
    key: "XAI_API_KEY",
    model: "grok-4.5",
  },
  {
    name: "meta",
    api: "openai-responses",
    baseUrl: "https://api.meta.ai/v1",
    key: "META_API_KEY",
    model: "muse-spark-1.1",
  },
  {
    name: "gemini",
    api: "openai-completions",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    key: "GEMINI_API_KEY",
    model: "gemini-2.5-pro",
  },
  {
    name: "openai-codex",
    api: "openai-codex-responses",
    baseUrl: "https://chatgpt.com/backend-api",
    model: "gpt-6.1-sol",
    loginOnly: true,
  },
  {
    name: "deepseek",
    api: "openai-completions",
    baseUrl: "https://api.deepseek.com/v1",
    key: "DEEPSEEK_API_KEY",
    model: "deepseek-v4-pro",
  },
  {
    name: "groq",
    api: "openai-completions",
    baseUrl: "https://api.groq.com/openai/v1",
    key: "GROQ_API_KEY",
    model: "openai/gpt-oss-120b",
  },
  {
    name: "mistral",
    api: "openai-completions",
    baseUrl: "https://api.mistral.ai/v1",
    key: "MISTRAL_API_KEY",
    model: "devstral-latest",
  },
  {
    name: "together",
    api: "openai-completions",
    baseUrl: "https://api.together.xyz/v1",
    key: "TOGETHER_API_KEY",
    model: "Qwen/Qwen3.7-Max",
  },
  { name: "ollama", api: "openai-completions", baseUrl: "http://127.0.0.1:11434/v1", url: "OLLAMA_HOST" },
];

/** Variables that hold keys, by the settings or by their names: never for commands to see. */
export function secretNames({ settings }: Config): string[] {
  const names = KNOWN.flatMap(({ key }) => key ?? []);
  const values = [
    ...Object.values(settings.providers).flatMap((
      { apiKey, headers: own },
    ) => [apiKey, ...Object.values(own ?? {})]),
    ...Object.values(settings.mcpServers).flatMap(({ env, headers: own }) => [
      ...Object.values(env ?? {}),
      ...Object.values(own ?? {}),
    ]),
  ];
  return [
    ...new Set([...names, ...values.flatMap((value) => value === undefined ? [] : envName(value) ?? [])]),
  ];
}

const IDLE_MS = 60_000;

/** All providers: those of the settings first, in their order, then those of the environment. */
export function providers(config: Config): Map<string, ProviderEntry> {
  const all = new Map<string, ProviderEntry>();
  const kept = readCredentials(config.home.auth);
  for (const [name, own] of Object.entries(config.settings.providers)) {
    const known = KNOWN.find((row) => row.name === name);
    all.set(name, entry(name, own, known, config, kept));
  }
  for (const known of KNOWN) {
    if (all.has(known.name)) continue;
    const set = (variable: string | undefined) =>
      variable !== undefined && config.env(variable) !== undefined;
    // A server of one's own may need no key.
    if (!set(known.key) && !set(known.url) && !Object.hasOwn(kept, known.name)) continue;
    all.set(known.name, entry(known.name, {}, known, config, kept));
  }
  return all;
}

function entry(
  name: string,
  own: ProviderSettings,
  known: Known | undefined,
  { env, home, models: described }: Config,
  kept: Credentials,
): ProviderEntry {
  const envUrl = known?.url === undefined ? undefined : env(known.url);
  const envKey = known?.key === undefined ? undefined : `$${known.key}`;
  const key = keySource(envUrl !== undefined && envKey !== undefined ? envKey : own.apiKey ?? envKey, env);
  const models = own.models ?? {};
  const missing: string[] = [];
  // A key that the settings name and nobody has set is missed; one that is kept takes its place.
  const login = !key.present() && Object.hasOwn(kept, name) ? keptKey(home.auth, name) : undefined;
  if (key.kind === "env" && !key.present() && key.name !== undefined && login === undefined) {
    missing.push(key.name);
  }
  const elsewhere = envUrl === undefined ? undefined : known?.apiElsewhere;
  const vendor = own.vendor ?? (known === undefined ? name : undefined);
  return {
    name,
    api: own.api ?? elsewhere ?? known?.api ?? "openai-completions",
    baseUrl: envUrl === undefined ? own.baseUrl ?? known?.baseUrl ?? "" : address(name, envUrl),
    apiKey: login?.get ?? key.get,
    ...(login === undefined ? {} : { renewKey: login.renew }),
    ...(vendor === undefined || !VENDOR_NAMES.some((known) => known === vendor) ? {} : { vendor }),
    keySource: login !== undefined
      ? `the login of "${name}": myelin auth login ${name}`
      : key.kind === "none" && known?.loginOnly
      ? `myelin auth login ${name}`
      : key.name ?? (key.kind === "none" ? known?.key : undefined) ??
        `"providers.${name}.apiKey" in the settings`,
    headers: headers(own.headers ?? {}, env, missing),
    idleTimeoutMs: own.idleTimeout ?? IDLE_MS,
    models,
    described: Object.hasOwn(described, name) ? described[name] : {},
    defaultModel: Object.keys(models)[0] ?? known?.model,
    usable: key.present() || login !== undefined ||
      (own.apiKey === undefined && !known?.loginOnly && (own.baseUrl !== undefined || envUrl !== undefined)),
    open: known !== undefined || Object.keys(models).length === 0,
    assumed: known ? { reasoning: true, images: true } : { reasoning: false, images: false },
    missing,
  };
}

/** OLLAMA_HOST is written in many ways: host, host:port, with or without http://; and a server listens on 0.0.0.0 where a client goes to 127.0.0.1. */
function address(name: string, value: string): string {
  if (name !== "ollama") return value;
  const full = /^https?:\/\//.test(value) ? value : `http://${value}`;
  if (!URL.canParse(full)) return full;
  const url = new URL(full);
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.port === "" && url.protocol === "http:" && !/:80(\/|$)/.test(full)) url.port = "11434";
  const base = url.href.replace(/\/+$/, "");
  return base.endsWith("/v1") ? base : `${base}/v1`;
}

function headers(
  own: Readonly<Record<string, string>>,
  env: Config["env"],
  missing: string[],
): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [header, value] of Object.entries(own)) {
    const name = envName(value);
    const real = name === undefined ? value : env(name);
    if (real === undefined) missing.push(name ?? "");
    else out[header] = real;
  }
  return out;
}
