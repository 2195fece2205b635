import { Decoder } from "../../../../src/llm/providers/openai_completions/decode.ts";
import { quirksOf } from "../../../../src/llm/providers/openai_completions/quirks.ts";
import { testRecorded } from "../../../support/recorded.ts";

const quirks = quirksOf("http://127.0.0.1/v1");
const tools = [{
  name: "count",
  description: "Counts.",
  schema: { type: "object", properties: { path: { type: "string" }, limit: { type: "integer" } } },
}];

// Transcripts of calls as text are replayed with the model's switch on, but for those that say off.
testRecorded(
  "openai_completions",
  "openai-completions",
  (options, name) => new Decoder({ ...options, quirks, tools, textCalls: /^text_calls_(?!off)/.test(name) }),
);
