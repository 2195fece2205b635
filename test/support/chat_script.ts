/**
 * A server that speaks chat completions and says what a test tells it to, one
 * turn a request. It is for runs that go well; faults are `fault_server.ts`.
 *
 *     const server = startChatServer({ turns: [
 *       { text: "I look.", calls: [{ name: "read", args: { path: "a.txt" } }] },
 *       (request) => ({ text: `${request.body.messages.length} messages seen` }),
 *     ] });
 *     ... server.url is the base URL, server.requests what came in ...
 *     await server.close();
 *
 * A request beyond the last turn is answered with status 400 (which nobody
 * retries) unless `repeatLast` is set. GET …/models lists `mock-1`.
 */
import { serveHttp } from "./http_server.ts";

export interface ChatCall {
  readonly name: string;
  /** An object, or the JSON text as it shall be sent. */
  readonly args?: Readonly<Record<string, unknown>> | string;
  /** Default: unique in the server's life. */
  readonly id?: string;
}

/** What the model says in one turn, in this order. */
export interface ChatTurn {
  /** Sent as `reasoning_content`. */
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly ChatCall[];
  /** Default: "tool_calls" with calls, else "stop". */
  readonly finish?: string;
  /** Default: some; null sends none. */
  readonly usage?: Readonly<Record<string, unknown>> | null;
  /** Characters of a delta of text or arguments; default 12. */
  readonly pieceLength?: number;
  /** Wait before the answer. */
  readonly delayMs?: number;
  /** Says nothing until the client has gone. */
  readonly hold?: true;
}

/** The body of a request, as far as tests look into it. */
export interface ChatBody {
  readonly model: string;
  readonly messages: readonly {
    readonly role: string;
    readonly content?: unknown;
    readonly tool_calls?: readonly {
      readonly id: string;
      readonly function: { readonly name: string; readonly arguments: string };
    }[];
    readonly tool_call_id?: string;
    readonly reasoning_content?: string;
  }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly [key: string]: unknown;
}

export interface ChatRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it came: for comparing bytes. */
  readonly text: string;
  readonly body: ChatBody;
}

export type ChatStep = ChatTurn | ((request: ChatRequest, n: number) => ChatTurn);

export interface ChatServer {
  /** Base URL with the trailing /v1. */
  readonly url: string;
  /** Every chat request so far, oldest first. */
  readonly requests: ChatRequest[];
  /** How many connections clients have opened so far. */
  readonly connections: number;
  close(): Promise<void>;
}

/** Starts the server on a free port of 127.0.0.1. */
export function startChatServer(
  options: { readonly turns: readonly ChatStep[]; readonly repeatLast?: boolean; readonly port?: number },
): ChatServer {
  const requests: ChatRequest[] = [];
  let calls = 0;
  const server = serveHttp(async (http, reply) => {
    if (http.method === "GET") {
      return await reply.send(200, JSON_TYPE, '{"object":"list","data":[{"id":"mock-1","object":"model"}]}');
    }
    const request: ChatRequest = {
      path: http.path,
      headers: http.headers,
      text: http.text,
      body: JSON.parse(http.text) as ChatBody,
    };
    const n = requests.push(request) - 1;
    const step = options.turns[options.repeatLast ? Math.min(n, options.turns.length - 1) : n];
    if (step === undefined) {
      const message = `the script has ${options.turns.length} turns and this is request ${n + 1}`;
      return await reply.send(400, JSON_TYPE, JSON.stringify({ error: { message } }));
    }
    const turn = typeof step === "function" ? step(request, n) : step;
    if (turn.hold) return await reply.gone;
    if (turn.delayMs) await new Promise((resolve) => setTimeout(resolve, turn.delayMs));
    await reply.head(200, { "content-type": "text/event-stream" });
    await reply.write(chatEvents(turn, () => `call_${++calls}`, request.body.model).join(""));
    await reply.end();
  }, options.port ?? 0);
  return {
    url: `${server.origin}/v1`,
    requests,
    get connections() {
      return server.connections;
    },
    close: () => server.close(),
  };
}

const JSON_TYPE = { "content-type": "application/json" };

/** The server-sent events of a turn, each with its blank line. */
export function chatEvents(turn: ChatTurn, newId: () => string, model = "mock-1"): string[] {
  const events: string[] = [];
  const emit = (chunk: Record<string, unknown>) => {
    const whole = { id: "chatcmpl-script", object: "chat.completion.chunk", created: 1, model, ...chunk };
    events.push(`data: ${JSON.stringify(whole)}\n\n`);
  };
  const delta = (delta: Record<string, unknown>, finish: string | null = null) =>
    emit({ choices: [{ index: 0, delta, finish_reason: finish }] });
  const length = turn.pieceLength ?? 12;

  delta({ role: "assistant", content: "" });
  for (const piece of pieces(turn.thinking ?? "", length)) delta({ reasoning_content: piece });
  for (const piece of pieces(turn.text ?? "", length)) delta({ content: piece });
  (turn.calls ?? []).forEach((call, index) => {
    const text = typeof call.args === "string" ? call.args : JSON.stringify(call.args ?? {});
    const id = call.id ?? newId();
    delta({
      tool_calls: [{ index, id, type: "function", function: { name: call.name, arguments: "" } }],
    });
    for (const piece of pieces(text, length)) {
      delta({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  });
  delta({}, turn.finish ?? (turn.calls?.length ? "tool_calls" : "stop"));
  if (turn.usage !== null) {
    emit({
      choices: [],
      usage: turn.usage ?? { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
    });
  }
  events.push("data: [DONE]\n\n");
  return events;
}

function pieces(text: string, length: number): string[] {
  const parts: string[] = [];
  const points = [...text];
  for (let i = 0; i < points.length; i += length) parts.push(points.slice(i, i + length).join(""));
  return parts;
}
