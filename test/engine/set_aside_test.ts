import { assertEquals, assertMatch } from "@std/assert";
import { setAsideRefused } from "../../src/engine/set_aside.ts";
import { LlmError } from "../../src/llm/errors.ts";
import { createMemorySession, type Session } from "../../src/session/mod.ts";
import { answer, result, submission } from "../session/sample.ts";

const image = { type: "image" as const, mediaType: "image/png", data: "AAAA" };
const refusal = new LlmError("bad_request", "400: image exceeds 5 MB maximum");

async function withPictures(): Promise<Session> {
  const session = createMemorySession({ cwd: "/ws" });
  await session.append({ ...submission("old"), message: [{ type: "text", text: "old" }, image] });
  await session.append(answer("seen", ["c", "read"]));
  await session.append({ ...result("c", "read"), parts: [image] });
  return session;
}
const pictures = (session: Session) => JSON.stringify(session.projection.messages).split("AAAA").length - 1;

Deno.test("setAsideRefused() takes out what is new and was refused, and leaves what was taken before", async () => {
  const session = await withPictures();
  assertMatch(await setAsideRefused(session, refusal) ?? "", /does not see it/);
  assertEquals(pictures(session), 1);
  await setAsideRefused(session, refusal);
  assertEquals(pictures(session), 0);
  assertEquals(await setAsideRefused(session, refusal), undefined);
});

Deno.test("setAsideRefused() does nothing for other errors", async () => {
  const session = await withPictures();
  assertEquals(await setAsideRefused(session, new LlmError("bad_request", "unknown parameter")), undefined);
  assertEquals(await setAsideRefused(session, new LlmError("network", "image server gone")), undefined);
  assertEquals(pictures(session), 2);
});
