/** From a model's name, or none, to the model and how to reach it. */
import { ConfigError, quoted } from "./errors.ts";
import type { Config } from "./load.ts";
import { nearest } from "../lib/text/nearest.ts";
import { KNOWN, type ProviderEntry, providers } from "./providers.ts";
import { run } from "./secrets.ts";
import type { ModelSettings } from "./settings.ts";

/** A model as data. Structurally a `Model` of llm. */
export interface ModelRecord {
  readonly provider: string;
  readonly id: string;
  readonly contextWindow?: number;
  readonly maxOutput?: number;
  readonly reasoning: boolean;
  readonly images: boolean;
  readonly documents?: boolean;
  readonly textToolCalls?: boolean;
  readonly structured?: boolean;
  readonly thinkingForm?: "effort" | "budget" | "adaptive";
  readonly thinkingLevels?: Readonly<Record<string, string | null>>;
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
  /** What the settings themselves say of the model; the rest of `model` is assumed, and a catalog may know better. */
  readonly own: Partial<Omit<ModelRecord, "provider" | "id">>;
  /** What the user should know, such as a key's variable that is not set. */
  readonly warnings: readonly string[];
}

/** Providers inside the program: no network, no settings. */
const BUILT_IN: readonly string[] = ["demo", "replay"];
const TRY = "To try it without a model, use --model demo/tour";

/**
 * The name of the model, where "model" of the settings is `!command` that
 * prints it: a command runs only for the user's own settings and for those of
 * a trusted project. `wanted`, from the command line, is a name and never run.
 */
export async function namedModel(config: Config, wanted?: string): Promise<string | undefined> {
  const own = config.settings.model?.trim();
  if (wanted !== undefined || own === undefined || !own.startsWith("!")) return wanted;
  const source = config.sources.get("model");
  const ofProject = config.files.some(({ path, role }) => path === source && role !== "user");
  if (ofProject && config.project.access !== "trust") {
    throw new ConfigError("no_model", '"model" is a command, and the project is not trusted', {
      ...(source === undefined ? {} : { file: source }),
      hint: "Look at it, then run `myelin trust`, or name a model: --model PROVIDER/ID",
    });
  }
  const name = (await run(own.slice(1), "model")).split(/\r?\n/, 1)[0].trim();
  if (!/^[\x21-\x7e]{1,200}$/.test(name)) {
    throw new ConfigError("no_model", 'The command of "model" printed no name of a model', {
      hint: "It should print PROVIDER/ID",
    });
  }
  return name;
}

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
  if (head === "demo" && id !== "tour" && !all.has(head)) {
    throw new ConfigError("unknown_model", `There is no model "${name}"`, {
      hint: "The scripted one is demo/tour",
    });
  }
  if (head === "replay" && !id) {
    throw new ConfigError("unknown_model", "Which recording?", {
      hint: "Name its file: --model replay/FILE",
    });
  }
  if (BUILT_IN.includes(head) && id) return { ...builtIn(head, id), own: {}, warnings: [] };
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
  const listed = Object.hasOwn(provider.models, id) ? provider.models[id] : undefined;
  if (listed === undefined && !provider.open) {
    throw unknownModel(id, new Map([[provider.name, provider]]), provider);
  }
  const described = Object.hasOwn(provider.described, id) ? provider.described[id] : undefined;
  const own = { ...ownOf(described), ...ownOf(listed) };
  const model = { options: {}, ...provider.assumed, ...own, provider: provider.name, id };
  return { model, provider, own, warnings: warnings(provider) };
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
  throw noModel();
}

/** What the settings say of a model, in the form of a record. */
function ownOf(settings: ModelSettings | undefined): Resolved["own"] {
  const { cost, thinkingLevels, ...rest } = settings ?? {};
  const known = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return {
    ...known,
    ...(thinkingLevels === undefined
      ? {}
      : { thinkingLevels: thinkingLevels as Record<string, string | null> }),
    ...(cost === undefined ? {} : {
      cost: {
        input: cost.input ?? 0,
        output: cost.output ?? 0,
        cacheRead: cost.cacheRead ?? cost.input ?? 0,
        cacheWrite: cost.cacheWrite ?? cost.input ?? 0,
      },
    }),
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
      described: {},
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

function noModel(): ConfigError {
  const keys = KNOWN.flatMap(({ key }) => key ?? []).slice(0, 6).join(", ");
  return new ConfigError("no_model", "No model is set up", {
    hint: `Set one of ${keys} or OLLAMA_HOST, log in (\`myelin auth login\`), or name a provider in your ` +
      `settings (see \`myelin docs providers\`). ${TRY}`,
  });
}

function noDefault(provider: ProviderEntry): ConfigError {
  return new ConfigError("no_model", `Provider "${provider.name}" has no model to start with`, {
    hint: `Name one: --model ${provider.name}/ID, or list it in "providers.${provider.name}.models". ${TRY}`,
  });
}

function unknownProvider(name: string, all: ReadonlyMap<string, ProviderEntry>): ConfigError {
  const known = KNOWN.find((row) => row.name === name);
  if (known) {
    const variable = known.key ?? known.url;
    const how = variable === undefined ? "" : `Set ${variable}, or log in: `;
    return new ConfigError("unknown_provider", `Provider "${name}" has no key`, {
      hint: `${how}myelin auth login ${name}. ${TRY}`,
    });
  }
  const names = [...all.keys(), ...BUILT_IN];
  const near = nearest(name, [...names, ...KNOWN.map((row) => row.name)]);
  return new ConfigError("unknown_provider", `Unknown provider ${quoted(name)}`, {
    hint: `${near === undefined ? "" : `Did you mean "${near}"? `}Set up here: ${names.join(", ")}. ` +
      `With a key: ${KNOWN.map((row) => row.name).filter((one) => !names.includes(one)).join(", ")}. ` +
      `Others are named in the settings`,
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
    ? `Known here: ${names.slice(0, 8).join(", ")}`
    : `Write it as PROVIDER/ID (myelin models --all lists them). ${TRY}`;
  return new ConfigError("unknown_model", what, {
    hint: provider
      ? `${hint}${hint.endsWith("?") ? "" : "."} Others can be added to "providers.${provider.name}.models"`
      : hint,
  });
}
