/**
 * The contract of a command that a user types as `/name words`: the same in
 * every interface. A command submits ops and shows what the engine says; what
 * only an interface can do is asked of its host.
 */
import type { Op } from "../../engine/op.ts";
import type { Snapshot, TreeNode } from "../../engine/snapshot.ts";

/** What an interface can do beside the engine; what is absent it cannot. */
export interface CommandHost {
  /** Leaves this session for another one. */
  readonly open?: (choice: { kind: "new" } | { kind: "named"; wanted: string }) => Promise<void>;
  /** A new session that goes on from that entry. */
  readonly fork?: (entry: string) => Promise<void>;
  /** The sessions of the folder, a line each. */
  readonly sessions?: () => Promise<string>;
  /** Writes the session as a page; where it is. */
  readonly export?: (path: string | undefined) => Promise<string>;
  /** The servers of tools, a line each. */
  readonly servers?: () => Promise<string>;
  /** Notes that are kept for the project, a line each. */
  readonly notes?: () => Promise<string>;
  readonly quit?: () => void;
}

export interface CommandContext {
  submit(op: Op): Promise<void>;
  snapshot(): Promise<Snapshot>;
  tree(): Promise<readonly TreeNode[]>;
  /** Shows a text to the user. */
  say(text: string): void;
  readonly host: CommandHost;
  /** All commands, for those that speak of them. */
  readonly commands: readonly Command[];
}

/** One argument: a word; the last one takes all that is left. */
export interface CommandArgument {
  readonly name: string;
  readonly about: string;
  readonly required?: true;
  readonly oneOf?: readonly string[];
}

export interface Command {
  readonly name: string;
  /** One line. */
  readonly summary: string;
  readonly args: readonly CommandArgument[];
  /** Whether it may be used while a run works. */
  readonly during: "any" | "idle";
  run(args: Readonly<Record<string, string>>, context: CommandContext): Promise<void>;
}

/** The JSON Schema of a command's arguments, for interfaces that are programs. */
export function schemaOf({ args }: Command): Readonly<Record<string, unknown>> {
  return {
    type: "object",
    properties: Object.fromEntries(args.map(({ name, about, oneOf }) => [name, {
      type: "string",
      description: about,
      ...(oneOf === undefined ? {} : { enum: oneOf }),
    }])),
    required: args.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

/** What may follow the name, for people: `<mode> [words]`. */
export function hintOf({ args }: Command): string {
  return args.map(({ name, required, oneOf }) => {
    const text = oneOf?.join("|") ?? name;
    return required ? `<${text}>` : `[${text}]`;
  }).join(" ");
}
