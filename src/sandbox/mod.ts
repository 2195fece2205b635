/**
 * The door of the sandbox: the policy, its judge, and the sheath that runs
 * tools under it. What starts a worker or touches the disk is loaded when it
 * is used.
 */
import type { Sheath, SheathOptions } from "./worker/sheath.ts";
import type { createSheath } from "./worker/client.ts";
import type { PolicySettings } from "./os/mod.ts";
import type { BoundRow, SubjectExplanation } from "./explain.ts";
import type { HeldPlaces } from "./host_pinned.ts";
import type { Policy } from "./policy.ts";
import type { ConfinedHost, ConfinedHostOptions } from "./confined_host.ts";
import type { HostFs, HostUser, ShellHost } from "../shell/host.ts";

export { isOffline } from "./policy.ts";
export type { Action, ApproveMode, ExecMode, Policy, Rules, SandboxMode, Verdict } from "./policy.ts";
import type { DevShell, DevShellOptions } from "./os/mod.ts";

export type { DevShell, DevShellOptions, PolicySettings } from "./os/mod.ts";
export type { Artifacts, ArtifactWriter } from "./worker/artifacts.ts";
export type { InitMessage, SheathLimits, ToMain, ToWorker } from "./worker/messages.ts";
export type { FileKeeper, Sheath, SheathCall, SheathDescription, SheathOptions } from "./worker/sheath.ts";
export { decide, summarize, withoutAnswer } from "./decide.ts";
export { commandEnvironment } from "./environment.ts";
export { changedVariables } from "./variables.ts";
export { parseRule, RuleError, suggestRule } from "./rules.ts";
export { createApprovals, createPermits } from "./permits.ts";
export type {
  Approvals,
  PermitAnswer,
  PermitOptions,
  PermitRequest,
  Permits,
  PermitScope,
} from "./permits.ts";
export type { BoundRow, Judged, SubjectExplanation } from "./explain.ts";
export { createGate } from "./gate.ts";
export type { ConfinedHost, ConfinedHostOptions } from "./confined_host.ts";
export type { HeldPlaces } from "./host_pinned.ts";
export { createGuardedFs } from "./host_guarded.ts";
export type { GuardedFs, GuardedFsOptions } from "./host_guarded.ts";
export { createSessionShell } from "./shells.ts";
export type {
  BackgroundNews,
  Interpreter,
  OutputCopy,
  ScriptEnd,
  ScriptIo,
  SessionShell,
  ShellEnd,
  ShellJob,
  ShellRun,
} from "./shells.ts";
export { createRemote } from "./worker/remote.ts";
export type { Remote } from "./worker/remote.ts";
export { createFarFs, createSwitchedFs } from "./worker/far_fs.ts";
export type { FarFs } from "./worker/far_fs.ts";
export { createLiveOutput, type LiveOutput } from "./worker/live_output.ts";
export { CELLS, STATE } from "./worker/messages.ts";
export { HostError } from "../shell/host.ts";
export type {
  ByteSink,
  ByteSource,
  DirEntry,
  FileKind,
  FileStat,
  HostErrorCode,
  HostFile,
  HostFs,
  Later,
  OpenOptions,
} from "../shell/host.ts";

/** The files of the system, unguarded: for the worker's composition root, which puts the guard before them. */
export async function loadRealFs(
  user: HostUser,
): Promise<{ readonly fs: HostFs; readonly openPlain: HostFs["open"] }> {
  const { createRealFs, openPlain } = await import("./host_real.ts");
  return { fs: createRealFs(() => user), openPlain };
}

/** The host over the system, with all that this process may do. */
export async function loadRealHost(): Promise<ShellHost> {
  return (await import("./host_real.ts")).createRealHost();
}

/** A host for a shell that runs under the policy in this isolate; remove `policy.tempDir` with {@link dropPolicy} afterwards. */
export async function loadConfinedHost(options: Omit<ConfinedHostOptions, "host">): Promise<ConfinedHost> {
  const [{ createConfinedHost }, host] = await Promise.all([import("./confined_host.ts"), loadRealHost()]);
  return createConfinedHost({ ...options, host });
}

