import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { errorResult, textResult, type ToolContext, type Tools } from "../../src/agent/tool.ts";
import type { KnownSecrets } from "../../src/config/mod.ts";
import { createSecretKeeper } from "../../src/engine/secrets.ts";
import type { Message } from "../../src/llm/message.ts";
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
