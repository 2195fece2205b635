/**
 * What the sheath is to the main isolate: something that runs tool calls by
 * name in a worker with few permissions. Results pass through untouched, so
 * the layer does not know what a result is: the caller names the type and says
 * how a failure is put.
 */
import type { PermitOptions } from "../permits.ts";
import type { Policy } from "../policy.ts";
import type { Artifacts } from "./artifacts.ts";
import type { SheathLimits } from "./messages.ts";

/** Keeps what calls change, so that it can be put back. Nothing of it may throw. */
export interface FileKeeper {
  /** A path (free of links, but for the last part) is about to be changed by a tool or by the shell; `tree`: with all that is in it. Kept when it returns. */
  keep(path: string, tree: boolean): void;
  /** An external program is about to be started. */
  beforeProgram(): Promise<void>;
  programStarted(): void;
  programEnded(): void;
}

/** What binds the calls, and who hears of them. */
export interface SheathOptions<Result> extends PermitOptions {
  /** The worker's entry, `sheath/main.ts`: only the outermost layer knows where it is. */
  readonly workerUrl: string | URL;
  /** Where relative paths and commands start; default: the workspace. */
  readonly cwd?: string;
  /** Names of the variables that commands may see; see `environment.ts`. */
  readonly env: readonly string[];
  /** Where their values come from; default: the environment of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Variables that commands never see, listed or not: where the providers' keys come from. */
  readonly secretNames?: readonly string[];
  /** What the project's development shell adds to the environment of commands, which it is given. */
  devShell?(env: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>>;
  readonly limits?: Partial<SheathLimits>;
  /** Whether the project may run code of its own choice, such as hooks. */
  readonly trusted?: boolean;
  /** Gets what stands at a URL for a tool; absent: there is no way to the network. The answer is passed on untouched. */
  fetch?(
    url: string,
    /** Judges a host by the policy; the reason where it is refused. */
    permit: (host: string) => Promise<string | undefined>,
    signal: AbortSignal,
  ): Promise<unknown>;
  /** Absent: full outputs are not kept. */
  readonly artifacts?: Artifacts;
  /** Absent: nothing that is changed is kept. */
  readonly keeper?: FileKeeper;
  /** Something the user should know: a worker that had to be replaced. */
  notice?(level: "info" | "warning", text: string): void;
  /** A result that says that the call failed. */
  failure(text: string): Result;
}

/** One call, as the agent gives it. */
export interface SheathCall {
  readonly callId: string;
  readonly signal: AbortSignal;
  /** The call is only got ready before this resolves, and never begins where it rejects. Absent: it begins at once. */
  readonly begin?: Promise<void>;
  /** Takes output while the call runs. */
  output(text: string): void;
  /** Calls of one session share a shell (its folder and exported variables). Default: one for all. */
  readonly session?: string;
}

/** What binds whom on this machine. */
export interface SheathDescription {
  readonly mode: Policy["mode"];
  /** What confines external programs; undefined where nothing does. */
  readonly wrapper?: string;
  /** Why there is none. */
  readonly wrapperProblem?: string;
  /** One line for the start of a run where external programs cannot run freely; undefined where there is nothing to tell. */
  readonly warning?: string;
}

/** One for a workspace and policy; sessions share it. */
export interface Sheath<Result> {
  /** Runs a call; never rejects: every failure is a result. */
  run(name: string, args: unknown, call: SheathCall): Promise<Result>;
  /** Starts the worker if there is none. Call it when the first request is on its way; `run` does it otherwise. */
  warm(): void;
  /** Ends every call, every program and the worker, and removes the temporary folder if the sheath made it. */
  close(): Promise<void>;
  /** Kills every program without waiting: for a process that leaves at once. */
  killAll(): void;
  describe(): Promise<SheathDescription>;
  /** The `warning` of {@link describe}; without `tried` only what a look tells that starts no program. */
  warning(tried: boolean): Promise<string | undefined>;
}
