/**
 * One POST and its streamed answer, for every provider that speaks HTTP. It
 * ends in one of four ways: events, a JSON text (a server that does not
 * stream), a thrown LlmError, or the thrown reason of the aborted signal. A
 * server that accepts and says nothing, or stops in the middle, is ended by
 * the idle timer. Whatever happens, the body is cancelled when nobody reads on.
 *
 * What is needed only once an answer is on its way is imported then.
 */
import { AppError } from "../lib/errors.ts";
import type { ServerEvent } from "../lib/sse.ts";
import type { Asked } from "./asked.ts";
import { LlmError } from "./errors.ts";
import { IdleTimer } from "./idle.ts";

/** `idleTimeoutMs`: see idle.ts. The body is JSON text. */
interface Post {
  readonly asked: Asked;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly idleTimeoutMs: number;
  readonly signal: AbortSignal;
  /** Called when anything but an error begins to come. */
  readonly answered?: (() => void) | undefined;
  /** Default: the global one. */
  readonly fetch?: typeof fetch;
}

/** The server streams. */
interface EventAnswer {
  readonly kind: "events";
  /** The events of each arrival of bytes. Throws as `post` does. */
  readonly batches: AsyncIterable<readonly ServerEvent[]>;
  /** Says that the answer is complete: the rest is waited for no longer than 2 s. */
  settle(): void;
  /** Ends the reading of `batches`, which does not wait for that itself; resolves when the connection can be used again or is given up. Never rejects. */
  leave(): Promise<void>;
}

/** The server does not stream: the whole body, bounded. */
interface JsonAnswer {
  readonly kind: "json";
  readonly text: string;
}

/** One for all requests: each new exception takes a picture of the stack. */
const NO_LONGER_READ = new DOMException("The answer is no longer read", "AbortError");
const SETTLE_MS = 2_000;
/** How much of the beginning of a body is kept for messages. */
const START_LENGTH = 400;
/** How long the end of a body may take after the last event, so that the connection can be used again. */
const DRAIN_MS = 20;
const MAX_ERROR_BODY = 64 * 1024;
const MAX_JSON_BODY = 64 * 1024 * 1024;

/** Sends the request and waits for the beginning of the answer. */
export async function post(request: Post): Promise<EventAnswer | JsonAnswer> {
  const line = new Line(request);
  try {
    const sending = line.guard((request.fetch ?? fetch)(request.url, {
      method: "POST",
      headers: request.headers,
      body: request.body,
      signal: line.signal,
      // A redirect would turn the POST into a GET, or carry the key elsewhere.
      redirect: "manual",
    }));
    const loading = import("../lib/sse.ts");
    const response = await sending;
    line.answered = true;
    if (response.status >= 300) throw await failure(line, response);
    request.answered?.();
    const body = new Body(line, response);
    const first = await body.peek();
    if (first === "{" || first === "[") {
      const text = await body.text(MAX_JSON_BODY);
      line.close();
      return { kind: "json", text };
    }
    if (first === "<") throw await notEvents(line, response, body);
    const { createSseReader } = await loading;
    let leaving: Promise<void> | undefined;
    const leave = () => leaving ??= body.drain(DRAIN_MS).finally(() => line.close(body.whole));
    return {
      kind: "events",
      batches: batches(line, response, body, createSseReader(), leave),
      settle: () => line.idle.shorten(SETTLE_MS),
      leave,
    };
  } catch (error) {
    line.close();
    throw error;
  }
}

async function* batches(
  line: Line,
  response: Response,
  body: Body,
  reader: ReturnType<typeof import("../lib/sse.ts").createSseReader>,
  leave: () => Promise<void>,
): AsyncGenerator<readonly ServerEvent[]> {
  let any = false;
  try {
    while (true) {
      let events: ServerEvent[] = [];
      const more = await body.read((bytes) => {
        events = reader.feed(bytes);
        return events.length > 0;
      });
      if (!more) break;
      if (events.length === 0) continue;
      any = true;
      yield events;
    }
    const rest = reader.end();
    if (rest.length > 0) yield rest;
    else if (!any) throw await notEvents(line, response, body);
  } finally {
    void leave();
  }
}

