/** `auth status`: who has a key and where it comes from. Never a part of a key. */
import {
  type Credential,
  homePaths,
  KNOWN,
  loadConfig,
  providers,
  readCredentials,
} from "../../../config/mod.ts";
import { isLocal } from "../../../llm/mod.ts";
import { stripControls } from "../../../lib/text/control.ts";
import type { Parsed } from "../../args.ts";
import { EXIT } from "../../exit_codes.ts";
import { workspaceOf } from "../../workspace.ts";

interface Row {
  readonly provider: string;
  /** "key", "login", "environment", "settings", "command", "missing", "none needed", "none set" or "no login yet". */
  readonly kind: string;
  readonly source: string;
  readonly account?: string;
  /** ISO 8601. */
  readonly expires?: string;
  readonly usable: boolean;
}

export async function status(parsed: Parsed): Promise<number> {
  const config = await loadConfig({ cwd: workspaceOf() });
  const path = homePaths().auth;
  const kept = readCredentials(path);
  const rows: Row[] = [];
  for (const entry of providers(config).values()) {
    const credential = Object.hasOwn(kept, entry.name) ? kept[entry.name] : undefined;
    const known = KNOWN.find((one) => one.name === entry.name);
    const own = config.settings.providers[entry.name]?.apiKey;
    // A server of one's own asks for none, as far as the settings say.
    const keyless = known === undefined ? isLocal(entry.baseUrl, entry.vendor) : known.key === undefined;
    rows.push({
      provider: entry.name,
      usable: entry.usable && entry.missing.length === 0,
      ...(entry.renewKey !== undefined && credential !== undefined
        ? { ...keptRow(credential), source: path }
        : own !== undefined && !own.startsWith("$")
        ? { kind: own.startsWith("!") ? "command" : "settings", source: `providers.${entry.name}.apiKey` }
        : entry.missing.length > 0
        ? { kind: "missing", source: entry.missing.join(", ") }
        : own !== undefined || (known?.key !== undefined && config.env(known.key) !== undefined)
        ? { kind: "environment", source: entry.keySource ?? "" }
        : known?.loginOnly
        ? { kind: "no login yet", source: entry.keySource ?? "" }
        : keyless
        ? { kind: "none needed", source: entry.baseUrl }
        : { kind: "none set", source: "" }),
    });
  }
  for (const [name, credential] of Object.entries(kept)) {
    if (rows.some((row) => row.provider === name)) continue;
    rows.push({
      provider: name,
      usable: false,
      ...keptRow(credential),
      source: `${path} (no such provider now)`,
    });
  }
  if (parsed.has("json")) console.log(JSON.stringify(rows, null, 2));
  else if (rows.length === 0) {
    console.log("No provider has a key.");
    console.log(
      `Log in: myelin auth login PROVIDER (${KNOWN.map((one) => one.name).join(", ")}), or set one of ` +
        `${KNOWN.flatMap(({ key }) => key ?? []).slice(0, 3).join(", ")}, …`,
    );
    console.log("Without a key: myelin run --model demo/tour");
  } else for (const row of rows) console.log(stripControls(lineOf(row)));
  warnOfMode(path);
  return EXIT.ok;
}

function keptRow(credential: Credential): Pick<Row, "kind" | "account" | "expires"> {
  if (credential.type === "key") return { kind: "key" };
  const { account, expires } = credential;
  return {
    kind: "login",
    ...(account === undefined ? {} : { account }),
    ...(expires === undefined ? {} : { expires: new Date(expires).toISOString() }),
  };
}

function lineOf({ provider, kind, source, account, expires }: Row): string {
  const more = [source, account ?? "", expires === undefined ? "" : `until ${expires} (renewed by itself)`];
  return `${provider.padEnd(14)}  ${kind.padEnd(11)}  ${more.filter((one) => one !== "").join("  ")}`
    .trimEnd();
}

/** Others could read it: it was copied, or its mode was changed. */
function warnOfMode(path: string): void {
  if (Deno.build.os === "windows") return;
  try {
    const mode = (Deno.statSync(path).mode ?? 0) & 0o077;
    if (mode !== 0) console.error(`! Others can read ${path}. Mend it: chmod 600 ${path}`);
  } catch {
    // There is none.
  }
}
