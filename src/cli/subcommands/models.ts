/** `myelin models`: the catalog, what the settings add to it, and what a server itself offers. */
import { KNOWN, loadConfig, type ProviderEntry, providers } from "../../config/mod.ts";
import { counted } from "../../lib/text/count.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { stripControls } from "../../lib/text/control.ts";
import {
  completeModel,
  isLocal,
  listCatalog,
  loadModelLister,
  type Model,
  modelName,
  probeServer,
} from "../../llm/mod.ts";
import { type CommandSpec, helpText, parseCommand, type Parsed, UsageError } from "../args.ts";
import { EXIT } from "../exit_codes.ts";
import { workspaceOf } from "../workspace.ts";

const SPEC: CommandSpec = {
  usage: "models [options] [FILTER…]",
  summary:
    "Lists models: those of the providers that are set up (--all: of every one in the catalog). FILTER is a part\n" +
    "of PROVIDER/ID, looked for in the whole catalog where none of yours has it; with one model left, all\n" +
    "that is known of it is shown.",
  options: [
    { name: "all", short: "a", help: "also of providers without a key" },
    { name: "live", help: "ask the servers themselves what they offer" },
    { name: "json", help: "for scripts" },
  ],
  more: `Prices are US dollars for a million tokens: input, output, read from the cache, written to it. "?" is
unknown, "-" a price that is not set.
What is wrong or missing can be set in models.jsonc of the home folder, or under "providers" in the settings.`,
};

export async function run(args: string[]): Promise<number> {
  const parsed = parseCommand(SPEC, args);
  if (parsed.has("help")) {
    console.log(helpText(SPEC).trimEnd());
    return EXIT.ok;
  }
  const config = await loadConfig({ cwd: workspaceOf() });
  const set = providers(config);
  const filter = parsed.positionals.join(" ").trim().toLowerCase();
  const { date, models } = await known(set, parsed.has("all"), parsed.has("live"));
  let found = matching(models, filter);
  if (found.length === 0 && filter !== "" && !parsed.has("all")) {
    // Whoever looks for a name may not have its key yet.
    found = matching((await known(set, true, false)).models, filter);
    if (found.length > 0) console.error("Of the providers that are set up, none. Of the others:");
  }
  if (found.length === 0) return nothing(filter, models, set, parsed);
  if (parsed.has("json")) console.log(JSON.stringify({ date, models: found }, null, 2));
  else if (found.length === 1 && filter !== "") show(found[0], date);
  else table(found, date);
  return EXIT.ok;
}

/** The one that is named so, else those whose names hold each word. */
function matching(models: readonly Model[], filter: string): Model[] {
  const words = filter.split(/\s+/).filter((word) => word !== "");
  const exact = models.filter((model) => modelName(model).toLowerCase() === filter);
  if (exact.length > 0) return exact;
  return models.filter((model) => words.every((word) => modelName(model).toLowerCase().includes(word)));
}

/** The models of the catalog and of the settings; with `live`, of the servers. */
async function known(
  set: ReadonlyMap<string, ProviderEntry>,
  all: boolean,
  live: boolean,
): Promise<{ date: string; models: Model[] }> {
  const catalog = await listCatalog();
  const byName = new Map<string, Model>();
  const add = async (entry: ProviderEntry, id: string) => {
    const own = { ...entry.described[id], ...entry.models[id] } as Parameters<
      typeof completeModel
    >[0]["settings"];
    const { model } = await completeModel({
      provider: entry.name,
      id,
      baseUrl: entry.baseUrl,
      settings: own ?? {},
      assumed: entry.assumed,
    });
    byName.set(modelName(model), model);
  };
  for (const model of catalog.models) {
    const entry = set.get(model.provider);
    const elsewhere = entry !== undefined && !sameServer(entry);
    if (elsewhere || (entry === undefined && !all)) continue;
    byName.set(modelName(model), model);
  }
  for (const entry of set.values()) {
    for (const id of new Set([...Object.keys(entry.models), ...Object.keys(entry.described)])) {
      await add(entry, id);
    }
    if (!live) continue;
    try {
      const { listModels } = await loadModelLister();
      for (const id of await listModels(entry.name, entry.api, entry)) {
        if (byName.has(`${entry.name}/${id}`)) continue;
        await add(entry, id);
        await withWindow(entry, id, byName);
      }
    } catch (error) {
      console.error(stripControls(`! ${error instanceof Error ? error.message : error}`));
    }
  }
  const models = [...byName.values()].sort((a, b) => modelName(a) < modelName(b) ? -1 : 1);
  return { date: catalog.date, models };
}

