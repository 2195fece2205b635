/**
 * The protocol "demo": one model, `demo/tour`, which is a script. It needs no
 * key and no network, goes through everything that a run with a model goes
 * through, and says in its first and its last words that it is scripted.
 */
import { LlmError } from "../../errors.ts";
import type { StreamEvent } from "../../event.ts";
import { Draft } from "../../fold.ts";
import { modelName } from "../../model.ts";
import type { LlmRequest, Provider, ProviderKind } from "../../provider.ts";
import { nextTurn } from "./script.ts";

export { type SampleFile, sampleProject, samplePrompt } from "./sample.ts";

/** The endpoint is not used. */
export const demo: ProviderKind = {
  api: "demo",
  create: (): Provider => ({ stream }),
};

async function* stream(request: LlmRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  const { model, messages } = request;
  if (model.id !== "tour") {
    const error = new LlmError("bad_request", `There is no model "${modelName(model)}"`, {
      hint: "Use demo/tour.",
    });
    yield { type: "error", error };
    return;
  }
  const tools = request.toolChoice === "none" ? [] : request.tools.map((tool) => tool.name);
  const turn = nextTurn(messages, tools);
  const draft = new Draft();
  yield { type: "start" };
  for (const text of words(turn.text)) {
    // Others get their turn between two pieces, as they would while a server speaks.
    await Promise.resolve();
    if (signal.aborted) return;
    draft.addText(text);
    yield { type: "text_delta", text };
  }
  for (const [index, { name, args }] of turn.calls.entries()) {
    const call = draft.openCall(`call_${messages.length}_${index}`, name);
    yield { type: "tool_call_start", index, id: call.id, name };
    for (const piece of JSON.stringify(args).match(/.{1,16}/gs) ?? []) {
      if (signal.aborted) return;
      call.arguments += piece;
      yield { type: "tool_call_delta", index, arguments: piece };
    }
    call.broken = false;
  }
  const stopReason = turn.calls.length > 0 ? "tool_calls" : "stop";
  yield { type: "done", message: draft.message(modelName(model), stopReason, undefined) };
}

function words(text: string): string[] {
  return text.match(/\s*\S+\s*$|\s*\S+/g) ?? [];
}