/** The life of one request: its signal, its timer, and what a failure of it means. */
class Line {
  readonly #request: Post;
  readonly #controller = new AbortController();
  readonly #onAbort: () => void;
  readonly idle: IdleTimer;
  /** The server has begun to answer: what breaks now is the answer. */
  answered = false;
  #stalled: LlmError | undefined;

  constructor(request: Post) {
    this.#request = request;
    this.#onAbort = () => this.#controller.abort(request.signal.reason);
    if (request.signal.aborted) this.#onAbort();
    request.signal.addEventListener("abort", this.#onAbort, { once: true });
    this.idle = new IdleTimer(request.idleTimeoutMs, (ms) => {
      this.#stalled = stalled(request.asked, ms, request.idleTimeoutMs);
      this.#controller.abort(this.#stalled);
    });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get asked(): Asked {
    return this.#request.asked;
  }

  /** Waits for the server, under the timer; rejects with what the failure means. */
  async guard<T>(promise: Promise<T>, progress: (value: T) => boolean = () => true): Promise<T> {
    this.idle.wait();
    try {
      const value = await promise;
      this.idle.arrived(progress(value));
      return value;
    } catch (error) {
      this.idle.arrived(false);
      throw await this.#meaning(error);
    }
  }

  /** Ends the timer and, unless it has come to its end, the request. */
  close(ended = false): void {
    this.idle.close();
    this.#request.signal.removeEventListener("abort", this.#onAbort);
    if (!ended) this.#controller.abort(NO_LONGER_READ);
  }

  async #meaning(error: unknown): Promise<unknown> {
    if (this.#request.signal.aborted) return this.#request.signal.reason;
    if (this.#stalled !== undefined) return this.#stalled;
    if (error instanceof LlmError) return error;
    const { brokenStream, networkError } = await import("./unreachable.ts");
    if (!this.answered) return networkError(this.asked, error);
    // Our own readers say what is wrong; the network's errors are all the same to the user.
    const what = error instanceof AppError
      ? error.message
      : "the connection broke in the middle of the answer";
    return brokenStream(this.asked, what, error);
  }
}

/** The bytes of a response. */
class Body {
  readonly #line: Line;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  /** Read by `peek`, not yet by `read`. */
  #ahead: Uint8Array[] = [];
  #start = "";
  #decoder: TextDecoder | undefined;
  /** Nothing more is read. */
  #ended = false;
  #whole = false;

  constructor(line: Line, response: Response) {
    this.#line = line;
    this.#reader = response.body?.getReader();
    if (this.#reader === undefined) this.#ended = this.#whole = true;
  }

  /** All of it has come. */
  get whole(): boolean {
    return this.#whole;
  }

  /** The first characters, for messages. */
  get start(): string {
    return this.#start;
  }

  /** The first character that is no white space; "" for an empty body. */
  async peek(): Promise<string> {
    while (!this.#ended) {
      const bytes = await this.#next(() => true);
      if (bytes === undefined) break;
      this.#ahead.push(bytes);
      this.#remember(bytes);
      const found = /\S/.exec(this.#start);
      if (found !== null) return found[0];
    }
    return "";
  }

  /** Reads on until `start` has that many characters, or nothing comes any more. For bodies of which nothing else is wanted. */
  async more(length: number): Promise<void> {
    try {
      while (!this.#ended && this.#start.length < length) {
        const bytes = await this.#next(() => true);
        if (bytes !== undefined) this.#remember(bytes);
      }
    } catch (error) {
      // It broke or fell silent; what there is must do. A cancel still counts.
      if (!(error instanceof LlmError)) throw error;
    }
  }

  #remember(bytes: Uint8Array): void {
    if (this.#start.length >= START_LENGTH) return;
    this.#decoder ??= new TextDecoder();
    this.#start += this.#decoder.decode(bytes, { stream: true });
  }

  /** Hands the next bytes to `use`, which says whether they were progress; false at the end. */
  async read(use: (bytes: Uint8Array) => boolean): Promise<boolean> {
    const ahead = this.#ahead.shift();
    if (ahead !== undefined) {
      use(ahead);
      return true;
    }
    return await this.#next(use) !== undefined;
  }

  /** All of the rest, at most `max` bytes. */
  async text(max: number): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    let size = 0;
    while (
      size < max && await this.read((bytes) => {
        text += decoder.decode(bytes, { stream: true });
        size += bytes.length;
        return true;
      })
    );
    return text + decoder.decode();
  }

  /** Reads to the end if that comes within `ms`, so that the connection stays usable; else gives the body up. */
  async drain(ms: number): Promise<void> {
    if (this.#ended || this.#reader === undefined) return;
    const reader = this.#reader;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => timer = setTimeout(resolve, ms));
    const end = (async () => {
      while (!this.#line.signal.aborted && !this.#whole) this.#whole = (await reader.read()).done;
    })();
    // A connection that breaks now breaks nothing: the answer is complete or given up.
    await Promise.race([end.catch(() => {}), late]);
    clearTimeout(timer);
    if (!this.#whole) reader.cancel().catch(() => {});
  }

  async #next(progress: (bytes: Uint8Array) => boolean): Promise<Uint8Array | undefined> {
    if (this.#ended || this.#reader === undefined) return undefined;
    const { done, value } = await this.#line.guard(
      this.#reader.read(),
      ({ value }) => value !== undefined && progress(value),
    ).catch((error) => {
      this.#ended = true;
      throw error;
    });
    if (done) this.#ended = this.#whole = true;
    return value;
  }
}

function stalled(asked: Asked, ms: number, idleMs: number): LlmError {
  return new LlmError(
    "network",
    `Provider "${asked.provider}": stream stalled: no data for ${Number((ms / 1000).toFixed(1))} s`,
    {
      // Each further try may cost as much time again; behind comments, much.
      retryLimit: ms > idleMs ? 1 : 2,
      hint: "If the model needs longer, raise the provider's idleTimeout in the settings.",
    },
  );
}

async function failure(line: Line, response: Response): Promise<LlmError> {
  const [{ publicUrl }, { httpError }] = await Promise.all([import("./asked.ts"), import("./classify.ts")]);
  if (response.status < 400) {
    const to = publicUrl(response.headers.get("location") ?? "another place");
    return new LlmError(
      "bad_request",
      `Provider "${line.asked.provider}" has moved to ${to} (${response.status})`,
      {
        status: response.status,
        hint: "Set baseUrl in the settings to the new address.",
      },
    );
  }
  let text = "";
  try {
    text = await new Body(line, response).text(MAX_ERROR_BODY);
  } catch (error) {
    // The status says enough when the text does not arrive; a cancel still counts.
    if (!(error instanceof LlmError)) throw error;
  }
  return httpError(line.asked, response.status, response.headers, text);
}

async function notEvents(line: Line, response: Response, body: Body): Promise<LlmError> {
  const [{ publicUrl, quote }, { brokenStream }] = await Promise.all([
    import("./asked.ts"),
    import("./unreachable.ts"),
  ]);
  // What has come may be one byte: a little more says better what it is.
  line.idle.shorten(SETTLE_MS);
  await body.more(START_LENGTH);
  const start = quote(body.start, line.asked, 120);
  if (start === "") {
    return brokenStream(line.asked, `stream ended early: the answer is empty (${response.status})`);
  }
  return new LlmError(
    "protocol",
    `Provider "${line.asked.provider}": not an event stream (status ${response.status}, begins with: ${start})`,
    {
      status: response.status,
      retryLimit: 1,
      hint: `Check baseUrl (${publicUrl(line.asked.url)}): something else answers there.`,
    },
  );
}
