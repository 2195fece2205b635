/**
 * A model server for measuring: answers at once, so that what is timed is the
 * agent's own work. Speaks chat completions, and as much of the Responses API
 * as codex needs. The number of calls in a request's history says which turn
 * comes next.
 */
import { type HttpReply, type HttpRequest, serveHttp } from "../../test/support/http_server.ts";

export interface Turn {
  readonly tool: "read" | "bash";
  /** The path to read, or the command. */
  readonly argument: string;
}

export interface Arrival {
  /** performance.now() of this process when the request had come in. */
  readonly at: number;
  /** When its answer had gone out. */
  answeredAt: number;
  readonly body: string;
}

export interface Mock {
  readonly url: string;
  readonly arrivals: Arrival[];
  set(turns: readonly Turn[]): void;
  close(): Promise<void>;
}

interface ToolChoice {
  readonly name: string;
  readonly args: string;
}

/** Finds the peer's tool for a turn by the names that agents give them, and fills its required arguments. */
function chooseTool(
  turn: Turn,
  tools: readonly { name: string; schema: Record<string, unknown> }[],
): ToolChoice {
  const wanted = turn.tool === "read"
    ? /^(read|read_file|view)$/i
    : /^(bash|shell|shell_command|exec_command|run_shell_command)$/i;
  const tool = tools.find((one) => wanted.test(one.name)) ??
    tools.find((one) => /bash|shell|exec/i.test(one.name));
  if (tool === undefined) {
    throw new Error(`no tool for ${turn.tool} among ${tools.map((one) => one.name).join(", ")}`);
  }
  const asCommand = turn.tool === "bash" || !wanted.test(tool.name);
  const text = asCommand && turn.tool === "read" ? `cat ${turn.argument}` : turn.argument;
  const properties = (tool.schema.properties ?? {}) as Record<string, { type?: string | string[] }>;
  const key = Object.keys(properties).find((name) =>
    (asCommand ? /^(command|cmd)$/ : /^(path|file_path|filePath)$/).test(name)
  );
  if (key === undefined) throw new Error(`no argument for ${turn.tool} in ${tool.name}`);
  const list = properties[key].type === "array";
  return { name: tool.name, args: JSON.stringify({ [key]: list ? ["bash", "-lc", text] : text }) };
}

export function startMock(port = 0): Mock {
  let turns: readonly Turn[] = [];
  const arrivals: Arrival[] = [];
  const server = serveHttp(async (request: HttpRequest, reply: HttpReply) => {
    if (request.method !== "POST") {
      return await reply.send(200, { "content-type": "application/json" }, '{"object":"list","data":[]}');
    }
    const arrival: Arrival = { at: performance.now(), answeredAt: 0, body: request.text };
    arrivals.push(arrival);
    const body = JSON.parse(request.text);
    const events = request.path.endsWith("/responses") ? responses(body, turns) : chat(body, turns);
    await reply.head(200, { "content-type": "text/event-stream" });
    await reply.write(events);
    await reply.end();
    arrival.answeredAt = performance.now();
  }, port);
  return {
    url: server.origin,
    arrivals,
    set(next) {
      turns = next;
      arrivals.length = 0;
    },
    close: () => server.close(),
  };
}

// deno-lint-ignore no-explicit-any -- bodies of peers, whatever shape they have
function chat(body: any, turns: readonly Turn[]): string {
  // deno-lint-ignore no-explicit-any -- see above
  const done = body.messages.reduce((n: number, message: any) => n + (message.tool_calls?.length ?? 0), 0);
  const line = (delta: unknown, finish: string | null) =>
    `data: ${
      JSON.stringify({
        id: "c",
        object: "chat.completion.chunk",
        model: body.model,
        choices: [{ index: 0, delta, finish_reason: finish }],
      })
    }\n\n`;
  const usage = `data: ${
    JSON.stringify({
      id: "c",
      object: "chat.completion.chunk",
      choices: [],
      usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
    })
  }\n\ndata: [DONE]\n\n`;
  const turn = turns[done];
  if (turn === undefined || body.tools === undefined) {
    return line({ role: "assistant", content: "Done." }, null) + line({}, "stop") + usage;
  }
  const { name, args } = chooseTool(
    turn,
    // deno-lint-ignore no-explicit-any -- see above
    body.tools.map((one: any) => ({ name: one.function.name, schema: one.function.parameters })),
  );
  const call = { index: 0, id: `call_${done}`, type: "function", function: { name, arguments: args } };
  return line({ role: "assistant", content: null, tool_calls: [call] }, null) + line({}, "tool_calls") +
    usage;
}

// deno-lint-ignore no-explicit-any -- bodies of peers, whatever shape they have
function responses(body: any, turns: readonly Turn[]): string {
  const input = Array.isArray(body.input) ? body.input : [];
  const done = input.filter((item: { type?: string }) => /_call$/.test(item.type ?? "")).length;
  let seq = 0;
  const event = (data: Record<string, unknown>) =>
    `event: ${data.type}\ndata: ${JSON.stringify({ ...data, sequence_number: seq++ })}\n\n`;
  const response = { id: "resp_1", object: "response", model: body.model, status: "in_progress", output: [] };
  const turn = turns[done];
  // deno-lint-ignore no-explicit-any -- see above
  const tools = (body.tools ?? []).filter((one: any) => one.type === "function").map((one: any) => ({
    name: one.name,
    schema: one.parameters ?? {},
  }));
  let item: Record<string, unknown>;
  if (turn === undefined) {
    item = {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "Done.", annotations: [] }],
    };
  } else {
    const { name, args } = chooseTool(turn, tools);
    item = {
      type: "function_call",
      id: `fc_${done}`,
      call_id: `call_${done}`,
      name,
      arguments: args,
      status: "completed",
    };
  }
  return event({ type: "response.created", response }) +
    event({ type: "response.output_item.added", output_index: 0, item }) +
    (turn === undefined
      ? event({
        type: "response.output_text.delta",
        item_id: "msg_1",
        output_index: 0,
        content_index: 0,
        delta: "Done.",
      })
      : "") +
    event({ type: "response.output_item.done", output_index: 0, item }) +
    event({
      type: "response.completed",
      response: {
        ...response,
        status: "completed",
        output: [item],
        usage: { input_tokens: 100, output_tokens: 10, total_tokens: 110 },
      },
    });
}
