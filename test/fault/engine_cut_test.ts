/**
 * The power fails during a run: the disk keeps what was synced and any part of
 * the rest. Whatever it keeps, the session opens, no call that must not repeat
 * is repeated, each call has one result, and the next request is well-formed.
 */
import { assert, assertEquals } from "@std/assert";
import { textResult } from "../../src/agent/tool.ts";
import { toolCalls } from "../../src/llm/message.ts";
import { isKnown } from "../../src/session/entry.ts";
import type { Session } from "../../src/session/session.ts";
import { createSession, openSession } from "../../src/session/store.ts";
import { engineRun } from "../support/engine_run.ts";
import { answer, toolsOf } from "../support/fakes.ts";
import { fileOf, inFolder } from "../session/sample.ts";
import { ForgetfulDisk, type ForgetfulFile } from "./forgetful_disk.ts";

/** Every byte takes its time. */
const STEP = Deno.env.get("MYELIN_FULL") ? 1 : 23;
const CWD = "/home/demo";

interface Effect {
  readonly callId: string;
  /** How much of the file was durable when it had its effect. */
  readonly durable: number;
}

const call = (id: string, name: string) => ({ type: "tool_call" as const, id, name, arguments: "{}" });

async function record(root: string): Promise<{ bytes: Uint8Array; path: string; effects: Effect[] }> {
  const disk = new ForgetfulDisk();
  const session = await createSession({ root, cwd: CWD, disk });
  const file: ForgetfulFile = disk.file(session.file);
  const effects: Effect[] = [];
  const tools = toolsOf({
    write(_args, { callId }) {
      effects.push({ callId, durable: file.synced });
      return textResult("written");
    },
    read: () => textResult("what it says"),
  });
  const run = engineRun({
    session,
    tools,
    steps: [
      answer("I look.", [call("a", "read"), call("b", "read")]),
      answer("I write.", [call("c", "write"), call("d", "read"), call("e", "write")]),
      answer("Done."),
      answer("Once more.", [call("f", "write")]),
      answer("Done again."),
    ],
  });
  await run.prompt("first — 三つ");
  await run.prompt("second");
  await session.close();
  assertEquals(effects.map(({ callId }) => callId), ["c", "e", "f"]);
  return { bytes: file.bytes, path: fileOf(session), effects };
}

function assertOneResultEach(session: Session): void {
  const results: string[] = [];
  const calls: string[] = [];
  for (const entry of session.path()) {
    if (!isKnown(entry)) continue;
    if (entry.kind === "assistant") calls.push(...toolCalls(entry.message).map(({ id }) => id));
    if (entry.kind === "result") results.push(entry.callId);
  }
  assertEquals(results.toSorted(), calls.toSorted());
}

Deno.test("a run whose power fails at any byte is taken up without repeating what must not be", () =>
  inFolder(async (root) => {
    const { bytes, path, effects } = await record(root);
    for (let cut = 0; cut <= bytes.length; cut += STEP) {
      const session = await openSession(path, {
        disk: ForgetfulDisk.of(path, bytes.slice(0, cut)),
        cwd: CWD,
      });
      const started = new Set<string>();
      for (const entry of session.entries()) {
        if (isKnown(entry) && entry.kind === "intent") started.add(entry.callId);
      }
      for (const { callId, durable } of effects) {
        if (durable <= cut) assert(started.has(callId), `cut at ${cut}: ${callId} ran, and nobody knows`);
      }
      const ran: string[] = [];
      const tools = toolsOf({
        write(_args, { callId }) {
          ran.push(callId);
          return textResult("written");
        },
        read: () => textResult("what it says"),
      });
      const run = engineRun({ session, tools, steps: [answer("I go on.")] });
      const result = await run.prompt("and now");
      assertEquals([result.reason, result.text, ran], ["stop", "I go on.", []], `cut at ${cut}`);
      assertOneResultEach(session);
      const open: string[] = [];
      for (const message of run.requests[0]) {
        if (message.role === "tool_result") assertEquals(message.callId, open.shift());
        else assertEquals(open, []);
        if (message.role === "assistant") open.push(...toolCalls(message).map(({ id }) => id));
      }
      await session.close();
    }
  }));
