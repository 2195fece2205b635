/**
 * A chat-completions server that misbehaves to order: each request gets the
 * next step of a scenario; beyond its end the answer is the text "done".
 *
 *     const server = startFaultServer(["429", { fault: "cut", text: "half of it" }, "text"]);
 *     ... server.url, server.requests ... await server.close();
 *
 * Alone, with a scenario in a JSON file (the same list):
 *
 *     deno run -A test/support/fault_server.ts [--port 0] [--log requests.jsonl] scenario.json
 *
 * It prints its base URL on the first line of stdout and runs until killed;
 * each request is one line of the log: {n, path, headers, text}.
 */
import { type ChatCall, chatEvents, type ChatRequest } from "./chat_script.ts";
import { type HttpReply, serveHttp } from "./http_server.ts";

/** What goes wrong. The first three: nothing. */
export const faults = [
  /** `text`, properly. */
  "text",
  /** `calls` after `text`, properly. */
  "calls",
  /** `sse`, byte for byte, then the end of the body. */
  "sse",
  /** A whole chat completion as JSON, as if streaming had not been asked for. */
  "json",
  /** Status 429; `retryAfter` goes into the header (default "0"). */
  "429",
  "500",
  "401",
  /** `status` with `headers` and `body`. */
  "status",
  /** Accepts the request and sends nothing at all. */
  "no_headers",
  /** Headers, half of the answer, then the connection closes. */
  "cut",
  /** Half of the answer, then a proper end of the body: no finish, no [DONE]. */
  "unfinished",
  /** Half of the answer, then silence on an open connection. */
  "stall",
  /** Half of the answer, then nothing but comments. */
  "comments",
  /** Status 200 and a web page. */
  "html",
  /** The call ends within its arguments; the body ends properly. */
  "cut_arguments",
  /** The arguments of the call come as an object. */
  "object_arguments",
  /** The call comes without an index, and the finish is "stop". */
  "missing_index",
  /** All of `calls` come under index 0. */
  "index_zero",
  /** The arguments are "". */
  "empty_arguments",
  /** An error object after `text`. */
  "error_chunk",
  /** The answer stops at the output limit: in the arguments, where there are calls. */
  "length",
  /** Neither text nor calls, and a proper finish. */
  "empty",
] as const;

export type Fault = typeof faults[number];

export interface FaultStep {
  readonly fault: Fault;
  readonly text?: string;
  /** Default, for faults of calls: one `bash` call that would leave a file `ran.txt`. */
  readonly calls?: readonly ChatCall[];
  readonly sse?: string;
  /** `sse` is written in pieces of so many bytes; default: at once. */
  readonly pieceLength?: number;
  /** A function is asked when the answer is sent: for dates. */
  readonly retryAfter?: string | (() => string);
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How many requests get this step; default 1. */
  readonly times?: number;
}

export type FaultScenario = readonly (Fault | FaultStep)[];

export interface FaultServer {
  /** Base URL with the trailing /v1. */
  readonly url: string;
  /** `at`: milliseconds, from any start. */
  readonly requests: (ChatRequest & { readonly fault: Fault; readonly at: number })[];
  close(): Promise<void>;
}

const JSON_TYPE = { "content-type": "application/json" };
const SSE_TYPE = { "content-type": "text/event-stream" };
const DEFAULT_CALL: ChatCall = { name: "bash", args: { command: "echo x > ran.txt" } };

/** Starts the server on 127.0.0.1. */
export function startFaultServer(
  scenario: FaultScenario,
  options: { readonly port?: number; readonly onRequest?: (request: ChatRequest, n: number) => void } = {},
): FaultServer {
  const steps = scenario.flatMap((entry) => {
    const step: FaultStep = typeof entry === "string" ? { fault: entry } : entry;
    if (!faults.includes(step.fault)) {
      throw new Error(`Unknown fault "${step.fault}": known are ${faults.join(", ")}`);
    }
    return Array<FaultStep>(step.times ?? 1).fill(step);
  });
  const requests: FaultServer["requests"] = [];
  let ids = 0;
  const server = serveHttp(async (http, reply) => {
    if (http.method === "GET") {
      return await reply.send(200, JSON_TYPE, '{"object":"list","data":[{"id":"mock-1","object":"model"}]}');
    }
    const step = steps[requests.length] ?? { fault: "text", text: "done" };
    const request = { path: http.path, headers: http.headers, text: http.text, body: JSON.parse(http.text) };
    requests.push({ ...request, fault: step.fault, at: performance.now() });
    options.onRequest?.(request, requests.length - 1);
    await answer(step, reply, () => `call_${++ids}`);
  }, options.port ?? 0);
  return { url: `${server.origin}/v1`, requests, close: () => server.close() };
}

