/**
 * The hook before each simple command: it sees what will really run, after
 * every expansion, and may take its time to answer. A denied command prints
 * the reason and has status 126; the script goes on as after any failure.
 */
import type { Later } from "./host.ts";

export interface GateRedirect {
  /** Absolute path. */
  readonly path: string;
  readonly read: boolean;
  readonly write: boolean;
}

export interface GateRequest {
  /** The final argument vector; empty for redirections or assignments alone. */
  readonly argv: readonly string[];
  readonly kind: "function" | "builtin" | "utility" | "external" | "shell" | "none";
  /** What the command is called where it has another name here: by `hash -p`, for one. */
  readonly name?: string;
  /** Resolved path of an external program. */
  readonly program: string | undefined;
  readonly redirects: readonly GateRedirect[];
  /** Variables set for this command (or, without a command, in the shell). */
  readonly assignments: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly line: number;
}

export type GateAnswer = { readonly allow: true } | { readonly allow: false; readonly reason: string };

export type CommandGate = (request: GateRequest) => Later<GateAnswer>;
