/**
 * The one table of settings. The loader, the types, `config schema`, `config
 * show` and the tables of docs/configuration.md come from it; a new setting
 * is a new row.
 */
import {
  amount,
  anything,
  count,
  duration,
  flag,
  innerPath,
  list,
  mapOf,
  member,
  type Of,
  oneOf,
  record,
  secretText,
  type Shape,
  share,
  size,
  text,
  webAddress,
} from "./shape.ts";
import { VENDOR_NAMES } from "./vendors.ts";

/**
 * Which files may set it.
 * "user": the user's own, never a project's.
 * "trusted": a project's too, where its access level is "trust".
 * "project": a project's too, where its access level is "read" or "trust".
 * "tighten": like "project", but below "trust" only in the direction of less.
 */
export type Scope = "user" | "trusted" | "project" | "tighten";

export interface Row<T = unknown> {
  readonly shape: Shape<T>;
  /** As the program uses it; undefined: unset. */
  readonly default: T | undefined;
  readonly scope: Scope;
  readonly doc: string;
  /** How a later file's value meets an earlier one's: lists may add up, objects by name always do. */
  readonly merge: "replace" | "append" | "names";
  /** Nothing acts on it yet: who sets it is told. */
  readonly later?: true;
  /** For "tighten": the values from the tightest to the widest; absent for numbers (lower is tighter) and for lists (longer is). */
  readonly order?: readonly string[];
}

type Options = { readonly merge?: Row["merge"]; readonly order?: readonly string[]; readonly later?: true };

/** A row with a default. */
function row<T>(shape: Shape<T>, value: NoInfer<T>, scope: Scope, doc: string, options: Options = {}) {
  return { shape, default: value, scope, doc, merge: "replace" as const, ...options } as Row<T> & {
    default: T;
  };
}

/** A row that is unset unless somebody sets it. */
function unset<T>(shape: Shape<T>, scope: Scope, doc: string): Row<T> & { default: undefined } {
  return { shape, default: undefined, scope, doc, merge: "replace" };
}

/** A test holds them against the list of src/llm/providers. */
export const API_NAMES = [
  "openai-completions",
  "openai-responses",
  "anthropic-messages",
  "openai-codex-responses",
] as const;

const cost = record({
  input: member(amount, "US dollars for a million tokens"),
  output: member(amount, "likewise"),
  cacheRead: member(amount, "likewise"),
  cacheWrite: member(amount, "likewise"),
});

export const modelShape = record({
  contextWindow: member(count(1), "tokens that fit in"),
  maxOutput: member(count(1), "tokens that come out at most"),
  reasoning: member(flag, "it thinks before it answers"),
  images: member(flag, "it sees images"),
  documents: member(flag, "it reads documents such as PDFs"),
  textToolCalls: member(flag, "tool calls that it writes as text are taken as calls"),
  structured: member(flag, "it takes a JSON Schema for its answer; false: it is asked for as a tool call"),
  thinkingForm: member(
    oneOf("effort", "budget", "adaptive"),
    "how a thinking level is said to it, where the protocol has several ways",
  ),
  thinkingLevels: member(
    anything,
    "what its levels off, low, medium and high are called; null: it has no such",
  ),
  options: member(anything, "passed on in the request's body as they are: temperature and the like"),
  cost: member(cost, "what tokens cost; absent: unknown, which is not free"),
});

export const providerShape = record({
  api: member(oneOf(...API_NAMES), "the protocol that the server speaks"),
  baseUrl: member(webAddress, "where it is, with or without the trailing /v1"),
  apiKey: member(secretText, "the key itself, $NAME of an environment variable, or !command that prints it"),
  vendor: member(
    oneOf(...VENDOR_NAMES),
    "what server it is, where neither its address nor its name tells",
  ),
  headers: member(mapOf(secretText), "sent with every request; a value may be $NAME"),
  idleTimeout: member(duration, "silence that ends a request; 60s where absent"),
  models: member(mapOf(modelShape), "the models, by the id that the server knows"),
});

const serverShape = record({
  command: member(text, "the program to start"),
  args: member(list(text), "its arguments"),
  env: member(mapOf(secretText), "its environment, beside a minimal one"),
  url: member(webAddress, "or: the address of a server that runs already"),
  headers: member(mapOf(secretText), "sent with every request to it"),
});

