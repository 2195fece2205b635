/**
 * What is known of a model: from the embedded catalog, and over it what the
 * settings say, member by member. Nothing here asks the network. A model that
 * nobody knows has no window, no prices and the abilities that its provider's
 * entry assumes.
 */
import { nearest } from "../../lib/text/nearest.ts";
import type { Cost, CostTier, Model } from "../model.ts";

/** What settings may say of a model; each field that is there wins. */
export type ModelSettings = Partial<Omit<Model, "provider" | "id">>;

/** A model as the user named it, with what the settings say of it. */
export interface Wanted {
  /** Name of the provider entry. */
  readonly provider: string;
  readonly id: string;
  /** Where it is: tells which vendor's models these are. */
  readonly baseUrl?: string;
  readonly settings?: ModelSettings;
  /** What is taken for true of a model that the catalog does not know. */
  readonly assumed?: { readonly reasoning: boolean; readonly images: boolean };
}

/** `model` is complete in any case: what nobody knows is absent from it. */
export interface Known {
  readonly model: Model;
  /** The catalog has it. */
  readonly listed: boolean;
  /** The nearest name that the catalog has, for one that it has not; only where it has the provider. */
  readonly near?: string;
}

/** Hosts -> whose models are there. */
const HOSTS: readonly (readonly [RegExp, string])[] = [
  [/(^|\.)anthropic\.com$/, "anthropic"],
  [/^api\.openai\.com$/, "openai"],
  [/(^|\.)chatgpt\.com$/, "openai-codex"],
  [/^api\.x\.ai$/, "xai"],
  [/^api\.meta\.ai$/, "meta"],
  [/^generativelanguage\.googleapis\.com$/, "gemini"],
  [/(^|\.)deepseek\.com$/, "deepseek"],
  [/^api\.groq\.com$/, "groq"],
  [/(^|\.)mistral\.ai$/, "mistral"],
  [/^api\.together\.(xyz|ai)$/, "together"],
  [/^api\.moonshot\.(ai|cn)$/, "moonshotai"],
  [/(^|\.)z\.ai$/, "zai"],
  [/^api\.cerebras\.ai$/, "cerebras"],
  [/(^|\.)openrouter\.ai$/, "openrouter"],
];

/** A row of the catalog: id, window, output limit, flags (r thinks, i sees, d reads documents, a thinks adaptively), prices, tiers, words for levels. */
type Row = readonly [
  string,
  number,
  number,
  string,
  readonly [number, number, number, number] | null,
  (readonly (readonly [number, number, number, number, number])[] | null)?,
  Readonly<Record<string, string | null>>?,
];

/** The model with all that is known of it. */
export async function completeModel(wanted: Wanted): Promise<Known> {
  const { provider, id, settings = {}, assumed = { reasoning: false, images: false } } = wanted;
  const vendor = vendorOf(wanted);
  const rows = vendor === undefined ? [] : await rowsOf(vendor);
  const row = find(rows, id);
  // A model that is newer than the catalog is like the newest in it.
  const form = row === undefined && vendor === "anthropic" ? { thinkingForm: "adaptive" as const } : {};
  const known = row === undefined ? { ...assumed, ...form } : fromRow(row);
  const near = row === undefined && rows.length > 0 ? nearest(id, rows.map(([name]) => name)) : undefined;
  return {
    model: { options: {}, ...known, ...defined(settings), provider, id },
    listed: row !== undefined,
    ...(near === undefined ? {} : { near }),
  };
}

/** All models of the catalog, with the date of its data. */
export async function listCatalog(): Promise<{ date: string; models: readonly Model[] }> {
  const { DATE, ROWS } = await import("./builtin.ts");
  const models: Model[] = [];
  for (const provider of Object.keys(ROWS)) {
    for (const row of await rowsOf(provider)) {
      models.push({ ...fromRow(row), options: {}, provider, id: row[0] });
    }
  }
  return { date: DATE, models };
}

function vendorOf({ provider, baseUrl }: Wanted): string | undefined {
  if (baseUrl === undefined || baseUrl === "") return provider;
  const host = /^[a-z]+:\/\/(?:[^/@]*@)?([^/:?#]+)/i.exec(baseUrl)?.[1]?.toLowerCase() ?? "";
  return HOSTS.find(([pattern]) => pattern.test(host))?.[1];
}

const parsed = new Map<string, readonly Row[]>();

async function rowsOf(vendor: string): Promise<readonly Row[]> {
  let rows = parsed.get(vendor);
  if (rows === undefined) {
    const { ROWS } = await import("./builtin.ts");
    rows = Object.hasOwn(ROWS, vendor) ? JSON.parse(ROWS[vendor]) as readonly Row[] : [];
    parsed.set(vendor, rows);
  }
  return rows;
}

/** A dated name that the catalog lacks is the model without the date. */
function find(rows: readonly Row[], id: string): Row | undefined {
  const exact = rows.find(([name]) => name === id);
  if (exact !== undefined) return exact;
  const undated = id.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, "");
  return undated === id ? undefined : rows.find(([name]) => name === undated);
}

function fromRow(
  [, window, output, flags, prices, tiers, levels]: Row,
): Omit<Model, "provider" | "id" | "options"> {
  return {
    reasoning: flags.includes("r"),
    images: flags.includes("i"),
    ...(flags.includes("d") ? { documents: true } : {}),
    ...(flags.includes("a") ? { thinkingForm: "adaptive" } : {}),
    ...(window > 0 ? { contextWindow: window } : {}),
    ...(output > 0 ? { maxOutput: output } : {}),
    ...(prices === null ? {} : { cost: costOf(prices) }),
    ...(tiers ? { costTiers: tiers.map(([above, ...rest]): CostTier => ({ above, ...costOf(rest) })) } : {}),
    ...(levels === undefined ? {} : { thinkingLevels: levels }),
  };
}

function costOf([input, output, cacheRead, cacheWrite]: readonly [number, number, number, number]): Cost {
  return { input, output, cacheRead, cacheWrite };
}

/** Without the members that are undefined. */
function defined(settings: ModelSettings): ModelSettings {
  const entries = Object.entries(settings).filter(([, value]) => value !== undefined);
  // Own prices hold for every size.
  return { ...(settings.cost === undefined ? {} : { costTiers: undefined }), ...Object.fromEntries(entries) };
}
