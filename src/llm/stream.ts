/**
 * From a protocol's name and an endpoint to a provider that retries. The
 * protocol loads while its caller gets ready for the first request.
 */
import { describe } from "../lib/errors.ts";
import { LlmError } from "./errors.ts";
import type { StreamEvent } from "./event.ts";
import type { Endpoint, LlmRequest, Provider } from "./provider.ts";
import { type ProviderEntry, providers } from "./providers/mod.ts";
import { probeOf, watchingWindow } from "./window.ts";
import { DEFAULT_RETRY, type RetryDeps, retrying, type RetryPolicy } from "./retry.ts";

/** An endpoint, and how patient to be with it. */
export interface OpenProviderOptions {
  /** Such as "openai-completions". */
  readonly api: string;
  readonly endpoint: Endpoint;
  /** Default: {@link DEFAULT_RETRY}; false sends every request once. */
  readonly retry?: Partial<RetryPolicy> | false;
  readonly retryDeps?: RetryDeps;
  /** Ask a local server in the background, after its first answer, how large its window is. Default: no. */
  readonly probe?: boolean;
  /** Hears the window that the server says, once, after it was asked. */
  readonly onWindow?: (contextWindow: number) => void;
}

/** The provider of an endpoint. Throws LlmError "bad_request" for an api that does not exist. */
export function openProvider(options: OpenProviderOptions): Provider {
  const entry = providers.find((provider) => provider.api === options.api);
  if (entry === undefined) {
    throw new LlmError("bad_request", `Unknown api "${options.api}"`, {
      hint: `Known are: ${providers.map((provider) => provider.api).join(", ")}.`,
    });
  }
  const provider = watchingWindow(
    lazily(entry, options.endpoint),
    options.endpoint.vendor,
    options.probe ? probeOf(options.endpoint) : undefined,
    options.onWindow,
  );
  if (options.retry === false) return provider;
  return retrying(provider, { ...DEFAULT_RETRY, ...options.retry }, options.retryDeps);
}

function lazily(entry: ProviderEntry, endpoint: Endpoint): Provider {
  let ready: Provider | undefined;
  const loaded = entry.load().then((kind) => ready = kind.create(endpoint));
  // A failure shows in the first request's last event.
  loaded.catch(() => {});
  async function* stream(request: LlmRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
    let provider: Provider;
    try {
      provider = await loaded;
    } catch (cause) {
      const message = `Cannot load the protocol "${entry.api}": ${describe(cause)}`;
      yield { type: "error", error: new LlmError("protocol", message, { cause, retryable: false }) };
      return;
    }
    if (!signal.aborted) yield* provider.stream(request, signal);
  }
  return { stream: (request, signal) => ready?.stream(request, signal) ?? stream(request, signal) };
}
