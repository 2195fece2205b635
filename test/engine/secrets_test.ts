import { assert, assertEquals, assertFalse, assertRejects, assertStringIncludes } from "@std/assert";
import { errorResult, textResult, type ToolContext, type Tools } from "../../src/agent/tool.ts";
import type { KnownSecrets } from "../../src/config/mod.ts";
import { createSecretKeeper } from "../../src/engine/secrets.ts";
import type { StreamEvent } from "../../src/llm/event.ts";
import type { AssistantMessage, Message } from "../../src/llm/message.ts";
import type { PermitRequest } from "../../src/sandbox/mod.ts";
import { toolsOf } from "../support/fakes.ts";

const VALUE = "value-CANARY-1";

function keeper(changes: Partial<KnownSecrets> = {}) {
  return createSecretKeeper({
    first: () => [{ name: "TOKEN", value: VALUE }],
    look: () => Promise.resolve([]),
    news: () => [],
    named: () => [],
    readable: () => false,
    ...changes,
  });
}

const context = (out: string[] = []): ToolContext => ({
  callId: "c",
  signal: new AbortController().signal,
  output: (text) => void out.push(text),
});

const textsOf = (result: Awaited<ReturnType<Tools["run"]>>) =>
  result.parts.map((part) => part.type === "text" ? part.text : part.data);

Deno.test("secrets: what the user says in any op is masked before anybody writes it down", () => {
  const secrets = keeper();
  const parts = [{ type: "text", text: `use ${VALUE}` }, { type: "paste", text: VALUE }] as const;
  const shown = [{ type: "text", text: "use [hidden: TOKEN]" }, { type: "paste", text: "[hidden: TOKEN]" }];
  for (const type of ["prompt", "steer", "follow_up"] as const) {
    assertEquals(
      secrets.op({ type, requestId: "r", parts }),
      { type, requestId: "r", parts: shown } as never,
    );
  }
  assertEquals(secrets.op({ type: "approve", permitId: "p", allow: false, reason: `not ${VALUE}` }), {
    type: "approve",
    permitId: "p",
    allow: false,
    reason: "not [hidden: TOKEN]",
  });
  const image = { type: "image", mediaType: "image/png", data: VALUE } as const;
  assertEquals(secrets.op({ type: "prompt", requestId: "r", parts: [image] }).type, "prompt");
});

Deno.test("secrets: events that quote what really runs are masked", () => {
  const { event } = keeper();
  assertEquals(
    event({
      type: "permission_request",
      permitId: "p",
      callId: "c",
      request: `run x ${VALUE}`,
      reason: "",
      rule: null,
    }),
    {
      type: "permission_request",
      permitId: "p",
      callId: "c",
      request: "run x [hidden: TOKEN]",
      reason: "",
      rule: null,
    },
  );
  const notice = event({ type: "notice", level: "warning", text: VALUE });
  assertEquals(notice.type === "notice" && notice.text, "[hidden: TOKEN]");
});

Deno.test("secrets: a tool that writes gets values, one that only reads does not; results and output show marks, and say once what they are", async () => {
  const got: unknown[] = [];
  const body = (args: unknown, { output }: ToolContext) => {
    got.push(args);
    output("out value-CAN");
    output("ARY-1 end");
    return textResult(`it is ${VALUE}`, { view: { type: "text", title: "t", text: VALUE }, denied: VALUE });
  };
  const tools = keeper().tools(toolsOf({ read: body, write: body }), () => []);
  const out: string[] = [];
  const args = { path: "a", content: "x [hidden: TOKEN] y" };
  const first = await tools.run("write", args, context(out));
  assertEquals(got, [{ path: "a", content: `x ${VALUE} y` }]);
  assertEquals(out.join(""), "out [hidden: TOKEN] end");
  assertEquals(textsOf(first)[0], "it is [hidden: TOKEN]");
  assertStringIncludes(textsOf(first)[1], "hidden from you");
  assertEquals([first.view, first.denied], [
    { type: "text", title: "t", text: "[hidden: TOKEN]" },
    "[hidden: TOKEN]",
  ]);
  const second = await tools.run("read", args, context());
  assertEquals(got[1], args);
  assertEquals(textsOf(second), ["it is [hidden: TOKEN]"]);
});

