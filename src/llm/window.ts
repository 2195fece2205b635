/**
 * Watches how requests fit into the model's window: asks a local server in the
 * background how large it is, tells of a server that silently cuts the prompt
 * (its count is far below ours), learns the window from what an overflow error
 * says, and says what fills it. No request waits for any of it.
 */
import { mapStream } from "../lib/map_stream.ts";
import { LlmError } from "./errors.ts";
import { Calibration, estimateMedia, estimateRequest, type RequestSize } from "./estimate.ts";
import type { StreamEvent } from "./event.ts";
import type { Usage } from "./message.ts";
import { modelName } from "./model.ts";
import { isLocal, type Probed, probeServer } from "./probe.ts";
import type { Endpoint, LlmRequest, Provider } from "./provider.ts";

/** A prompt is cut when less than this of it was counted; tokenizers differ by less. */
const CUT_SHARE = 0.5;
/** Below this, what differs is no cut. */
const CUT_TOKENS = 2_000;

/** How long a server may take to say what it is. */
const PROBE_MS = 5_000;

/** Asks a server; tests bring their own. */
type Probe = (request: LlmRequest) => Promise<Probed | undefined>;

/** The probe of an endpoint; undefined where there is nothing to ask: it is somebody else's server. */
export function probeOf(endpoint: Endpoint): Probe | undefined {
  const { baseUrl, vendor, headers } = endpoint;
  if (baseUrl === "" || !isLocal(baseUrl, vendor)) return undefined;
  return async ({ model }) => {
    // Without a name, and with a window in the settings, there is nothing that would be asked for.
    if (vendor === undefined && model.contextWindow !== undefined) return undefined;
    const key = await endpoint.apiKey();
    return await probeServer({
      baseUrl,
      headers,
      model: model.id,
      signal: AbortSignal.timeout(PROBE_MS),
      ...(vendor === undefined ? {} : { vendor }),
      ...(key === undefined ? {} : { key }),
    });
  };
}

/** A provider that also watches the window. `vendor`: what server it is, where that is known. */
export function watchingWindow(
  provider: Provider,
  vendor?: string,
  probe?: Probe,
  onWindow: (contextWindow: number) => void = () => {},
): Provider {
  let told = false;
  let asked = false;
  let probed: Probed | undefined;
  let smaller: StreamEvent | undefined;
  const calibration = new Calibration();

  /** An event, with what there is to say of it. */
  function watched(event: StreamEvent, request: LlmRequest): StreamEvent | StreamEvent[] {
    if (event.type === "error" && event.error.code === "overflow") {
      return { ...event, error: explained(event.error, request, calibration, probed?.contextWindow) };
    }
    if (event.type !== "done") return event;
    const told = ofUsage(event.message.usage, request);
    if (!asked && probe !== undefined) {
      asked = true;
      probe(request).then((said) => {
        probed = said;
        if (said?.contextWindow === undefined) return;
        smaller = smallerNotice(request, said.contextWindow, said.vendor ?? vendor);
        onWindow(said.contextWindow);
      }, () => {});
    }
    return told === undefined ? event : [told, event];
  }

  /** Learns from what the server counted; what is to be said where it counted far too little. */
  function ofUsage(usage: Usage | undefined, request: LlmRequest): StreamEvent | undefined {
    if (usage === undefined) return undefined;
    const size = estimateRequest(request);
    const counted = inputOf(usage);
    const notice = told ? undefined : cutNotice(request, size, counted, probed?.vendor ?? vendor);
    if (notice === undefined) calibration.learn(size.total, counted);
    else told = true;
    return notice;
  }

  return {
    stream(request, signal) {
      let first = smaller !== undefined && !told ? smaller : undefined;
      if (first !== undefined) told = true;
      return mapStream(provider.stream(request, signal), (event) => {
        const made = watched(event, request);
        if (first === undefined) return made;
        const all = [first].concat(made);
        first = undefined;
        return all;
      });
    },
  };
}

