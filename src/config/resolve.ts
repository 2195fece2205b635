/** From a model's name, or none, to the model and how to reach it. */
import { ConfigError, quoted } from "./errors.ts";
import type { Config } from "./load.ts";
import { nearest } from "../lib/text/nearest.ts";
import { KNOWN, type ProviderEntry, providers } from "./providers.ts";
import type { ModelSettings } from "./settings.ts";

/** A model as data. Structurally a `Model` of llm. */
export interface ModelRecord {
  readonly provider: string;
  readonly id: string;
  readonly contextWindow?: number;
  readonly maxOutput?: number;
  readonly reasoning: boolean;
  readonly images: boolean;
  readonly cost?: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
  readonly options: Readonly<Record<string, unknown>>;
}

export interface Resolved {
  readonly model: ModelRecord;
  readonly provider: ProviderEntry;
  /** What the user should know, such as a key's variable that is not set. */
  readonly warnings: readonly string[];
}

/** Providers inside the program: no network, no settings. */
const BUILT_IN: readonly string[] = ["demo", "replay"];
const TRY = "To try it without a model, use --model demo/tour";

/**
 * The model that `wanted` names ("provider/id", where the id may hold
 * slashes; a provider alone means its first model; an id alone, the one
 * provider that lists it), else that of the settings, else the first usable
 * provider's. Throws a `ConfigError`: "no_model", "unknown_provider" or
 * "unknown_model".
 */
export function resolveModel(config: Config, wanted?: string): Resolved {
  const name = (wanted ?? config.settings.model)?.trim();
  if (name === "") throw new ConfigError("no_model", "The model's name is empty", { hint: TRY });
  const all = providers(config);
  if (name === undefined) return firstUsable(all);
  try {
    return named(name, all);
  } catch (error) {
    const source = config.sources.get("model");
    if (!(error instanceof ConfigError) || name === wanted || source === undefined) throw error;
    // It was not the user who typed it just now: say who did.
    throw new ConfigError(error.code, `${error.message} ("model" of ${source})`, {
      hint: error.hint,
      cause: error,
    });
  }
}

function named(name: string, all: ReadonlyMap<string, ProviderEntry>): Resolved {
  const slash = name.indexOf("/");
  const head = slash < 0 ? name : name.slice(0, slash);
  const id = slash < 0 ? undefined : name.slice(slash + 1);
  if (head === "demo" && id !== undefined && id !== "tour") {
    throw new ConfigError("unknown_model", `There is no model "${name}"`, {
      hint: "The scripted one is demo/tour",
    });
  }
  if (head === "replay" && !id) {
    throw new ConfigError("unknown_model", "Which recording?", {
      hint: "Name its file: --model replay/FILE",
    });
  }
  if (BUILT_IN.includes(head) && id) return { ...builtIn(head, id), warnings: [] };
  const provider = all.get(head);
  if (provider) {
    const own = id || provider.defaultModel;
    if (own === undefined) throw noDefault(provider);
    return found(provider, own);
  }
  const listing = [...all.values()].filter((entry) => Object.hasOwn(entry.models, name));
  if (listing.length > 0) return found(listing[0], name);
  if (id === undefined) throw unknownModel(name, all);
  throw unknownProvider(head, all);
}

function found(provider: ProviderEntry, id: string): Resolved {
  if (provider.baseUrl === "") {
    throw new ConfigError("no_model", `Provider "${provider.name}" has no "baseUrl"`, {
      hint: `Set "providers.${provider.name}.baseUrl" in your settings`,
    });
  }
  if (!Object.hasOwn(provider.models, id)) {
    if (!provider.open) throw unknownModel(id, new Map([[provider.name, provider]]), provider);
    return { model: record(provider, id, undefined), provider, warnings: warnings(provider) };
  }
  return { model: record(provider, id, provider.models[id]), provider, warnings: warnings(provider) };
}

