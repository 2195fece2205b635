/** `myelin sh --sandbox MODE`: the same shell behind the path guard, the gate and the wrapper for programs. */
import { loadConfig } from "../../../config/mod.ts";
import {
  commandEnvironment,
  dropPolicy,
  isOffline,
  loadConfinedHost,
  preparePolicy,
} from "../../../sandbox/mod.ts";
import type { ApproveMode, SandboxMode } from "../../../sandbox/mod.ts";
import type { ShellOptions } from "../../../shell/mod.ts";
import { secretNames } from "../../../config/mod.ts";
import { workspaceOf } from "../../workspace.ts";

export interface Confined {
  readonly shell: Pick<ShellOptions, "host" | "gate"> & { readonly env: Readonly<Record<string, string>> };
  /** Ends the programs that still run confined and removes the private temporary folder. */
  close(): Promise<void>;
}

/** Builds it from the settings in force, with the mode and the approval of the command line over them. */
export async function confine(mode: SandboxMode, approve: ApproveMode): Promise<Confined> {
  const cwd = workspaceOf();
  const config = await loadConfig({ cwd, overrides: { "sandbox.mode": mode } });
  const { sandbox, permissions } = config.settings;
  const policy = await preparePolicy({
    ...sandbox,
    workspace: cwd,
    approve,
    rules: permissions,
    home: config.home.user,
    ownFolder: config.home.root,
  });
  const env = commandEnvironment({
    names: sandbox.env,
    source: Deno.env.toObject(),
    secretNames: secretNames(config),
    tempDir: policy.tempDir,
    confined: true,
    offline: isOffline(policy),
  });
  const { host, gate, close } = await loadConfinedHost({
    policy,
    env,
    notice: (text) => console.error(`myelin: ${text}`),
  });
  return {
    shell: { host, env, ...(gate === undefined ? {} : { gate }) },
    close: async () => {
      await close();
      await dropPolicy(policy);
    },
  };
}
