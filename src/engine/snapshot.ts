/** A picture of the session for interfaces: data that they draw, made when it is asked for. */
import { addSpent, NOTHING_SPENT, type Spent } from "../agent/mod.ts";
import type { Effects } from "../agent/tool.ts";
import type { Usage } from "../llm/message.ts";
import { textOf } from "../llm/message.ts";
import { type AnyEntry, isKnown } from "../session/mod.ts";
import type { EngineDeps, PermissionsInForce } from "./deps.ts";
import { type Queued, queueOf } from "./queue.ts";
import type { SpaceReport } from "./space_size.ts";

/** The session as it stands. */
export interface Snapshot {
  readonly session: {
    readonly id: string;
    readonly file: string | null;
    readonly cwd: string;
    readonly title: string | null;
    /** Messages that the model sees. */
    readonly messages: number;
  };
  readonly model: string;
  readonly thinking: string | null;
  readonly running: boolean;
  readonly queue: readonly Queued[];
  /** The next request's size. */
  readonly context: SpaceReport;
  /** Files of instructions that the model sees, or will with the next prompt. */
  readonly instructions: readonly { readonly path: string; readonly tokens: number }[];
  /** Of the whole session, its branches and summaries included; null: nothing is known. */
  readonly usage: Usage | null;
  readonly costUsd: number | null;
  readonly tools: readonly { readonly name: string; readonly about: string; readonly effects: Effects }[];
  readonly skills: readonly Named[];
  readonly customCommands: readonly Named[];
  readonly permissions: PermissionsInForce;
}

/** Something that is called by `/name`. */
export interface Named {
  readonly name: string;
  readonly about: string;
  readonly argumentHint?: string;
}

/** An entry of the session's tree that one can go to. */
export interface TreeNode {
  readonly id: string;
  readonly parentId: string | null;
  readonly kind: "user" | "answer" | "summary" | "compaction" | "checkpoint";
  /** First words. */
  readonly text: string;
  readonly label?: string;
  /** ISO 8601. */
  readonly at: string;
  /** Whether the path as it is goes through it. */
  readonly onPath: boolean;
}

const MAX_WORDS = 200;

/** The picture as it is now. */
export async function takeSnapshot(deps: EngineDeps): Promise<Snapshot> {
  const { session, use, tools, state, prompts } = deps;
  const { usage, costUsd } = spentOf(session.entries(), deps);
  // What the next prompt will say first is part of it: a new session is not empty.
  const news = state.running === undefined ? (await prompts.news())?.text : undefined;
  return {
    session: {
      id: session.id,
      file: session.file ?? null,
      cwd: session.cwd,
      title: session.projection.title ?? null,
      messages: session.projection.messages.length,
    },
    model: use.name,
    thinking: use.thinking ?? null,
    running: state.running !== undefined,
    queue: queueOf(session),
    context: await deps.space.measure(news),
    instructions: await deps.space.instructions(news),
    usage: usage ?? null,
    costUsd: costUsd ?? null,
    tools: tools.entries.map(({ name, description, effects }) => ({
      name,
      about: description.split(/(?<=\.)\s|\n/)[0],
      effects,
    })),
    skills: (await prompts.skills()).map(({ name, description, argumentHint }) =>
      named(name, description, argumentHint)
    ),
    customCommands: (await prompts.customCommands()).map(({ name, description, argumentHint }) =>
      named(name, description, argumentHint)
    ),
    permissions: deps.permissions,
  };
}

function named(name: string, about: string, argumentHint: string | undefined): Named {
  return { name, about, ...(argumentHint === undefined ? {} : { argumentHint }) };
}

/** What the session's answers and summaries took. An unknown price is not free: then the sum is what is known. */
function spentOf(entries: Iterable<AnyEntry>, { use, costOf }: EngineDeps): Spent {
  let spent = NOTHING_SPENT;
  for (const entry of entries) {
    if (!isKnown(entry)) continue;
    if (entry.kind === "usage") {
      spent = addSpent(spent, { ...NOTHING_SPENT, usage: entry.usage, costUsd: costOf(entry.usage) });
    }
    if (entry.kind !== "assistant" || entry.message.usage === undefined) continue;
    const { usage, model } = entry.message;
    const costUsd = entry.costUsd ?? (model === use.name ? costOf(usage) : undefined);
    spent = addSpent(spent, { ...NOTHING_SPENT, usage, costUsd });
  }
  return spent;
}

/** The places of the session's tree, in the order of the file. */
export function treeOf({ session }: EngineDeps): TreeNode[] {
  const onPath = new Set(session.path().map(({ id }) => id));
  const { labels } = session.projection;
  /** Entries that are not shown: their children hang on what is above them. */
  const above = new Map<string, string | null>();
  const nodes: TreeNode[] = [];
  for (const entry of session.entries()) {
    const parentId = entry.parentId === null ? null : above.get(entry.parentId) ?? entry.parentId;
    const shown = isKnown(entry) ? shownAs(entry) : undefined;
    if (shown === undefined) {
      above.set(entry.id, parentId);
      continue;
    }
    const label = labels.get(entry.id);
    nodes.push({
      id: entry.id,
      parentId,
      ...shown,
      ...(label === undefined ? {} : { label }),
      at: "at" in entry && typeof entry.at === "string" ? entry.at : "",
      onPath: onPath.has(entry.id),
    });
  }
  return nodes;
}

function shownAs(entry: AnyEntry): Pick<TreeNode, "kind" | "text"> | undefined {
  if (!isKnown(entry)) return undefined;
  const words = (text: string) => text.replace(/\s+/g, " ").trim().slice(0, MAX_WORDS);
  switch (entry.kind) {
    case "submission":
      return { kind: "user", text: words(textOf(entry.message)) };
    case "assistant": {
      const text = words(textOf(entry.message.parts));
      const calls = entry.message.parts.filter((part) => part.type === "tool_call").map(({ name }) => name);
      return { kind: "answer", text: text || calls.join(", ") };
    }
    case "branch_summary":
      return { kind: "summary", text: words(entry.summary) };
    case "compaction":
      return { kind: "compaction", text: words(entry.summary) };
    case "checkpoint":
      return { kind: "checkpoint", text: entry.name };
    default:
      return undefined;
  }
}
