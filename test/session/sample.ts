/** Payloads and folders for the tests of sessions. */
import type { AssistantMessage } from "../../src/llm/message.ts";
import type { AnyEntry, Payload } from "../../src/session/entry.ts";
import type { Session } from "../../src/session/session.ts";
import { createSession } from "../../src/session/store.ts";
import type { Disk } from "../../src/session/log/disk.ts";

export function submission(
  text: string,
  requestId: string = crypto.randomUUID(),
): Payload & { kind: "submission" } {
  return {
    kind: "submission",
    requestId,
    parts: [{ type: "text", text }],
    message: [{ type: "text", text }],
  };
}

export function answer(
  text: string,
  ...calls: readonly [id: string, name: string, args?: string][]
): Payload & { kind: "assistant" } {
  const message: AssistantMessage = {
    role: "assistant",
    parts: [
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...calls.map(([id, name, args]) => ({ type: "tool_call" as const, id, name, arguments: args ?? "{}" })),
    ],
    stopReason: calls.length > 0 ? "tool_calls" : "stop",
    model: "test/model",
  };
  return { kind: "assistant", message };
}

export function intent(
  callId: string,
  name: string,
  replay: "safe" | "never" = "never",
): Payload & { kind: "intent" } {
  return { kind: "intent", callId, name, replay };
}

export function result(
  callId: string,
  name: string,
  text = "done",
  isError = false,
): Payload & { kind: "result" } {
  return { kind: "result", callId, name, parts: [{ type: "text", text }], isError };
}

/** A chain of entries out of payloads. */
export function chain(...payloads: readonly Payload[]): AnyEntry[] {
  return payloads.map((payload, i) => ({
    ...payload,
    id: `e${i + 1}`,
    parentId: i === 0 ? null : `e${i}`,
    at: "2026-01-02T03:04:05.678Z",
  }));
}

/** What a run with two tools and an open call writes. */
export const RUN: readonly Payload[] = [
  { kind: "system", text: "Be brief." },
  submission("list the two files — 三つ目 🙂", "r1"),
  { kind: "run_start", runId: "run1", model: "test/model" },
  answer("", ["c1", "bash", '{"command":"ls"}']),
  intent("c1", "bash"),
  result("c1", "bash", "a.txt\nb.txt"),
  answer("There are two files."),
  { kind: "run_end", runId: "run1", reason: "stop" },
  submission("now deploy", "r2"),
  { kind: "run_start", runId: "run2", model: "test/model" },
  answer("", ["c2", "write", '{"path":"c.txt"}'], ["c3", "bash", '{"command":"make deploy"}']),
  intent("c2", "write"),
  result("c2", "write", "written"),
  intent("c3", "bash"),
];

/** Runs `body` with a folder of its own. */
export async function inFolder(body: (folder: string) => Promise<void> | void): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "session_test_" });
  try {
    await body(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A closed session in `root` that holds `payloads`; answers with its file. */
export async function written(root: string, payloads: readonly Payload[], disk?: Disk): Promise<string> {
  const session = await createSession({ root, cwd: "/home/demo", disk });
  for (const payload of payloads) await session.append(payload);
  await session.close();
  return fileOf(session);
}

export function fileOf(session: Session): string {
  if (session.file === undefined) throw new Error("the session has no file");
  return session.file;
}

export const bytesOf = (text: string) => new TextEncoder().encode(text);
export const textOfBytes = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
