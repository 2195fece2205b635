/**
 * Keeps secrets inside: what tools give, what the user types, what the model
 * itself has come to know and writes, and what is told to watchers goes
 * through the vault before anybody writes it down or sends it; marks in what
 * the model writes are put back before a tool runs. The
 * model, the session, artifacts and interfaces see marks; files and programs
 * see values.
 */
import { errorResult, type ToolResult, type Tools } from "../agent/tool.ts";
import type { KnownSecrets } from "../config/mod.ts";
import { createVault, type MaskOptions, type Vault } from "../lib/secrets/mod.ts";
import { LlmError } from "../llm/errors.ts";
import type { StreamEvent } from "../llm/event.ts";
import type { ContentPart, Message } from "../llm/message.ts";
import type { Artifacts } from "../sandbox/mod.ts";
import type { EngineEvent } from "./event.ts";
import type { Op, PromptPart } from "./op.ts";
import type { PermitWays } from "./permits.ts";
import { maskWritten } from "./secret_words.ts";

/** Keeps values of secrets from everybody but files and programs. */
export interface SecretKeeper {
  /** Looks through the workspace for files that hold secrets; once, however often it is called. */
  look(): Promise<void>;
  text(text: string): string;
  op(op: Op): Op;
  event(event: EngineEvent): EngineEvent;
  /** What a model streams, before anybody sees it: values that it has come to know are marks there, too. */
  words(stream: AsyncIterable<StreamEvent>): AsyncIterable<StreamEvent>;
  /** Who answers questions: a model that judges sees marks, and no rule that holds a secret is kept. */
  ways(ways: PermitWays): PermitWays;
  /** Tools whose results are masked and whose arguments have their values back. */
  tools(tools: Tools, history: () => readonly Message[]): Tools;
  artifacts(store: Artifacts): Artifacts;
}

/** Says once what the marks are for. */
const EXPLANATION =
  "[Some values are hidden from you. Write a mark such as [hidden: NAME] as it is in a file or a command, and the value is put in its place.]";

/** What keeps nothing back. */
export const OPEN_KEEPER: SecretKeeper = {
  look: () => Promise.resolve(),
  text: (text) => text,
  op: (op) => op,
  event: (event) => event,
  words: (stream) => stream,
  ways: (ways) => ways,
  tools: (tools) => tools,
  artifacts: (store) => store,
};

/** Keeps what is known of secrets; look for more before the first tool runs. */
export function createSecretKeeper(known: KnownSecrets, vault: Vault = createVault()): SecretKeeper {
  vault.learn(known.first());
  let looking: Promise<void> | undefined;
  let explained = false;
  /** Marks without a value that the model was told about. */
  const told = new Set<string>();
  let past: string | undefined;
  const written = maskWritten(vault);

  const look = () => looking ??= known.look().then((found) => vault.learn(found));

  function part(one: ContentPart, options?: MaskOptions): ContentPart {
    if (one.type !== "text") return one;
    const text = vault.mask(one.text, options);
    return text === one.text ? one : { ...one, text };
  }

  function result(given: ToolResult, options: MaskOptions): ToolResult {
    const parts = given.parts.map((one) => part(one, options));
    const masked = parts.some((one, i) => one !== given.parts[i]);
    if (masked && !explained) {
      explained = true;
      parts.push({ type: "text", text: EXPLANATION });
    }
    return {
      ...given,
      parts,
      ...(given.view === undefined ? {} : { view: vault.maskAll(given.view, options) }),
      ...(given.denied === undefined ? {} : { denied: vault.mask(given.denied) }),
    };
  }

  /** A mark of an earlier process whose value nobody knows any more would be written as it stands. */
  function lostMark(args: unknown, history: () => readonly Message[]): string | undefined {
    const lost = vault.unknownMarks(JSON.stringify(args) ?? "").filter((mark) => !told.has(mark));
    if (lost.length === 0) return undefined;
    past ??= JSON.stringify(history().filter((message) => message.role !== "assistant"));
    const [mark] = lost.filter((one) => past!.includes(one));
    if (mark !== undefined) told.add(mark);
    return mark;
  }

  function promptPart(one: PromptPart): PromptPart {
    if (one.type !== "text" && one.type !== "paste") return one;
    return { ...one, text: vault.mask(one.text) };
  }

  return {
    look,
    text: (text) => vault.mask(text),
    op(op) {
      switch (op.type) {
        case "prompt":
        case "steer":
        case "follow_up":
          return { ...op, parts: op.parts.map(promptPart) };
        case "approve":
        case "compact":
        case "title":
        case "label":
          return vault.maskAll(op);
        default:
          // An answer to a question comes back as a tool's result.
          return op;
      }
    },
    event(event) {
      switch (event.type) {
        case "permission_request":
        case "permission":
        case "notice":
        case "tool_output":
          return vault.maskAll(event);
        case "retry": {
          const { cause } = event;
          const text = vault.mask(cause.message);
          return text === cause.message ? event : { ...event, cause: new LlmError(cause.code, text, cause) };
        }
        case "run_end": {
          const { error, hint } = event.result;
          return { ...event, result: { ...event.result, ...vault.maskAll({ error, hint }) } };
        }
        default:
          // The model's own words, which it made from marks; results are masked where they come from.
          return event;
      }
    },
    words: written.stream,
    ways({ judge, keep, ...ways }) {
      return {
        ...ways,
        ...(judge === undefined ? {} : { judge: (request, signal) => judge(vault.maskAll(request), signal) }),
        ...(keep === undefined ? {} : {
          keep: async (rule) => {
            if (vault.mask(rule) !== rule) throw new Error("it would hold a secret");
            await keep(rule);
          },
        }),
      };
    },
    tools(tools, history) {
      return {
        entries: tools.entries,
        async run(name, args, context) {
          // Before the first output, not after it.
          await look();
          vault.learn(known.named(JSON.stringify(args) ?? ""));
          const entry = tools.entries.find((one) => one.name === name);
          const writes = entry?.effects === "write";
          const mark = writes ? lostMark(args, history) : undefined;
          if (mark !== undefined) {
            return errorResult(
              `Not run: ${mark} stands for a value that is not known any more. Read the file that it came from ` +
                "again and use the mark that you see there. If you mean the text itself, send the call once more.",
            );
          }
          const live = vault.stream();
          const pass = (text: string) => {
            if (text !== "") context.output(text);
          };
          // What is said to another model is sent away like all that a model sees; its tools get the values.
          const meant = entry?.delegates ? args : vault.restoreAll(args, writes ? undefined : written.marks);
          const given = await tools.run(name, meant, {
            ...context,
            output: (text) => pass(live.push(text)),
          });
          vault.learn(known.news(writes));
          pass(live.end());
          return result(given, { shapes: !readsOpenly(args) });
        },
      };
    },
    artifacts(store) {
      return {
        read: store.read,
        async create(callId) {
          const writer = await store.create(callId);
          const stream = vault.byteStream();
          const put = async (bytes: Uint8Array) => {
            if (bytes.length > 0) await writer.write(bytes);
          };
          return {
            id: writer.id,
            path: writer.path,
            write: (bytes) => put(stream.push(bytes)),
            async close() {
              await put(stream.end());
              await writer.close();
            },
          };
        },
      };
    },
  };

  /** Whether a call is about a file that the user has named as readable. */
  function readsOpenly(args: unknown): boolean {
    const path = (args as { path?: unknown } | null)?.path;
    return typeof path === "string" && known.readable(path);
  }
}
