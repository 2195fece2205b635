/**
 * A process that writes sessions until it is killed: takes up the newest one
 * of its workspace, or begins one where that is in use, appends turns, and
 * tells on stdout of each entry that was acknowledged.
 */
import { newestSession } from "../../src/session/list.ts";
import type { Session } from "../../src/session/session.ts";
import { createSession, openSession } from "../../src/session/store.ts";
import { SessionError } from "../../src/session/errors.ts";
import { answer, intent, result, submission } from "../session/sample.ts";

const [root, cwd] = Deno.args;

async function take(): Promise<Session> {
  const newest = newestSession(root, cwd);
  if (newest !== undefined) {
    try {
      return await openSession(newest);
    } catch (error) {
      if (!(error instanceof SessionError) || error.code !== "busy") throw error;
    }
  }
  return await createSession({ root, cwd });
}

for (;;) {
  await using session = await take();
  for (let turn = 0; turn < 20; turn++) {
    const payloads = [
      submission("say ".repeat(50)),
      answer("", ["c", "bash"]),
      intent("c", "bash"),
      result("c", "bash", "out ".repeat(500)),
    ];
    for (const payload of payloads) {
      const { id } = await session.append(payload, { sync: true });
      Deno.stdout.writeSync(new TextEncoder().encode(`${session.file} ${id}\n`));
    }
  }
}
