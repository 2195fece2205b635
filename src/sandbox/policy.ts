/**
 * The policy: plain data that says what tools and commands may do. Made from
 * the settings in the main isolate, handed to the worker as it is, and judged
 * by the pure function in `decide.ts`.
 */

import type { Given } from "./variables.ts";

/** As the settings name it. "off" binds nothing. */
export type SandboxMode = "read-only" | "workspace" | "off";

/** What happens to external programs, which no permission of a worker binds. */
export type ExecMode = "auto" | "os" | "ask" | "allow" | "deny";

/** Who decides what the rules leave open. */
export type ApproveMode = "ask" | "auto" | "never" | "always";

/** As the settings have them. Deny wins over ask, ask over allow. */
export interface Rules {
  /** Such as "run(git status *)", "read(~/notes/**)", "write(./docs/**)", "fetch(example.org)". */
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
  /** Commands that no rule speaks of: as the sandbox says (absent), or each is asked for. */
  readonly commands?: "sandbox" | "ask";
}

/** What binds a session. Plain data: it goes to the worker as it is. */
export interface Policy {
  readonly mode: SandboxMode;
  /** Absolute real paths, `/`-separated. The workspace is the first. */
  readonly workspace: string;
  readonly readRoots: readonly string[];
  readonly writeRoots: readonly string[];
  /** A private folder for temporary files, readable and writable in every mode. */
  readonly tempDir: string;
  readonly home: string;
  /** Paths below the roots that stay read-only to tools unless a rule says otherwise. */
  readonly protectedPaths: readonly string[];
  /** Places that hold credentials: neither read nor written, also where a root contains them, unless a rule says otherwise. */
  readonly hiddenPaths?: readonly string[];
  /** Other names of places: [as written, real]. `/tmp` is the private folder, a root that was given through a link is its real path. */
  readonly aliases?: readonly (readonly [string, string])[];
  /** Host names that tools may reach; ["*"] is every one. */
  readonly net: readonly string[];
  readonly exec: ExecMode;
  readonly approve: ApproveMode;
  readonly rules: Rules;
}

/** What somebody wants to do; `decide` answers it. */
export type Action =
  | {
    readonly kind: "read" | "write";
    /** Absolute and free of links, `.` and `..`. */
    readonly path: string;
    /** What stands at `path` is concerned as a whole: it is moved, or replaced, or it is a file, which may stand where a folder is looked for. */
    readonly tree?: boolean;
    /** One file is opened, for which a yes can be given: also where the roots do not reach. */
    readonly opens?: boolean;
  }
  | {
    readonly kind: "run";
    readonly argv: readonly string[];
    /** Absolute path of the program; undefined for a command inside the shell. */
    readonly program?: string;
    readonly cwd: string;
    /** What would confine the program ("bubblewrap"); undefined where nothing works here. */
    readonly wrapper?: string;
    /** Why nothing would. */
    readonly problem?: string;
    /** Variables that can make a program run something else (LD_PRELOAD, GIT_SSH_COMMAND) and that a script has changed. */
    readonly given?: readonly Given[];
    /** What the program becomes by its first line, where it is a script of the workspace: `/usr/bin/env git ./script push`. */
    readonly script?: readonly string[];
  }
  | { readonly kind: "fetch"; readonly host: string }
  /** A tool of a server, which nothing here confines. */
  | { readonly kind: "mcp"; readonly server: string; readonly tool: string };

/** `rule`: the rule of the settings that decided, or the name of the default. */
export type Verdict =
  | {
    readonly decision: "allow";
    readonly rule: string;
    /** The program runs under the wrapper. */
    readonly wrapped?: boolean;
  }
  | { readonly decision: "deny" | "ask"; readonly rule: string; readonly reason: string };

/** Whether no program reaches any host. */
export function isOffline({ mode, exec, net }: Policy): boolean {
  return mode !== "off" && (exec !== "allow" || mode === "read-only") && net.length === 0;
}

/** Whether a program that may run is confined: wherever something confines, unless the user said otherwise. */
export function isWrapped(policy: Policy, wrapper: string | undefined): boolean {
  return wrapper !== undefined && policy.mode !== "off" &&
    (policy.exec !== "allow" || policy.mode === "read-only");
}