Deno.test("secrets: a mark whose value was lost with an earlier process is not written as it stands, unless it is meant", async () => {
  const history: Message[] = [{
    role: "tool_result",
    callId: "c",
    name: "read",
    parts: [{ type: "text", text: "KEY=[hidden: GITHUB_TOKEN]" }],
    isError: false,
  }];
  let ran = 0;
  const tools = keeper().tools(
    toolsOf({
      write: () => {
        ran++;
        return textResult("ok");
      },
    }),
    () => history,
  );
  const args = { path: "a", content: "KEY=[hidden: GITHUB_TOKEN]" };
  const refused = await tools.run("write", args, context());
  assert(refused.isError);
  assertStringIncludes(textsOf(refused)[0], "Read the file");
  assertEquals(ran, 0);
  assertEquals((await tools.run("write", args, context())).isError, false);
  assertEquals((await tools.run("write", { content: "[hidden: NEVER_SEEN]" }, context())).isError, false);
  assertEquals(ran, 2);
});

Deno.test("secrets: keys in a file that the user named are shown; values from elsewhere are not", async () => {
  const token = ["ghp", "_", "0123456789abcdefghijABCDEFGHIJ012345"].join("");
  const tools = keeper({ readable: (path) => path === "open.txt" }).tools(
    toolsOf({ read: () => textResult(`${token} ${VALUE}`), grep: () => errorResult("none") }),
    () => [],
  );
  assertEquals(
    textsOf(await tools.run("read", { path: "open.txt" }, context()))[0],
    `${token} [hidden: TOKEN]`,
  );
  assertEquals(
    textsOf(await tools.run("read", { path: "other.txt" }, context()))[0],
    "[hidden: GITHUB_TOKEN] [hidden: TOKEN]",
  );
});

Deno.test("secrets: what a tool has just written down becomes known before its result is shown", async () => {
  let news: { name: string; value: string }[] = [];
  const tools = keeper({ news: () => news }).tools(
    toolsOf({
      write: () => {
        news = [{ name: "FRESH", value: "fresh-CANARY-2" }];
        return textResult("wrote fresh-CANARY-2");
      },
    }),
    () => [],
  );
  assertEquals(textsOf(await tools.run("write", {}, context()))[0], "wrote [hidden: FRESH]");
});

Deno.test("secrets: artifacts are masked across the borders of their pieces", async () => {
  const written: string[] = [];
  const store = keeper().artifacts({
    read: () => Promise.resolve(undefined),
    create: () =>
      Promise.resolve({
        id: 1,
        path: "/x",
        write: (bytes) => Promise.resolve(void written.push(new TextDecoder().decode(bytes))),
        close: () => Promise.resolve(),
      }),
  });
  const writer = await store.create("c");
  for (const piece of ["a value-C", "ANARY", "-1 b"]) await writer.write(new TextEncoder().encode(piece));
  await writer.close();
  assertEquals(written.join(""), "a [hidden: TOKEN] b");
});

async function* streamOf(...events: StreamEvent[]): AsyncGenerator<StreamEvent> {
  yield* events;
}

const DONE: Omit<AssistantMessage, "parts"> = { role: "assistant", model: "m", stopReason: "tool_calls" };

