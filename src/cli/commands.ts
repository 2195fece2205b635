/** The list of subcommands; each is loaded when it is called. */

export interface Subcommand {
  readonly name: string;
  readonly summary: string;
  /** Runs with the arguments after the name; resolves to the exit status. */
  load(): Promise<{ run(args: string[]): Promise<number> }>;
}

export const subcommands: readonly Subcommand[] = [
  {
    name: "run",
    summary: "do one task without a person at the keyboard",
    load: () => import("./subcommands/run.ts"),
  },
  { name: "sh", summary: "the in-process bash on its own", load: () => import("./subcommands/sh/mod.ts") },
  {
    name: "sessions",
    summary: "list, search, show, undo, export, import, rename and remove sessions",
    load: () => import("./subcommands/sessions/mod.ts"),
  },
  {
    name: "config",
    summary: "show, check and describe the settings",
    load: () => import("./subcommands/config.ts"),
  },
  {
    name: "sandbox",
    summary: "what is enforced here, and why something is allowed or not",
    load: () => import("./subcommands/sandbox/mod.ts"),
  },
  {
    name: "trust",
    summary: "let this project's settings run what they name",
    load: () => import("./subcommands/trust.ts"),
  },
  {
    name: "models",
    summary: "search the models, and show what is known of them",
    load: () => import("./subcommands/models.ts"),
  },
  {
    name: "auth",
    summary: "keep keys, log in to subscriptions, show who is logged in",
    load: () => import("./subcommands/auth/mod.ts"),
  },
  {
    name: "usage",
    summary: "tokens and money by day and model",
    load: () => import("./subcommands/usage.ts"),
  },
  {
    name: "debug",
    summary: "what is sent, where a prefix broke, the raw events",
    load: () => import("./subcommands/debug.ts"),
  },
  { name: "docs", summary: "read the documentation", load: () => import("./subcommands/docs.ts") },
];
