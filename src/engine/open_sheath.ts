/**
 * Opens the sheath of a session: its policy, what the worker may ask of this
 * isolate, the environment of the project's development shell. Done at the
 * first call, or when a request has left: a run without calls needs none of it.
 */
import { errorResult, type ToolResult } from "../agent/tool.ts";
import { type Config, secretNames } from "../config/mod.ts";
import { describe } from "../lib/errors.ts";
import { VERSION } from "../release/mod.ts";
import type { ApproveMode, Sheath, SheathOptions } from "../sandbox/mod.ts";
import type { ArtifactStore, AttachmentStore, Session } from "../session/mod.ts";
import { loadNetwork, type Network } from "../tools/mod.ts";
import { keepTrust } from "./answers.ts";
import type { EngineDeps } from "./deps.ts";
import type { FileChanges } from "./file_changes.ts";
import { withContents } from "./local_content.ts";
import type { SecretKeeper } from "./secrets.ts";

/** Where and how the session works. */
export interface SheathPlace {
  readonly config: Config;
  readonly cwd: string;
  readonly approve: ApproveMode;
  readonly environment?: Readonly<Record<string, string>>;
  readonly workerUrl: URL;
}

/** What the sheath is joined with. */
export interface SheathParts {
  readonly permits: EngineDeps["permits"];
  readonly changes: FileChanges;
  readonly secrets: SecretKeeper;
  readonly artifacts: ArtifactStore;
  readonly session: Session;
  readonly attachments: AttachmentStore;
  /** Is told the sheath's own folder. */
  readonly places: { temp?: string };
  readonly emit: EngineDeps["emit"];
}

/** The sheath of a session, for its policy; where it cannot be made, rejects. */
export async function openSheathOf(
  options: SheathPlace,
  { permits, changes, secrets, artifacts, session, attachments, places, emit }: SheathParts,
): Promise<Sheath<ToolResult>> {
  const { openSheath, preparePolicy } = await import("../sandbox/mod.ts");
  await keepTrust(options.config).catch((error) =>
    emit({ type: "notice", level: "warning", text: `The project's trust cannot be kept: ${describe(error)}` })
  );
  const { settings, home } = options.config;
  const policy = await preparePolicy({
    ...settings.sandbox,
    workspace: options.cwd,
    approve: options.approve,
    rules: settings.permissions,
    home: home.user,
    ownFolder: home.root,
  });
  places.temp = policy.tempDir;
  const keeper = policy.mode === "read-only" ? undefined : await changes.keeper([policy.tempDir, home.root]);
  return openSheath<ToolResult>({
    ...(keeper === undefined ? {} : { keeper }),
    workerUrl: options.workerUrl,
    policy,
    env: settings.sandbox.env,
    secretNames: secretNames(options.config),
    limits: { outputBytes: settings.limits.outputBytes, bashTimeoutMs: settings.limits.bashTimeout },
    trusted: options.config.project.access === "trust",
    devShell: (env) => devShellOf(options, env, emit),
    fetch: fetcher(settings.sandbox.net, options.environment),
    artifacts: withContents(secrets.artifacts(artifacts), session, attachments.get),
    approve: permits.ask,
    decided: permits.decided,
    notice: (level, text) => emit({ type: "notice", level, text }),
    failure: errorResult,
  });
}

/** What the project's development shell adds to the environment; nothing where the project is not trusted. */
async function devShellOf(
  { config, cwd }: SheathPlace,
  env: Readonly<Record<string, string>>,
  emit: SheathParts["emit"],
): Promise<Readonly<Record<string, string>>> {
  const { devShell, devShellWatch } = config.settings.bash;
  if (devShell === "off") return {};
  const say = (text: string) => emit({ type: "notice", level: "warning", text });
  if (config.project.access !== "trust") {
    say(
      `bash.devShell is "${devShell}", but the project is not trusted (project.paths): commands run without it`,
    );
    return {};
  }
  const { loadDevShell } = await import("../sandbox/mod.ts");
  const cache = `${config.home.cache}/devshell`;
  const shell = await loadDevShell({ kind: devShell, folder: cwd, cache, env, watch: devShellWatch });
  if (shell.ok) return shell.env;
  say(`The development shell could not be captured, commands run without it: ${shell.problem}`);
  return {};
}

/** The way to the network, loaded at its first use. */
function fetcher(
  listed: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): SheathOptions<ToolResult>["fetch"] {
  let network: Promise<Network> | undefined;
  return async (url, permit, signal) => {
    network ??= loadNetwork({
      listed,
      environment,
      userAgent: `myelin/${VERSION}`,
      now: () => performance.now(),
    });
    return await (await network).get(url, permit, signal);
  };
}
