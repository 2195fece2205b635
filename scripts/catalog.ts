/**
 * Makes src/llm/catalog/builtin.ts: what is publicly known of models, as of a
 * date: windows, output limits, prices with their tiers, abilities. The data is
 * that of an npm package (MIT) which gathers vendors' lists and models.dev:
 *
 *   deno run -A scripts/catalog.ts            fetches the package with npm
 *   deno run -A scripts/catalog.ts FOLDER     takes an unpacked one
 */
const PACKAGE = "@earendil-works/pi-ai@1.6.0";
const TARGET = new URL("../src/llm/catalog/builtin.ts", import.meta.url);

/** Our names of providers -> the package's. */
const PROVIDERS: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  openai: "openai",
  "openai-codex": "openai-codex",
  xai: "xai",
  meta: "meta",
  gemini: "google",
  deepseek: "deepseek",
  groq: "groq",
  mistral: "mistral",
  together: "together",
  moonshotai: "moonshotai",
  zai: "zai",
  cerebras: "cerebras",
  openrouter: "openrouter",
};

interface Raw {
  readonly id: string;
  readonly type?: string;
  readonly reasoning?: boolean;
  readonly input?: readonly string[];
  readonly contextWindow?: number;
  readonly maxTokens?: number;
  readonly cost?: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
    readonly tiers?: readonly {
      readonly inputTokensAbove: number;
      readonly input: number;
      readonly output: number;
      readonly cacheRead: number;
      readonly cacheWrite: number;
    }[];
  };
  readonly thinkingLevelMap?: Readonly<Record<string, string | null>>;
  readonly compat?: { readonly forceAdaptiveThinking?: boolean };
}

const LEVELS = ["off", "low", "medium", "high"];

/** A model as a row: [id, window, output limit, flags, prices, tiers, levels]; see lookup.ts. */
function row(model: Raw, provider: string): unknown[] {
  const images = model.input?.includes("image") ?? false;
  const flags = [
    model.reasoning ? "r" : "",
    images ? "i" : "",
    // Both read PDFs with every model that sees.
    images && ["anthropic", "openai", "openai-codex"].includes(provider) ? "d" : "",
    model.compat?.forceAdaptiveThinking ? "a" : "",
  ].join("");
  const { cost } = model;
  // A price that nobody knows is none; free is told by the id.
  const priced = cost !== undefined && (cost.input > 0 || cost.output > 0 || model.id.endsWith(":free"));
  const prices = priced ? pricesOf(cost) : null;
  const tiers = priced ? (cost.tiers ?? []).map((tier) => [tier.inputTokensAbove, ...pricesOf(tier)]) : [];
  const levels = Object.fromEntries(
    Object.entries(model.thinkingLevelMap ?? {}).filter(([level, word]) =>
      LEVELS.includes(level) && word !== level
    ),
  );
  const out: unknown[] = [model.id, model.contextWindow ?? 0, model.maxTokens ?? 0, flags, prices];
  if (tiers.length > 0 || Object.keys(levels).length > 0) out.push(tiers.length > 0 ? tiers : null);
  if (Object.keys(levels).length > 0) out.push(levels);
  return out;
}

/** Reads and writes that are not priced apart cost what the input does. */
function pricesOf(
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number },
): number[] {
  const round = (value: number) => Number(value.toPrecision(8));
  return [cost.input, cost.output, cost.cacheRead || cost.input, cost.cacheWrite || cost.input].map(round);
}

async function unpacked(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "catalog_" });
  const run = async (command: string, ...args: string[]) => {
    const { success } = await new Deno.Command(command, { args, cwd: folder, stdout: "null" }).output();
    if (!success) throw new Error(`${command} ${args.join(" ")} failed`);
  };
  await run("npm", "pack", "--silent", PACKAGE);
  const file = [...Deno.readDirSync(folder)].find(({ name }) => name.endsWith(".tgz"))?.name ?? "";
  await run("tar", "xzf", file);
  return `${folder}/package`;
}

if (import.meta.main) {
  const folder = Deno.args[0] ?? await unpacked();
  const lines: string[] = [];
  let models = 0;
  for (const [own, theirs] of Object.entries(PROVIDERS)) {
    const byApi: Record<string, Record<string, Raw>> = JSON.parse(
      await Deno.readTextFile(`${folder}/dist/providers/data/${theirs}.json`),
    );
    const rows = Object.values(byApi).flatMap((all) => Object.values(all))
      .filter((model) => (model.type ?? "chat") === "chat").map((model) => row(model, own));
    rows.sort((a, b) => String(a[0]) < String(b[0]) ? -1 : 1);
    models += rows.length;
    lines.push(`  ${JSON.stringify(own)}: ${quoted(JSON.stringify(rows))},`);
  }
  const date = new Date().toISOString().slice(0, 10);
  await Deno.writeTextFile(
    TARGET,
    `/**
 * What is publicly known of models, as of a date. Made by scripts/catalog.ts;
 * not to be edited. One text of JSON a provider, so that only what is asked
 * for is parsed. The rows are described in lookup.ts.
 */
// deno-fmt-ignore-file

/** When it was gathered, YYYY-MM-DD. */
export const DATE = "${date}";

/** Vendor -> JSON of its rows. */
export const ROWS: Readonly<Record<string, string>> = {
${lines.join("\n")}
};
`,
  );
  console.log(`${models} models of ${lines.length} providers, ${date}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