Deno.test("secrets: a value that the model writes itself is a mark in every event and in its message, however it is cut", async () => {
  const secrets = keeper();
  const seen: StreamEvent[] = [];
  const pieces = ["it is val", "ue-CAN", "ARY", "-1, and value-", "less"];
  const args = JSON.stringify({ command: `echo "${VALUE}"` });
  const stream = streamOf(
    { type: "start" },
    ...pieces.map((text) => ({ type: "text_delta" as const, text })),
    { type: "tool_call_start", index: 0, id: "1", name: `send_${VALUE}` },
    { type: "tool_call_delta", index: 0, arguments: args.slice(0, 22) },
    { type: "tool_call_delta", index: 0, arguments: args.slice(22) },
    {
      type: "done",
      message: {
        ...DONE,
        parts: [
          { type: "text", text: pieces.join("") },
          { type: "thinking", text: `hm ${VALUE}` },
          { type: "tool_call", id: "1", name: `send_${VALUE}`, arguments: args },
          { type: "tool_call", id: "2", name: "read", arguments: `{"path": "${VALUE}`, broken: true },
        ],
      },
    },
  );
  for await (const event of secrets.words(stream)) seen.push(event);
  assertFalse(JSON.stringify(seen).includes(VALUE));
  const text = seen.map((event) => event.type === "text_delta" ? event.text : "").join("");
  assertEquals(text, "it is [hidden: TOKEN], and value-less");
  const given = seen.map((event) => event.type === "tool_call_delta" ? event.arguments : "").join("");
  assertEquals(JSON.parse(given), { command: 'echo "[hidden: TOKEN]"' });
  const last = seen.at(-1)!;
  assert(last.type === "done");
  const call = last.message.parts[2];
  assert(call.type === "tool_call" && /^[\w-]+$/.test(call.name), JSON.stringify(call));
  assertEquals(JSON.parse(call.arguments), { command: 'echo "[hidden: TOKEN]"' });
});

Deno.test("secrets: what the model has written itself reaches its tool as it was meant, also one that only reads", async () => {
  const secrets = keeper();
  const got: unknown[] = [];
  const tools = secrets.tools(
    toolsOf({
      read: (args) => {
        got.push(args);
        return textResult("ok");
      },
    }),
    () => [],
  );
  // A mark that it was shown stays one there.
  await tools.run("read", { path: "[hidden: TOKEN]" }, context());
  const call = {
    type: "tool_call",
    id: "1",
    name: "read",
    arguments: JSON.stringify({ path: VALUE }),
  } as const;
  let args: unknown;
  for await (const event of secrets.words(streamOf({ type: "done", message: { ...DONE, parts: [call] } }))) {
    if (event.type !== "done") continue;
    const [part] = event.message.parts;
    if (part.type === "tool_call") args = JSON.parse(part.arguments);
  }
  assertEquals(args, { path: "[hidden: TOKEN]" });
  await tools.run("read", args, context());
  assertEquals(got, [{ path: "[hidden: TOKEN]" }, { path: VALUE }]);
});

Deno.test("secrets: a signed thought and words without a secret pass as they are", async () => {
  const message: AssistantMessage = {
    ...DONE,
    parts: [
      { type: "thinking", text: VALUE, signature: "s" },
      { type: "text", text: "plain" },
      { type: "tool_call", id: "1", name: "bash", arguments: '{ "command": "ls" }' },
    ],
  };
  for await (const event of keeper().words(streamOf({ type: "done", message }))) {
    assert(event.type === "done" && event.message === message);
  }
});

Deno.test("secrets: a judge sees marks, and no rule with a secret in it is kept", async () => {
  let judged = "";
  const kept: string[] = [];
  const ways = keeper().ways({
    judge: (request) => {
      judged = JSON.stringify(request);
      return Promise.resolve({ says: "allow" });
    },
    keep: (rule) => Promise.resolve(void kept.push(rule)),
  });
  const request: PermitRequest = {
    callId: "c",
    action: { kind: "run", argv: ["curl", VALUE], program: "/usr/bin/curl", cwd: "/" },
    reason: "",
    summary: `run curl ${VALUE}`,
    suggestion: `run(curl ${VALUE} *)`,
  };
  await ways.judge!(request, new AbortController().signal);
  assertFalse(judged.includes(VALUE));
  assertStringIncludes(judged, "[hidden: TOKEN]");
  await assertRejects(() => ways.keep!(`run(curl ${VALUE} *)`));
  await ways.keep!("run(curl *)");
  assertEquals(kept, ["run(curl *)"]);
});

Deno.test("secrets: a task for another model keeps its marks, whoever wrote them", async () => {
  const got: unknown[] = [];
  const offered = toolsOf({
    write: (args) => {
      got.push(args);
      return textResult("ok");
    },
  });
  const entries = offered.entries.map((entry) => ({ ...entry, delegates: true as const }));
  const args = { prompt: "spell [hidden: TOKEN] backwards" };
  await keeper().tools({ ...offered, entries }, () => []).run("write", args, context());
  assertEquals(got, [args]);
});
