/** The rules of the house as data: who may import whom, and who may touch the system. Read by check.ts. */

/** What the two composition roots join, each on its side. */
const JOINED = [
  "lib",
  "llm",
  "shell",
  "config",
  "release",
  "agent",
  "sandbox",
  "session",
  "tools",
  "context",
  "extend",
];

/** Layer -> layers whose doors and contracts it may import. `shell` and the like are folders of src/. */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  llm: ["lib"],
  shell: ["lib"],
  config: ["lib"],
  release: ["lib"],
  agent: ["lib", "llm"],
  sandbox: ["lib", "shell"],
  session: ["lib", "llm"],
  tools: ["lib", "llm", "agent", "sandbox"],
  context: ["lib", "llm", "session"],
  extend: ["lib", "llm", "agent", "sandbox"],
  engine: JOINED,
  sheath: JOINED,
  goal: ["lib", "llm", "engine"],
  commands: ["lib", "llm", "engine", "goal"],
  ui: ["lib", "llm", "engine", "commands"],
  cli: ["lib", "llm", "engine", "commands", "config", "release", "goal", "ui"],
};

/** Extra layers for single folders. */
export const EXTRA: readonly {
  readonly from: string;
  readonly layers: readonly string[];
  readonly lazyOnly: boolean;
}[] = [
  { from: "src/cli/subcommands/", layers: ["shell", "sandbox", "session", "context"], lazyOnly: false },
];

/** Layers that see only these files of another layer. */
export const NARROW: readonly {
  readonly from: readonly string[];
  readonly to: string;
  readonly files: readonly string[];
}[] = [
  {
    from: ["ui", "goal", "commands"],
    to: "engine",
    files: ["src/engine/op.ts", "src/engine/event.ts", "src/engine/snapshot.ts"],
  },
  { from: ["ui", "goal", "commands"], to: "llm", files: ["src/llm/message.ts"] },
];

/** Files that other layers may import beside doors: contracts (types with the few functions that belong to them). */
export const CONTRACTS: readonly string[] = [
  "src/llm/message.ts",
  "src/llm/event.ts",
  "src/llm/errors.ts",
  "src/llm/model.ts",
  "src/llm/provider.ts",
  "src/shell/host.ts",
  "src/shell/builtin.ts",
  // The grammar by itself: rules read a text that a foreign shell is to run.
  "src/shell/syntax/mod.ts",
  "src/agent/tool.ts",
  "src/agent/event.ts",
  "src/agent/journal.ts",
  "src/sandbox/policy.ts",
  // No contract, but all of the sandbox that a shell on its own needs: its door would make each start slower.
  "src/sandbox/host_real.ts",
  "src/session/entry.ts",
  // A door of its own: a run that stays short never loads it.
  "src/context/compact/mod.ts",
  "src/tools/tool.ts",
  "src/engine/op.ts",
  "src/engine/event.ts",
  "src/engine/create.ts",
  // Names alone, needed earlier than the commands.
  "src/commands/names.ts",
];

/** Files that only these may import. */
export const RESERVED: readonly { readonly file: string; readonly by: readonly string[] }[] = [
  { file: "src/engine/create.ts", by: ["src/cli/", "src/mod.ts"] },
  { file: "src/sheath/main.ts", by: [] },
  { file: "src/sandbox/host_real.ts", by: ["src/sandbox/", "src/cli/subcommands/sh/"] },
];

/** Folders whose entries are strangers to each other; they share through `shared/`. */
export const PEERS: readonly string[] = [
  "src/llm/providers",
  "src/tools",
  "src/shell/builtins",
  "src/shell/coreutils",
  "src/context/sections",
  "src/engine/ops",
  "src/commands",
  "src/ui",
  "src/cli/subcommands",
];

/** The only files (or folders, with a final slash) that may name `Deno.*` or import `node:*`. */
export const EDGES: readonly string[] = [
  "main.ts",
  "src/sandbox/host_real.ts",
  "src/sandbox/host_pinned.ts",
  "src/sandbox/host_libc.ts",
  "src/sandbox/worker/",
  "src/sandbox/os/",
  "src/sheath/",
  "src/session/log/",
  "src/session/lock.ts",
  "src/session/blobs.ts",
  "src/session/snapshots/",
  "src/config/",
  "src/release/",
  "src/lib/files/",
  "src/tools/fetch/",
  "src/extend/mcp/",
  "src/extend/hooks/",
  "src/ui/",
  "src/cli/",
];
