import { Decoder } from "../../../../src/llm/providers/openai_completions/decode.ts";
import { quirksOf } from "../../../../src/llm/providers/openai_completions/quirks.ts";
import { testRecorded } from "../../../support/recorded.ts";

const quirks = quirksOf("http://127.0.0.1/v1");

testRecorded("openai_completions", "openai-completions", (options) => new Decoder({ ...options, quirks }));
