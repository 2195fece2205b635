import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Message } from "../../src/llm/message.ts";
import { type Compared, comparePrefix } from "../../src/llm/prefix.ts";
import { testModel } from "../support/llm_run.ts";

const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const tool = (name: string, description = "") => ({ name, description, schema: {} });
const base: Compared = {
  model: testModel,
  messages: [{ role: "system", text: "Be brief. Today is Monday." }, user("go")],
  tools: [tool("read"), tool("write")],
};

Deno.test("comparePrefix() finds nothing where a request only grew", () => {
  assertEquals(comparePrefix(base, base), undefined);
  assertEquals(
    comparePrefix(base, { ...structuredClone(base), messages: [...base.messages, user("on")] }),
    undefined,
  );
});

Deno.test("comparePrefix() says what changed, and where", () => {
  const cases: [Partial<Compared>, string, string][] = [
    [{ model: { ...testModel, id: "other" } }, "model", "from local/mock-1 to local/other"],
    [{ tools: [tool("read"), tool("write"), tool("mcp_x")] }, "tools", "new: mcp_x"],
    [{ tools: [tool("read")] }, "tools", "gone: write"],
    [{ tools: [tool("write"), tool("read")] }, "tools", "another order"],
    [{ tools: [tool("read", "Other."), tool("write")] }, "tools", '"read" changed'],
    [{ thinking: "high" }, "thinking", "to high"],
    [
      { messages: [{ role: "system", text: "Be brief. Today is Tuesday." }, user("go")] },
      "message",
      "system prompt",
    ],
    [{ messages: [base.messages[0], user("gone")] }, "message", "message 2 (of the user)"],
    [{ messages: [base.messages[0]] }, "message", "ends after 1 messages"],
  ];
  for (const [change, what, why] of cases) {
    const found = comparePrefix(base, { ...base, ...change });
    assertEquals(found?.what, what);
    assertStringIncludes(found?.why ?? "", why);
  }
});
