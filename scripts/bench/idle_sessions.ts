/** Opens all sessions of a folder and tells the memory of the process, in MiB. */
import { listSessions, openSession, type Session } from "../../src/session/mod.ts";

const [root] = Deno.args;
const open: Session[] = [];
for (const { file } of listSessions({ root })) {
  const session = await openSession(file);
  if (session.projection.messages.length !== 50) throw new Error("too few messages");
  open.push(session);
}
await new Promise((resolve) => setTimeout(resolve, 500));
console.log(Deno.memoryUsage().rss / 1024 / 1024);
for (const session of open) await session.close();
