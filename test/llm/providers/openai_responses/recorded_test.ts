import { ResponsesDecoder } from "../../../../src/llm/providers/shared/responses/decode.ts";
import { testRecorded } from "../../../support/recorded.ts";

testRecorded("openai_responses", "openai-responses", (options) => new ResponsesDecoder(options));