/** Held ways to files (Linux); undefined where the system gives none. Close them afterwards. */
export async function loadHeldPlaces(): Promise<HeldPlaces | undefined> {
  return (await import("./host_pinned.ts")).createHeldPlaces();
}

/** Who is bound by what here, and what becomes of a path or a command; starts nothing but a try of the wrapper. */
export async function explainSandbox(
  policy: Policy,
  env: { readonly names: readonly string[]; readonly path: string },
  subject?: { readonly kind: "path" | "command"; readonly text: string },
): Promise<SandboxExplanation> {
  const [{ explainCommand, explainPath, rootsOf, whoIsBound }, { createConfinement }, host] = await Promise
    .all([
      import("./explain.ts"),
      import("./os/mod.ts"),
      loadRealHost(),
    ]);
  const confinement = createConfinement(policy);
  try {
    const search = policy.mode === "off" ? {} : await confinement.wrapper();
    const options = { policy, search, host, env: env.names, path: env.path };
    return {
      wrapper: search.wrapper?.name ?? null,
      problem: search.problem ?? null,
      remark: search.remark ?? null,
      roots: rootsOf(policy),
      bound: whoIsBound(options),
      subject: subject === undefined
        ? null
        : subject.kind === "path"
        ? explainPath(subject.text, options)
        : await explainCommand(subject.text, options),
    };
  } finally {
    await confinement.close();
  }
}

/** Plain data, for `sandbox explain` to print. */
export interface SandboxExplanation {
  /** What confines external programs; null where nothing does. */
  readonly wrapper: string | null;
  /** Why not. */
  readonly problem: string | null;
  /** What there is to tell of the one that was taken. */
  readonly remark: string | null;
  /** Folders that tools may read and write. */
  readonly roots: { readonly read: readonly string[]; readonly write: readonly string[] };
  readonly bound: readonly BoundRow[];
  readonly subject: SubjectExplanation | null;
}

/** What the program is in its hidden mode `__relay`: the bridge to the proxy. */
export async function relay(socket: string): Promise<void> {
  await (await import("./os/mod.ts")).relay(socket);
}

/** Removes what `preparePolicy` has made: for policies that no sheath closes. */
export async function dropPolicy(policy: Policy): Promise<void> {
  (await import("./os/mod.ts")).removeTemp(policy);
}

/** Captures the environment of a project's development shell; for trusted projects only. */
export async function loadDevShell(options: DevShellOptions): Promise<DevShell> {
  return await (await import("./os/mod.ts")).captureDevShell(options);
}

/** Makes a policy out of settings: resolves the roots, makes the private temporary folder. */
export async function preparePolicy(settings: PolicySettings): Promise<Policy> {
  const { preparePolicy, sweep } = await import("./os/mod.ts");
  const policy = preparePolicy(settings);
  void sweep(policy.tempDir.slice(0, policy.tempDir.lastIndexOf("/")));
  return policy;
}

/** Opens a sheath. Loads and starts nothing before `warm` or `run`. */
export function openSheath<Result>(options: SheathOptions<Result>): Sheath<Result> {
  type Made = Sheath<Result>;
  let made: Promise<Made> | undefined;
  let ready: Made | undefined;
  const load = (): Promise<Made> =>
    made ??= import("./worker/client.ts").then((client: { createSheath: typeof createSheath }) =>
      ready = client.createSheath(options, loadRealHost)
    );
  return {
    run: async (name, args, call) => await (await load()).run(name, args, call),
    warm: () => void load().then((sheath) => sheath.warm()),
    close: async () => await (await load()).close(),
    killAll: () => ready?.killAll(),
    describe: async () => await (await load()).describe(),
    warning: async (tried) => await (await load()).warning(tried),
  };
}