export type ProviderSettings = Of<typeof providerShape>;
export type ModelSettings = Of<typeof modelShape>;
export type McpServerSettings = Of<typeof serverShape>;

export const ROWS = {
  "model": unset(text, "project", "The model, as PROVIDER/ID; unset: the first provider that has a key"),
  "providers": row(mapOf(providerShape), {}, "trusted", "Where models are, by a name of your choice", {
    merge: "names",
  }),
  "sandbox.mode": row(
    oneOf("read-only", "workspace", "off"),
    "workspace",
    "tighten",
    "What the runtime lets tools touch",
    { order: ["read-only", "workspace", "off"] },
  ),
  "sandbox.readRoots": row(list(text), [], "trusted", "Folders that tools may read beside the workspace", {
    merge: "append",
  }),
  "sandbox.writeRoots": row(list(text), [], "trusted", "Folders that tools may write beside the workspace", {
    merge: "append",
  }),
  "sandbox.net": row(
    list(text),
    [],
    "trusted",
    'Hosts that tools and confined programs may reach, with a port where it is not 80 or 443; "*" is every one',
    {
      merge: "append",
    },
  ),
  "sandbox.env": row(
    list(text),
    ["PATH", "HOME", "LANG"],
    "trusted",
    "Environment variables that commands see",
  ),
  "sandbox.exec": row(
    oneOf("auto", "os", "ask", "allow", "deny"),
    "auto",
    "tighten",
    "External programs: wrapped by the system (os), asked for, allowed, denied; auto: os where it works, else ask",
    { order: ["deny", "os", "auto", "ask", "allow"] },
  ),
  "permissions.approve": row(
    oneOf("ask", "auto", "never", "always"),
    "ask",
    "tighten",
    "Who decides what the rules leave open; where nobody can answer, ask is never",
    { order: ["never", "ask", "auto", "always"] },
  ),
  "permissions.allow": row(list(text), [], "trusted", 'Rules such as "run(git status *)" that allow', {
    merge: "append",
  }),
  "permissions.ask": row(list(text), [], "project", "Rules that ask", { merge: "append" }),
  "permissions.deny": row(list(text), [], "project", 'Rules such as "read(**/.env)" that deny', {
    merge: "append",
  }),
  "permissions.commands": row(
    oneOf("sandbox", "ask"),
    "sandbox",
    "tighten",
    "Commands that no rule speaks of: as the sandbox says, or each is asked for",
    { order: ["ask", "sandbox"] },
  ),
  "permissions.judge": unset(
    text,
    "trusted",
    'The model that answers where "approve" is "auto", as PROVIDER/ID; unset: the one at work',
  ),
  "secrets.mask": row(
    flag,
    true,
    "trusted",
    "Whether keys and the values of files that hold secrets are kept from the model, the session and the output",
  ),
  "secrets.files": row(list(text), [], "project", "Further files that hold secrets, as paths or patterns", {
    merge: "append",
  }),
  "secrets.readable": row(list(text), [], "trusted", "Files in which keys may be seen", { merge: "append" }),
  "tools.set": row(
    oneOf("core", "full"),
    "core",
    "tighten",
    "The set of tools that the model is offered",
    { order: ["core", "full"] },
  ),
  "tools.enable": row(list(text), [], "trusted", "Tools offered beside the set", { merge: "append" }),
  "tools.disable": row(list(text), [], "project", "Tools not offered", { merge: "append" }),
  "bash.devShell": row(
    oneOf("off", "nix", "direnv"),
    "off",
    "trusted",
    "Run commands in the project's development shell: of its Nix flake, or its approved .envrc; trusted projects only",
  ),
  "bash.devShellWatch": row(
    list(text),
    [],
    "trusted",
    "Globs of files whose change makes a Nix shell be captured anew, beside the .nix files and flake.lock",
    { merge: "append" },
  ),
  "limits.maxSteps": row(count(1), 50, "tighten", "Requests to the model in one run"),
  "limits.bashTimeout": row(duration, 120_000, "project", "After this a command is ended"),
  "limits.outputBytes": row(size, 32 * 1024, "project", "How much of an output the model is given"),
  "compaction.enabled": row(flag, true, "project", "Whether a conversation that grows too long is shortened"),
  "compaction.reserve": row(count(0), 16_384, "project", "Tokens kept free for the answer"),
  "compaction.threshold": row(
    share,
    1,
    "project",
    "The share of the window at which a conversation is shortened, where that comes before the reserve",
  ),
  "compaction.keepRecentTokens": row(count(0), 20_000, "project", "Tokens at the end that stay as they are"),
  "compaction.strategy": row(
    oneOf("plain", "notify", "prepare"),
    "notify",
    "project",
    "What the model is told before it: nothing, a word, or a turn of its own",
  ),
  "compaction.summaryRequest": row(
    oneOf("live", "separate"),
    "live",
    "project",
    "Ask for the summary inside the conversation, or apart from it",
  ),
  "compaction.pruner": unset(
    text,
    "user",
    "A small model that says which old tool outputs are stale, as PROVIDER/ID, so that they are parked; unset: none",
  ),
  "mcpServers": row(mapOf(serverShape), {}, "trusted", "Servers that offer tools", {
    merge: "names",
    later: true,
  }),
  "hooks": row(anything, {}, "trusted", "Programs that are told of events, or asked", {
    merge: "names",
    later: true,
  }),
  "homeAgents": row(flag, false, "user", "Whether AGENTS.md and skills of ~/.agents are loaded, too"),
  "chat.theme": row(
    oneOf("auto", "dark", "light", "terminal", "mono"),
    "auto",
    "user",
    "Colours of the chat; auto follows the terminal's background",
  ),
  "chat.screen": row(
    oneOf("main", "alternate"),
    "main",
    "user",
    "Where the chat draws: main keeps the terminal's own scrollback",
  ),
  "chat.keys": row(
    mapOf(list(text)),
    {},
    "user",
    "Keys of the chat, by the name of what they do (docs/chat.md)",
    {
      merge: "names",
    },
  ),
  "chat.status": row(
    list(text),
    [],
    "user",
    "What the chat's status line shows, in order: folder, branch, model, context, cost, sandbox, approve, title",
  ),
  "chat.notify": row(
    oneOf("bell", "desktop", "off"),
    "bell",
    "user",
    "How the chat calls when it waits for an answer, or a long run has ended",
  ),
  "contextFiles": row(
    list(innerPath),
    [
      "AGENTS.md",
      "AGENTS.local.md",
      "CLAUDE.md",
      "CLAUDE.local.md",
      ".agents/AGENTS.md",
      ".myelin/AGENTS.md",
    ],
    "project",
    "Files of instructions, looked for from the repository's root down to the workspace",
  ),
  "project.access": row(
    oneOf("ignore", "read", "trust"),
    "read",
    "user",
    "How far the files of a project are heeded",
  ),
  "project.paths": row(
    mapOf(oneOf("ignore", "read", "trust")),
    {},
    "user",
    "The same for projects whose path matches a pattern; the longest that matches counts",
    { merge: "names" },
  ),
} satisfies Readonly<Record<string, Row>>;

export type Key = keyof typeof ROWS;

type Value<K extends Key> = (typeof ROWS)[K] extends { shape: Shape<infer T>; default: infer D }
  ? undefined extends D ? T | undefined : T
  : never;
type Head<K extends string> = K extends `${infer H}.${string}` ? H : K;

/** The settings in force: nested as in the file, durations in milliseconds, sizes in bytes, frozen. */
export type Settings = {
  readonly [H in Head<Key>]: H extends Key ? Value<H>
    : { readonly [K in Key as K extends `${H}.${infer T}` ? T : never]: Value<K> };
};

/** The row of a key; undefined where there is none. */
export function rowOf(key: string): Row | undefined {
  return Object.hasOwn(ROWS, key) ? ROWS[key as Key] as unknown as Row : undefined;
}

export const KEYS = Object.keys(ROWS) as readonly Key[];

/** Names that hold further settings, such as "sandbox". */
export const GROUPS: ReadonlySet<string> = new Set(
  KEYS.filter((key) => key.includes(".")).map((key) => key.split(".")[0]),
);
