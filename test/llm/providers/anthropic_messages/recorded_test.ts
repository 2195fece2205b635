import { Decoder } from "../../../../src/llm/providers/anthropic_messages/decode.ts";
import { testRecorded } from "../../../support/recorded.ts";

testRecorded("anthropic_messages", "anthropic-messages", (options) => new Decoder(options));
