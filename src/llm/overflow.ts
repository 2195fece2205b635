/**
 * How servers say that a request is larger than the context window. There is
 * no common code for it, so the texts are told apart by words: one row for
 * each family of wordings, all case-folded. A new wording is a new row.
 */

const WORDINGS: readonly RegExp[] = [
  // Codes that some servers send beside the text.
  /context_(?:length|window|size)_exceeded|exceed_context_size|request_too_large|string_above_max_length|model_context_window/,
  /(?:input|prompt)_(?:length|tokens)_exceeded/,
  // The names of the window in the servers' own settings.
  /\bn_ctx\b|max_model_len|max_seq_len/,
  // "maximum context length is 8192 tokens", "maximum model length of 4096", "maximum prompt length is …"
  /maximum (?:allowed )?(?:context|model|prompt|input|sequence) (?:length|size|window)/,
  // "exceeds the available context size", "exceeds the context window", "context window exceeds limit"
  /(?:exceed\w*|longer than|larger than|greater than|beyond|over|overflow\w*).{0,60}context (?:length|size|window|limit)/,
  /context (?:length|size|window|limit)s?.{0,30}(?:exceed|overflow|too (?:small|long|large))/,
  /exceeds? (?:the )?context/,
  // "longer than the model's context length", "larger than the context"
  /(?:longer|larger|greater) than (?:the )?(?:model'?s? )?context/,
  // "prompt is too long: 213462 tokens > 200000 maximum", "Input is too long for requested model"
  /(?:prompt|input|inputs|request|conversation|messages?) (?:is|are|was)? ?too (?:long|large)(?! in \w+ )/,
  /prompt too long/,
  // "input token count (1196265) exceeds the maximum number of tokens", "prompt token count of 9 exceeds the limit of 5"
  /tokens?\b.{0,60}exceeds? (?:the )?(?:maximum|limit|max)/,
  /exceeds? (?:the )?(?:maximum|max|model) (?:number of )?(?:token|input)/,
  /exceeded (?:the )?(?:model )?(?:token|context) limit/,
  // "tokens in request more than max tokens allowed", "too many tokens: size limit exceeded"
  /tokens.{0,40}more than (?:the )?max/,
  /too many (?:input |prompt )?tokens/,
  // "`inputs` tokens + `max_new_tokens` must be <= 4097", "inputs must have less than 1024 tokens"
  /tokens?`?.{0,40}must be <=? ?\d+/,
  /must have (?:less|fewer) than \d+ tokens/,
  // "requires 12000 tokens, but the model only supports 8192", "tokens limit exceeded: 40000 > 32768"
  /tokens.{0,60}(?:only|maximum) supports? \d/,
  /tokens? limit exceeded(?! (?:per|for) )/,
  // "Input tokens exceed the configured limit of 272000", "tokens in the prompt (9000) is larger than the maximum"
  /(?:input|prompt|requested|total) tokens exceeds? (?:the )?[\w -]{0,30}(?:limit|max|context)/,
  /tokens in (?:the |your )?(?:prompt|input|request|messages).{0,40}(?:larger|greater|more) than/,
  // "Context window is full", "slot context is full", "max context is 32768"
  /context (?:window |size |length )?is (?:already )?full/,
  /max(?:imum)? context is \d/,
  // "the model's context length is only 8192", "context size is insufficient", "not enough context"
  /context (?:length|size|window) (?:is|of|was)? ?(?:only|insufficient|too small)/,
  /not enough context/,
  // "The prompt is longer than the model's limit of 4096 tokens"
  /(?:prompt|input|conversation|request) (?:is longer than|exceeds) (?:the )?(?:model|max)/,
  // "Please reduce the length of the messages or completion"
  /reduce (?:the )?(?:length|size) of (?:the |your )?(?:messages|prompt|input)/,
  // "Range of input length should be [1, 30720]"
  /range of input length/,
  // "number of tokens to keep from the initial prompt is greater than the context length"
  /tokens to keep.{0,60}context/,
];

/** What speaks of the answer's length and not of the request's. */
const OUTPUT = /^\W*(?:\w+: ?)?max_\w*tokens\b[^.]{0,20}(?:must be|exceeds|is too|should be)/;

/** True when the text of an error says that the request does not fit the model's window. */
export function saysOverflow(text: string): boolean {
  const lower = text.toLowerCase();
  return !OUTPUT.test(lower) && WORDINGS.some((wording) => wording.test(lower));
}
