/**
 * A process that works in one session until it is killed: runs of a scripted
 * model with tools that change files and leave a mark for each time they ran,
 * compactions, undos. It tells on stdout of each entry that was acknowledged.
 * With "finish" it only takes up what was left and ends.
 */
import { textResult } from "../../src/agent/tool.ts";
import type { EngineDeps } from "../../src/engine/deps.ts";
import { ops } from "../../src/engine/ops/mod.ts";
import type { StreamEvent } from "../../src/llm/event.ts";
import type { AssistantMessage, Message } from "../../src/llm/message.ts";
import {
  createSession,
  newestSession,
  openRecorder,
  openSession,
  type Session,
  undoFiles,
} from "../../src/session/mod.ts";
import { engineRun } from "../support/engine_run.ts";
import { toolsOf } from "../support/fakes.ts";

const [root, workspace, effects, mode] = Deno.args;
const encoder = new TextEncoder();
const pause = () =>
  Math.random() < 0.3 ? new Promise((resolve) => setTimeout(resolve, Math.random() * 4)) : undefined;

function tell(line: string): void {
  Deno.stdout.writeSync(encoder.encode(line + "\n"));
}

/** What was acknowledged is told, in the order in which it was. */
function telling(session: Session): Session {
  const append = session.append.bind(session);
  session.append = async (payload, options) => {
    const entry = await append(payload, options);
    // Only what is durable by its kind must outlive the machine; a kill leaves what was written, too.
    tell(`entry ${entry.id}`);
    return entry;
  };
  return session;
}

function nextAnswer(messages: readonly Message[]): AssistantMessage {
  const since = messages.length - messages.findLastIndex(({ role }) => role === "user");
  const call = (name: string) => ({
    type: "tool_call" as const,
    id: crypto.randomUUID(),
    name,
    arguments: JSON.stringify({ file: `f${Math.floor(Math.random() * 5)}` }),
  });
  const calls = since > 8 || Math.random() < 0.2 ? [] : ["bump", "file", "read", "read"].map(call);
  return {
    role: "assistant",
    parts: [{ type: "text", text: "so far so good" }, ...calls],
    stopReason: calls.length > 0 ? "tool_calls" : "stop",
    model: "test/model",
  };
}

async function* speak(messages: readonly Message[]): AsyncGenerator<StreamEvent> {
  const message = nextAnswer(messages);
  yield { type: "start" };
  for (const word of ["so ", "far ", "so ", "good"]) {
    await pause();
    yield { type: "text_delta", text: word };
  }
  yield { type: "done", message };
}

const newest = newestSession(root, workspace);
const session = telling(
  newest === undefined ? await createSession({ root, cwd: workspace }) : await openSession(newest),
);
const recorder = await openRecorder({ session, workspace, root: `${root}/../snapshots`, leaveOut: [] });
const bodies = toolsOf({
  async bump(_args, { callId }) {
    await pause();
    Deno.writeTextFileSync(effects, `${callId}\n`, { append: true });
    await pause();
    return textResult("done");
  },
  async file({ file }) {
    const path = `${workspace}/${file}`;
    recorder.keep(path);
    if (Math.random() < 0.3) {
      try {
        Deno.removeSync(path);
      } catch {
        // It was not there.
      }
    } else Deno.writeTextFileSync(path, crypto.randomUUID().repeat(200));
    await pause();
    return textResult("done");
  },
  async read() {
    await pause();
    return textResult("what it says");
  },
});
const run = engineRun({ steps: [], session });
const deps: EngineDeps = {
  ...run.deps,
  tools: {
    entries: bodies.entries,
    async run(name, args, context) {
      const result = await bodies.run(name, args, context);
      if (name === "file") await recorder.flush(context.callId);
      return result;
    },
  },
  stream: speak,
  async undo(wish) {
    await recorder.flush(null);
    return await undoFiles(session, `${root}/../snapshots`, wish);
  },
};
const prompt = (text: string) =>
  ops.prompt({
    type: "prompt",
    requestId: crypto.randomUUID(),
    parts: text === "" ? [] : [{ type: "text", text }],
  }, deps);

tell("ready");
const { run: unfinished, messages } = session.projection;
if (unfinished !== undefined || messages.at(-1)?.role === "tool_result") await prompt("");
if (mode !== "finish") {
  for (let turn = 0;; turn++) {
    await prompt(`turn ${turn}`);
    if (Math.random() < 0.3) {
      const kept = session.projection.origins.at(-2) ?? null;
      await session.append({ kind: "compaction", summary: "what was before", firstKept: kept });
    }
    if (Math.random() < 0.4) await ops.undo({ type: "undo" }, deps);
    if (Math.random() < 0.2) await ops.redo({ type: "redo" }, deps);
  }
}
await recorder.close();
await session.close();