function firstUsable(all: ReadonlyMap<string, ProviderEntry>): Resolved {
  for (const provider of all.values()) {
    if (provider.usable && provider.defaultModel !== undefined) {
      return found(provider, provider.defaultModel);
    }
  }
  // A key that is named and not set may not be needed: the warning says so.
  for (const provider of all.values()) {
    if (provider.baseUrl !== "" && provider.defaultModel !== undefined) {
      return found(provider, provider.defaultModel);
    }
  }
  for (const provider of all.values()) if (provider.usable) throw noDefault(provider);
  const keys = KNOWN.flatMap(({ key }) => key ?? []).join(", ");
  throw new ConfigError("no_model", "No model is set up", {
    hint:
      `Set one of ${keys} or OLLAMA_HOST, or name a provider in your settings (see \`myelin docs\`). ${TRY}`,
  });
}

function record(provider: ProviderEntry, id: string, own: ModelSettings | undefined): ModelRecord {
  const { cost } = own ?? {};
  return {
    provider: provider.name,
    id,
    ...(own?.contextWindow === undefined ? {} : { contextWindow: own.contextWindow }),
    ...(own?.maxOutput === undefined ? {} : { maxOutput: own.maxOutput }),
    reasoning: own?.reasoning ?? provider.assumed.reasoning,
    images: own?.images ?? provider.assumed.images,
    ...(cost
      ? {
        cost: {
          input: cost.input ?? 0,
          output: cost.output ?? 0,
          cacheRead: cost.cacheRead ?? cost.input ?? 0,
          cacheWrite: cost.cacheWrite ?? cost.input ?? 0,
        },
      }
      : {}),
    options: own?.options ?? {},
  };
}

function builtIn(name: string, id: string): Pick<Resolved, "model" | "provider"> {
  const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return {
    model: { provider: name, id, reasoning: false, images: false, cost: nothing, options: {} },
    provider: {
      name,
      api: name,
      baseUrl: "",
      apiKey: () => Promise.resolve(undefined),
      headers: {},
      idleTimeoutMs: 60_000,
      models: {},
      defaultModel: undefined,
      usable: true,
      open: true,
      assumed: { reasoning: false, images: false },
      missing: [],
    },
  };
}

function warnings(provider: ProviderEntry): string[] {
  return provider.missing.map((name) =>
    `Provider "${provider.name}" wants ${name}, which is not set: requests go without it`
  );
}

function noDefault(provider: ProviderEntry): ConfigError {
  return new ConfigError("no_model", `Provider "${provider.name}" has no model to start with`, {
    hint: `Name one: --model ${provider.name}/ID, or list it in "providers.${provider.name}.models". ${TRY}`,
  });
}

function unknownProvider(name: string, all: ReadonlyMap<string, ProviderEntry>): ConfigError {
  const known = KNOWN.find((row) => row.name === name);
  if (known) {
    return new ConfigError("unknown_provider", `Provider "${name}" has no key`, {
      hint: `Set ${known.key ?? known.url}, or name the provider in your settings. ${TRY}`,
    });
  }
  const names = [...all.keys(), ...BUILT_IN];
  const near = nearest(name, [...names, ...KNOWN.map((row) => row.name)]);
  return new ConfigError("unknown_provider", `Unknown provider ${quoted(name)}`, {
    hint: near === undefined
      ? `There are ${names.join(", ")}`
      : `Did you mean "${near}"? There are ${names.join(", ")}`,
  });
}

function unknownModel(
  id: string,
  all: ReadonlyMap<string, ProviderEntry>,
  provider?: ProviderEntry,
): ConfigError {
  const names = [...all.values()].flatMap((entry) =>
    Object.keys(entry.models).map((model) => `${entry.name}/${model}`)
  );
  const near = nearest(provider ? `${provider.name}/${id}` : id, names) ??
    names.find((name) => nearest(id, [name.slice(name.indexOf("/") + 1)]) !== undefined);
  const what = provider
    ? `Provider "${provider.name}" has no model ${quoted(id)}`
    : `Unknown model ${quoted(id)}`;
  const hint = near !== undefined
    ? `Did you mean "${near}"?`
    : names.length > 0
    ? `There are ${names.slice(0, 8).join(", ")}`
    : `Write it as PROVIDER/ID. ${TRY}`;
  return new ConfigError("unknown_model", what, {
    hint: provider ? `${hint} Others can be added to "providers.${provider.name}.models"` : hint,
  });
}
