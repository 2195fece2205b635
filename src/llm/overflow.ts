/**
 * How servers say that a request is larger than the context window. There is
 * no common code for it, so the texts are told apart by words: one row for
 * each family of wordings, all case-folded. A new wording is a new row.
 */

const WORDINGS: readonly RegExp[] = [
  // Codes that some servers send beside the text.
  /context_length_exceeded|exceed_context_size|request_too_large|string_above_max_length|model_context_window/,
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
  // "Please reduce the length of the messages or completion"
  /reduce (?:the )?(?:length|size) of (?:the |your )?(?:messages|prompt|input)/,
  // "Range of input length should be [1, 30720]"
  /range of input length/,
  // "number of tokens to keep from the initial prompt is greater than the context length"
  /tokens to keep.{0,60}context/,
];

/** True when the text of an error says that the request does not fit the model's window. */
export function saysOverflow(text: string): boolean {
  const lower = text.toLowerCase();
  return WORDINGS.some((wording) => wording.test(lower));
}