/** A local server's real window, where it says one. */
async function withWindow(entry: ProviderEntry, id: string, byName: Map<string, Model>): Promise<void> {
  if (!isLocal(entry.baseUrl, entry.vendor)) return;
  const probed = await probeServer({
    baseUrl: entry.baseUrl,
    headers: entry.headers,
    model: id,
    signal: AbortSignal.timeout(5_000),
    ...(entry.vendor === undefined ? {} : { vendor: entry.vendor }),
  });
  const model = byName.get(`${entry.name}/${id}`);
  if (model === undefined || probed?.contextWindow === undefined || model.contextWindow !== undefined) return;
  byName.set(`${entry.name}/${id}`, { ...model, contextWindow: probed.contextWindow });
}

/** Whether an entry is the vendor's own server, whose models the catalog has. */
function sameServer(entry: ProviderEntry): boolean {
  const vendor = KNOWN.find((one) => one.name === entry.name);
  return vendor === undefined || entry.baseUrl === vendor.baseUrl;
}

function nothing(
  filter: string,
  models: readonly Model[],
  set: ReadonlyMap<string, ProviderEntry>,
  parsed: Parsed,
): number {
  if (filter === "") {
    console.error(
      set.size === 0
        ? "No provider is set up. Log in (myelin auth login), or set a key such as OPENAI_API_KEY."
        : "The providers that are set up list no models; --live asks them.",
    );
    console.error(
      "All models of the catalog: myelin models --all. Without a key: myelin run --model demo/tour",
    );
    return set.size === 0 ? EXIT.usage : EXIT.ok;
  }
  const names = models.map(modelName);
  const near = nearest(filter, names) ?? nearest(filter, models.map(({ id }) => id));
  const all = parsed.has("live") ? "" : " What a server offers itself: myelin models --live";
  throw new UsageError(
    `No model is like "${stripControls(filter)}"`,
    `${near === undefined ? "" : `Did you mean "${near}"?`}${all}`.trim() || undefined,
  );
}

function table(models: readonly Model[], date: string): void {
  const rows = models.map((model) => [
    modelName(model),
    size(model.contextWindow),
    size(model.maxOutput),
    abilities(model),
    prices(model),
  ]);
  const head = ["model", "window", "output", "", "in / out / cache read / write"];
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at].length)));
  if (widths.reduce((sum, width) => sum + width + 2, -2) > columns()) {
    // Too narrow for columns.
    for (const [name, window, output, able, price] of rows) {
      const facts = [`window ${window}, output ${output}`, able, price].filter((fact) => fact !== "");
      console.log(stripControls([name, ...facts].join("\n  ")));
    }
    console.error(`Catalog of ${date}`);
    return;
  }
  for (const row of [head, ...rows]) {
    console.log(stripControls(row.map((cell, at) => cell.padEnd(widths[at])).join("  ").trimEnd()));
  }
  console.error(`Catalog of ${date}`);
}

/** Of the terminal; a file or a pipe has room for everything. */
function columns(): number {
  try {
    return Deno.stdout.isTerminal() ? Deno.consoleSize().columns || 80 : Infinity;
  } catch {
    return 80; // the terminal is another stream's
  }
}

function show(model: Model, date: string): void {
  const rows: [string, string][] = [
    ["model", modelName(model)],
    ["window", model.contextWindow === undefined ? "unknown" : counted(model.contextWindow, "token")],
    ["output", model.maxOutput === undefined ? "unknown" : `${counted(model.maxOutput, "token")} at most`],
    ["abilities", abilities(model) || "text"],
    ["prices", prices(model)],
    ...(model.costTiers ?? []).map((tier): [string, string] => [
      `above ${size(tier.above)}`,
      priceList(tier),
    ]),
    ...(model.thinkingLevels === undefined
      ? []
      : [["levels", JSON.stringify(model.thinkingLevels)] as [string, string]]),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, value] of rows) console.log(stripControls(`${name.padEnd(width)}  ${value}`));
  console.error(`Catalog of ${date}; in, out, cache read, cache write in US dollars for a million tokens`);
}

function abilities({ reasoning, images, documents, textToolCalls }: Model): string {
  return [
    reasoning ? "thinks" : "",
    images ? "images" : "",
    documents ? "documents" : "",
    textToolCalls ? "text calls" : "",
  ].filter((word) => word !== "").join(", ");
}

function prices({ cost }: Model): string {
  return cost === undefined ? "?" : priceList(cost);
}

/** The four prices; a dash for one that the provider does not name. */
function priceList(cost: NonNullable<Model["cost"]>): string {
  return [cost.input, cost.output, cost.cacheRead, cost.cacheWrite].map((price) => price ?? "-").join(" / ");
}

function size(tokens: number | undefined): string {
  if (tokens === undefined) return "?";
  if (tokens >= 1_000_000 && tokens % 100_000 === 0) return `${tokens / 1_000_000}M`;
  return tokens >= 1_000 ? `${Math.round(tokens / 1_000)}k` : `${tokens}`;
}