function smallerNotice(
  { model }: LlmRequest,
  window: number,
  vendor: string | undefined,
): StreamEvent | undefined {
  if (model.contextWindow === undefined || model.contextWindow <= window) return undefined;
  return {
    type: "notice",
    text: `The server keeps ${window} tokens for ${
      modelName(model)
    }, the settings say ${model.contextWindow}. ${
      REMEDIES[vendor ?? ""] ?? REMEDY
    }, or correct contextWindow in the settings`,
  };
}

function inputOf(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite;
}

function cutNotice(
  request: LlmRequest,
  size: RequestSize,
  counted: number,
  vendor: string | undefined,
): StreamEvent | undefined {
  const tooFew = (sent: number) => counted <= sent * CUT_SHARE && sent - counted >= CUT_TOKENS;
  // Small images cost next to nothing, and a model that takes none was sent none: texts alone tell.
  const texts = () => size.total - estimateMedia(request.messages);
  if (counted <= 0 || !tooFew(size.total) || !tooFew(texts())) return undefined;
  const remedy = REMEDIES[vendor ?? ""] ?? REMEDY;
  return {
    type: "notice",
    text: `${modelName(request.model)} got only ${counted} tokens of about ${texts()}: the server cuts the ` +
      `prompt, so the model misses what it was told. ${remedy}`,
  };
}

const REMEDY = "Start the server with a larger context window";

/** What helps, by the kind of server. */
const REMEDIES: Readonly<Record<string, string>> = {
  ollama: "Start Ollama with OLLAMA_CONTEXT_LENGTH=32768 (or more), or set num_ctx in a Modelfile",
  llamacpp: "Start llama-server with -c 32768 (or more)",
  lmstudio: "Raise the context length of the model in LM Studio",
  vllm: "Start vLLM with a larger --max-model-len",
  sglang: "Start sglang with a larger --context-length",
};

/** The error with what fills the window, and with what the server says of its size. */
function explained(
  error: LlmError,
  request: LlmRequest,
  calibration: Calibration,
  probed: number | undefined,
): LlmError {
  const { limit, requested } = readLimits(error.message);
  const size = estimateRequest(request);
  if (requested !== undefined) calibration.learn(size.total, requested);
  const about = (tokens: number) => `${calibration.correct(tokens)}`;
  const window = limit ?? probed ?? request.model.contextWindow;
  const fills =
    `About ${about(size.total)} tokens${window === undefined ? "" : ` for a window of ${window}`}: ` +
    `${about(size.system)} of instructions, ${about(size.tools)} of tools, ${
      about(size.messages)
    } of messages, ` +
    `${about(size.results)} of tool results.`;
  return new LlmError("overflow", error.message, {
    cause: error.cause,
    hint: `${fills} ${error.hint ?? ""}`.trimEnd(),
    retryable: false,
    ...(error.status === undefined ? {} : { status: error.status }),
    ...(limit === undefined ? {} : { contextWindow: limit }),
  });
}

/** The numbers in a server's words: its window, and what it counted. */
export function readLimits(text: string): { limit?: number; requested?: number } {
  const limit = first(text, [
    /maximum (?:context|model|prompt|input|sequence) (?:length|size|window)(?: of this model)?(?: is| of|:)?\s*(\d[\d,]*)/i,
    />\s*(\d[\d,]*) maximum/i,
    /(?:exceeds?|exceeded) (?:the )?(?:available )?(?:context (?:size|length|window)|limit|maximum(?: number of tokens)?(?: allowed)?)[^\d]{0,30}(\d[\d,]*)/i,
    /"?n_ctx"?\D{1,4}(\d[\d,]*)/i,
    /must be <=? ?(\d[\d,]*)/i,
    /less than (\d[\d,]*) tokens/i,
  ]);
  const requested = first(text, [
    /(?:requested|resulted in|contains?|has|too long:)\D{0,30}?(\d[\d,]*) (?:input )?tokens/i,
    /token count (?:of )?\(?(\d[\d,]*)/i,
    /"?n_prompt_tokens"?\D{1,4}(\d[\d,]*)/i,
    /request \((\d[\d,]*) tokens\)/i,
  ]);
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(requested === undefined ? {} : { requested }),
  };
}

function first(text: string, patterns: readonly RegExp[]): number | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(text)?.[1];
    const value = Number(found?.replaceAll(",", ""));
    if (value >= 64) return value;
  }
  return undefined;
}
