/** Opens so many sessions with some history each and tells the memory of the process, in MiB. */
import { createSession, openSession, type Session } from "../../src/session/mod.ts";

const [root, count] = Deno.args;
const open: Session[] = [];
for (let n = 0; n < Number(count); n++) {
  const made = await createSession({ root, cwd: "/work" });
  for (let i = 0; i < 50; i++) {
    await made.append({
      kind: "submission",
      requestId: `r${i}`,
      parts: [{ type: "text", text: "say ".repeat(500) }],
      message: [{ type: "text", text: "say ".repeat(500) }],
    }, { sync: false });
  }
  await made.close();
  const session = await openSession(made.file!);
  if (session.projection.messages.length !== 50) throw new Error("too few messages");
  open.push(session);
}
await new Promise((resolve) => setTimeout(resolve, 200));
console.log(Deno.memoryUsage().rss / 1024 / 1024);
for (const session of open) await session.close();
