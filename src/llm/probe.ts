/**
 * Asks a local server what it really is and holds: which models, and how much
 * of a prompt they keep. Each kind of server says it elsewhere. Never needed
 * for a request, and never waited for by one: what does not answer in time has
 * said nothing.
 */
import { isRecord, type Json } from "../lib/json.ts";
import { hostOf } from "./address.ts";

/** What the server said; members are absent where it said nothing. */
export interface Probed {
  /** What server it is, as the quirks call it; undefined: it does not say. */
  readonly vendor?: string;
  /** Ids of the models that it offers. */
  readonly models: readonly string[];
  /** The window of the model that was asked for, as it is loaded or would be. */
  readonly contextWindow?: number;
}

/** `vendor` saves finding out what server it is; `model` is the one whose window is asked for. */
export interface ProbeOptions {
  readonly baseUrl: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly vendor?: string;
  readonly model?: string;
  readonly fetch?: typeof fetch;
  readonly signal: AbortSignal;
}

/** Servers that run on machines of one's own. */
const LOCAL_VENDORS = new Set(["ollama", "llamacpp", "vllm", "sglang", "lmstudio"]);

/** Whether an address is this machine or one of the same house. */
export function isLocal(baseUrl: string, vendor?: string): boolean {
  if (vendor !== undefined && LOCAL_VENDORS.has(vendor)) return true;
  const host = hostOf(baseUrl);
  return /^(localhost|\[::1\]|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)/.test(host) ||
    host.endsWith(".local");
}

/** What the server says; undefined where it says nothing. Never rejects. */
export async function probeServer(options: ProbeOptions): Promise<Probed | undefined> {
  const root = options.baseUrl.replace(/[?#].*$/, "").replace(/\/+$/, "").replace(/\/v1$/, "");
  const list = await ask(options, `${root}/v1/models`);
  const rows = records(list?.data);
  const vendor = options.vendor ?? vendorOf(rows);
  if (rows.length === 0 && vendor === undefined) return undefined;
  const models = rows.flatMap(({ id }) => typeof id === "string" ? [id] : []);
  const row = rows.find(({ id }) => id === options.model) ?? (rows.length === 1 ? rows[0] : undefined);
  const window = await windowOf(options, root, vendor, row);
  return {
    models,
    ...(vendor === undefined ? {} : { vendor }),
    ...(window === undefined ? {} : { contextWindow: window }),
  };
}

/** Each kind signs its models. */
function vendorOf(rows: readonly Json[]): string | undefined {
  const owner = String(rows[0]?.owned_by ?? "").toLowerCase();
  return {
    llamacpp: "llamacpp",
    vllm: "vllm",
    sglang: "sglang",
    library: "ollama",
    organization_owner: "lmstudio",
  }[
    owner
  ];
}

async function windowOf(
  options: ProbeOptions,
  root: string,
  vendor: string | undefined,
  row: Json | undefined,
): Promise<number | undefined> {
  const listed = size(row?.max_model_len) ?? size(row?.context_length) ?? size(row?.loaded_context_length);
  if (listed !== undefined) return listed;
  if (vendor === "ollama") return await ofOllama(options, root);
  if (vendor === "lmstudio") {
    const rows = records((await ask(options, `${root}/api/v0/models`))?.data);
    const own = rows.find(({ id }) => id === options.model);
    return size(own?.loaded_context_length) ?? size(own?.max_context_length);
  }
  if (vendor !== undefined && vendor !== "llamacpp") return undefined;
  const props = await ask(options, `${root}/props`);
  const generation = props?.default_generation_settings;
  return size(isRecord(generation) ? generation.n_ctx : undefined) ?? size(props?.n_ctx);
}

/** A loaded model says what it was loaded with; else its Modelfile does. What it was trained with is not what it gets. */
async function ofOllama(options: ProbeOptions, root: string): Promise<number | undefined> {
  const { model } = options;
  if (model === undefined) return undefined;
  const named = (name: unknown) => name === model || name === `${model}:latest`;
  const loaded = records((await ask(options, `${root}/api/ps`))?.models)
    .find((one) => named(one.name) || named(one.model));
  const now = size(loaded?.context_length);
  if (now !== undefined) return now;
  const shown = await ask(options, `${root}/api/show`, { model });
  const parameters = typeof shown?.parameters === "string" ? shown.parameters : "";
  return size(Number(/^num_ctx\s+(\d+)/m.exec(parameters)?.[1]));
}

async function ask(options: ProbeOptions, url: string, body?: Json): Promise<Json | undefined> {
  try {
    const response = await (options.fetch ?? fetch)(url, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        accept: "application/json",
        "user-agent": "myelin",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: "manual",
      signal: options.signal,
    });
    const text = await response.text();
    const value: unknown = response.ok ? JSON.parse(text) : undefined;
    return isRecord(value) ? value : undefined;
  } catch {
    // It is not there, says something else, or took too long: it has said nothing.
    return undefined;
  }
}

function records(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function size(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;
}