async function answer(step: FaultStep, reply: HttpReply, newId: () => string): Promise<void> {
  const text = step.text ?? "done";
  const calls = step.calls ?? [DEFAULT_CALL];
  const stream = async (events: readonly (string | Uint8Array)[]) => {
    await reply.head(200, SSE_TYPE);
    for (const event of events) await reply.write(event);
  };
  switch (step.fault) {
    case "text":
      await stream(chatEvents({ text }, newId));
      return await reply.end();
    case "calls":
      await stream(chatEvents({ text: step.text, calls }, newId));
      return await reply.end();
    case "sse":
      await stream(bytePieces(step.sse ?? "", step.pieceLength));
      return await reply.end();
    case "json":
      return await reply.send(200, JSON_TYPE, JSON.stringify(wholeAnswer(step, newId)));
    case "429":
      return await reply.send(
        429,
        { ...JSON_TYPE, "retry-after": retryAfterOf(step) },
        errorBody("Too many requests"),
      );
    case "500":
      return await reply.send(500, JSON_TYPE, errorBody("Internal error"));
    case "401":
      return await reply.send(401, JSON_TYPE, errorBody("Incorrect API key provided"));
    case "status":
      return await reply.send(
        step.status ?? 400,
        { ...JSON_TYPE, ...step.headers },
        step.body ?? errorBody("refused"),
      );
    case "no_headers":
      return await reply.gone;
    case "html":
      return await reply.send(
        200,
        { "content-type": "text/html" },
        "<!doctype html><title>Log in</title><p>Portal</p>",
      );
    case "cut":
      await stream(half(step, newId));
      return reply.cut();
    case "unfinished":
      await stream(half(step, newId));
      return await reply.end();
    case "stall":
      await stream(half(step, newId));
      return await reply.gone;
    case "comments":
      await stream(half(step, newId));
      return await commentsUntilGone(reply);
    case "cut_arguments":
      await stream(half({ ...step, calls }, newId));
      return await reply.end();
    case "length":
      await stream([...half(step, newId), chunk({}, "length"), DONE]);
      return await reply.end();
    case "error_chunk":
      await stream([
        ...half({ text }, newId),
        `data: ${JSON.stringify({ error: { code: 502, message: "upstream has gone" } })}\n\n`,
      ]);
      return await reply.end();
    case "object_arguments":
    case "missing_index":
    case "index_zero":
    case "empty_arguments":
      await stream([...calls.map((call) => oddCall(step.fault, call, newId())), ...finish(step.fault)]);
      return await reply.end();
    case "empty":
      await stream([chunk({ role: "assistant", content: "" }), chunk({}, "stop"), DONE]);
      return await reply.end();
  }
}

function retryAfterOf({ retryAfter = "0" }: FaultStep): string {
  return typeof retryAfter === "string" ? retryAfter : retryAfter();
}

function bytePieces(text: string, length?: number): Uint8Array[] {
  const bytes = new TextEncoder().encode(text);
  const size = length ?? Math.max(1, bytes.length);
  return Array.from(
    { length: Math.ceil(bytes.length / size) },
    (_, i) => bytes.slice(i * size, (i + 1) * size),
  );
}

const DONE = "data: [DONE]\n\n";

function chunk(delta: unknown, finish: string | null = null): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
}

/** The events of an answer up to somewhere in its text or, where it has calls, in the arguments of the last. */
function half(step: Pick<FaultStep, "text" | "calls">, newId: () => string): string[] {
  const turn = {
    text: step.text ?? (step.calls ? undefined : "half of an answer"),
    calls: step.calls,
    pieceLength: 5,
  };
  // Without finish, usage and [DONE], and without the last piece of what was being said.
  return chatEvents(turn, newId).slice(0, -4);
}

function oddCall(fault: Fault, call: ChatCall, id: string): string {
  const json = typeof call.args === "string" ? call.args : JSON.stringify(call.args ?? {});
  const args = fault === "object_arguments" ? call.args ?? {} : fault === "empty_arguments" ? "" : json;
  const index = fault === "missing_index" ? {} : { index: 0 };
  const fragment = {
    ...index,
    id: call.id ?? id,
    type: "function",
    function: { name: call.name, arguments: args },
  };
  return chunk({ tool_calls: [fragment] });
}

function finish(fault: Fault): string[] {
  return [chunk({}, fault === "missing_index" ? "stop" : "tool_calls"), DONE];
}

function wholeAnswer(step: FaultStep, newId: () => string): unknown {
  const toolCalls = (step.calls ?? []).map((call) => ({
    id: call.id ?? newId(),
    type: "function",
    function: {
      name: call.name,
      arguments: typeof call.args === "string" ? call.args : JSON.stringify(call.args ?? {}),
    },
  }));
  const message = {
    role: "assistant",
    content: step.text ?? (step.calls ? null : "done"),
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
  };
  return {
    id: "chatcmpl-whole",
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: toolCalls.length > 0 ? "tool_calls" : "stop" }],
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  };
}

function errorBody(message: string): string {
  return JSON.stringify({ error: { message, type: "mock_error" } });
}

async function commentsUntilGone(reply: HttpReply): Promise<void> {
  let gone = false;
  reply.gone.then(() => gone = true);
  while (!gone) {
    await reply.write(": still here\n\n");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

if (import.meta.main) {
  const args = [...Deno.args];
  const option = (name: string): string | undefined => {
    const at = args.indexOf(name);
    return at < 0 ? undefined : args.splice(at, 2)[1];
  };
  const port = Number(option("--port") ?? 0);
  const log = option("--log");
  if (args.length !== 1) {
    console.error("usage: fault_server.ts [--port N] [--log FILE] SCENARIO.json");
    Deno.exit(2);
  }
  const scenario = JSON.parse(Deno.readTextFileSync(args[0])) as FaultScenario;
  const server = startFaultServer(scenario, {
    port,
    onRequest({ path, headers, text }, n) {
      if (log !== undefined) {
        Deno.writeTextFileSync(log, `${JSON.stringify({ n, path, headers, text })}\n`, { append: true });
      }
    },
  });
  console.log(server.url);
}
