/** The door of the sandbox: the policy, its judge, and the sheath that runs tools under it. */
export type { Action, ApproveMode, ExecMode, Policy, Rules, SandboxMode, Verdict } from "./policy.ts";
export type { Artifacts, ArtifactWriter } from "./worker/artifacts.ts";
export type { SheathLimits } from "./worker/messages.ts";
export type {
  PermitAnswer,
  PermitRequest,
  Sheath,
  SheathCall,
  SheathDescription,
  SheathOptions,
} from "./worker/sheath.ts";
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
