/**
 * Whether a request begins as the one before it did, so that a provider's
 * cache is read: and if not, where it differs and why. The order is that of
 * the servers: the model first, then tools, then the messages.
 */
import type { StreamEvent } from "./event.ts";
import type { Message } from "./message.ts";
import { modelName } from "./model.ts";
import type { LlmRequest, Provider } from "./provider.ts";

/** Why the server's cache was not read as far as it could have been. */
export interface PrefixBreak {
  /** What differs. "message": the message at `at`. */
  readonly what: "model" | "tools" | "thinking" | "message";
  /** Place of the first message that differs. */
  readonly at?: number;
  /** One line for a person. */
  readonly why: string;
}

/** What is compared of a request. */
export type Compared = Pick<LlmRequest, "model" | "messages" | "tools" | "thinking">;

/** Where a request differs from the beginning that the earlier one set; undefined: it goes on from there. */
export function comparePrefix(before: Compared, now: Compared): PrefixBreak | undefined {
  const [earlier, later] = [modelName(before.model), modelName(now.model)];
  if (earlier !== later) return { what: "model", why: `the model changed from ${earlier} to ${later}` };
  const tools = toolChange(before.tools, now.tools);
  if (tools !== undefined) return { what: "tools", why: tools };
  if (before.thinking !== now.thinking) {
    const levels = `from ${before.thinking ?? "the model's own"} to ${now.thinking ?? "the model's own"}`;
    return { what: "thinking", why: `the thinking level changed ${levels}` };
  }
  for (let at = 0; at < before.messages.length; at++) {
    const [old, own] = [before.messages[at], now.messages[at]];
    if (old === own) continue;
    if (own === undefined) {
      return {
        what: "message",
        at,
        why: `the history ends after ${at} messages, where it had ${before.messages.length}`,
      };
    }
    const [was, is] = [JSON.stringify(old), JSON.stringify(own)];
    if (was !== is) return { what: "message", at, why: `${nameOf(old, at)} changed: ${difference(was, is)}` };
  }
  return undefined;
}

function toolChange(before: LlmRequest["tools"], now: LlmRequest["tools"]): string | undefined {
  if (before === now) return undefined;
  const names = (tools: LlmRequest["tools"]) => tools.map(({ name }) => name);
  const [old, own] = [names(before), names(now)];
  const added = own.filter((name) => !old.includes(name));
  const removed = old.filter((name) => !own.includes(name));
  if (added.length + removed.length > 0) {
    const parts = [
      added.length > 0 ? `new: ${added.join(", ")}` : "",
      removed.length > 0 ? `gone: ${removed.join(", ")}` : "",
    ];
    return `the tools changed (${parts.filter((part) => part !== "").join("; ")})`;
  }
  const changed = now.find((tool, at) => JSON.stringify(tool) !== JSON.stringify(before[at]));
  if (changed === undefined) return undefined;
  return old.join() === own.join()
    ? `the tool "${changed.name}" changed`
    : "the tools stand in another order";
}

function nameOf(message: Message, at: number): string {
  if (message.role === "system") return "the system prompt";
  const who =
    { user: "of the user", assistant: "of the model", tool_result: "with a tool's result" }[message.role];
  return `message ${at + 1} (${who})`;
}

/** The first difference of two texts, with a little around it. */
function difference(was: string, is: string): string {
  let at = 0;
  while (at < was.length && was[at] === is[at]) at++;
  const cut = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 12), at + 24));
  return `${cut(was)} became ${cut(is)}`;
}

/**
 * A provider that tells when a request begins differently from the one before
 * it. For one conversation. `announced`: whether the user has been told of it
 * already; asked once for each request.
 */
export function watchingPrefix(provider: Provider, announced: () => boolean = () => false): Provider {
  let before: Compared | undefined;
  return {
    stream(request, signal) {
      const { model, tools, thinking } = request;
      // A copy: the history grows in place.
      const now: Compared = {
        model,
        tools,
        messages: [...request.messages],
        ...(thinking === undefined ? {} : { thinking }),
      };
      const broke = before === undefined ? undefined : comparePrefix(before, now);
      before = now;
      const sent = provider.stream(request, signal);
      if (announced() || broke === undefined) return sent;
      return after({ type: "notice", text: `The provider's cache begins anew: ${broke.why}` }, sent);
    },
  };
}

async function* after(first: StreamEvent, stream: AsyncIterable<StreamEvent>): AsyncGenerator<StreamEvent> {
  yield first;
  yield* stream;
}
