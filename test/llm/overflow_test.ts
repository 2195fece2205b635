import { assert } from "@std/assert";
import { saysOverflow } from "../../src/llm/overflow.ts";

const OVERFLOWS = [
  "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
  "Your input exceeds the context window of this model. Please adjust your input and try again.",
  "prompt is too long: 213462 tokens > 200000 maximum",
  "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
  "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
  "the request exceeds the available context size (4096 tokens), try increasing it",
  "request (5000 tokens) exceeds the available context size (4096 tokens)",
  "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
  "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
  "Requested token count exceeds the model's maximum context length of 4096 tokens.",
  "The number of tokens to keep from the initial prompt is greater than the context length.",
  "the input length exceeds the context length",
  "prompt too long; exceeded max context length by 200 tokens",
  "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
  "too many tokens: size limit exceeded by 300 tokens",
  "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  "Please reduce the length of the messages or completion.",
  "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens",
  "prompt token count of 123456 exceeds the limit of 64000",
  "`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens",
  "Input is too long for requested model.",
  "Your request exceeded model token limit: 131072",
  "tokens in request more than max tokens allowed",
  "invalid params, context window exceeds limit (2013)",
  "Range of input length should be [1, 30720]",
  "`inputs` must have less than 1024 tokens. Given: 2000",
  "Input length (5000) exceeds model's maximum context length (4096).",
  "Input tokens exceed the configured limit of 272000 tokens.",
  "tokens limit exceeded: 40000 > 32768",
  "The request requires 12000 tokens, but the model only supports 8192",
  "The number of tokens in the prompt (9000) is larger than the maximum of 8192",
  "slot context is full",
  "the prompt (9000 tokens) does not fit into n_ctx 8192",
  "The engine prompt length 9000 exceeds the max_model_len 8192",
  "You passed 9000 input tokens. However the model's context length is only 8192 tokens",
  "context_window_exceeded",
  "Conversation exceeds maximum length",
];
for (const text of OVERFLOWS) {
  Deno.test(`saysOverflow() knows "${text.slice(0, 70)}"`, () => assert(saysOverflow(text)));
}

for (
  const text of [
    "Rate limit reached for requests per minute",
    "Invalid value for temperature: exceeds the maximum of 2",
    "Unknown model: tern-2",
    "messages: text content blocks must be non-empty",
    "You have exceeded the maximum number of concurrent requests",
    "Tool name is too long",
    "max_tokens must be <= 8192",
    "max_completion_tokens: 100000 exceeds the maximum of 16384",
    "Your credit limit has been exceeded",
  ]
) {
  Deno.test(`saysOverflow() does not take "${text}" for one`, () => assert(!saysOverflow(text)));
}
