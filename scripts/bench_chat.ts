/**
 * Measures the chat as a person meets it, on the compiled program in a pty of
 * its own: when the first prompt is usable with 2,000 sessions there, how
 * long a key takes to the screen while an answer streams into a conversation
 * of 10,000 items, what it costs to stand idle, and the memory after that.
 * `--seconds N` streams for longer.
 *
 *     deno task compile && deno task bench-chat
 */
import { parseArgs } from "node:util";
import { createSession, type Payload } from "../src/session/mod.ts";
import { makeChatHome } from "./bench/chat_home.ts";
import { median } from "./bench/process.ts";
import { openPty as open } from "./bench/pty.ts";

const { values } = parseArgs({
  args: Deno.args,
  options: { binary: { type: "string", default: "dist/myelin" }, seconds: { type: "string", default: "20" } },
});
const BINARY = Deno.realPathSync(values.binary);
const openPty = (args: readonly string[], home: string, cwd: string) =>
  open([BINARY, ...args], { home, cwd });
const SECONDS = Number(values.seconds);
const ITEMS = 10_000;
const SESSIONS = 2_000;
const TOKENS_A_SECOND = 200;
/** Stands in no answer, so that its echo can be told from everything else. */
const KEY = "§";

/** Answers with as many words a second as asked for; whoever asks for a title gets one. */
function startServer() {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    if (request.method === "GET") return Response.json({ object: "list", data: [] });
    const { tools } = await request.json() as { tools?: unknown[] };
    const count = tools === undefined ? 1 : SECONDS * TOKENS_A_SECOND;
    const encoder = new TextEncoder();
    const chunk = (delta: unknown, finish: string | null = null) =>
      encoder.encode(
        `data: ${JSON.stringify({ id: "x", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
      );
    let sent = 0;
    let timer: ReturnType<typeof setInterval>;
    const start = performance.now();
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        timer = setInterval(() => {
          const due = Math.min(count, Math.floor((performance.now() - start) / 1000 * TOKENS_A_SECOND));
          for (; sent < due; sent++) {
            const text = sent % 60 === 59 ? "\n\n" : sent % 200 === 100 ? "`code` " : `word${sent} `;
            controller.enqueue(chunk({ content: text }));
          }
          if (sent < count) return;
          clearInterval(timer);
          controller.enqueue(chunk({}, "stop"));
          controller.enqueue(encoder.encode("data: [DONE]\n\n"));
          controller.close();
        }, 5);
      },
      cancel: () => clearInterval(timer),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
}

function payload(n: number): Payload {
  const text = `Item ${n}: something that was said, with **marks** and \`code\`. `.repeat(4);
  return n % 2 === 0
    ? {
      kind: "submission",
      requestId: `r${n}`,
      parts: [{ type: "text", text }],
      message: [{ type: "text", text }],
    }
    : {
      kind: "assistant",
      message: { role: "assistant", parts: [{ type: "text", text }], stopReason: "stop", model: "mock/one" },
    };
}

const at95 = (times: number[]) => [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.95)];
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const rows: (readonly [string, string, string])[] = [];

const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "myelin-bench-" }));
const server = startServer();
try {
  const { home, cwd } = await makeChatHome(root, { port: server.addr.port, maxOutput: 100_000 });
  for (let i = 0; i < SESSIONS; i++) {
    const session = await createSession({ root: `${home}/.myelin/sessions`, cwd });
    for (let n = 0; n < 4; n++) await session.append(payload(n), { sync: false });
    await session.close();
  }

  const starts: number[] = [];
  for (let turn = 0; turn < 9; turn++) {
    const start = performance.now();
    await using pty = openPty([], home, cwd);
    const drawn = pty.until("mock/one");
    await drawn;
    const echoed = pty.until(KEY);
    await pty.write(KEY);
    starts.push(await echoed - start);
  }
  rows.push([
    "first usable prompt, 2,000 sessions",
    `${Math.round(median(starts))} ms (best ${Math.round(Math.min(...starts))})`,
    "≤ 350 ms",
  ]);

  {
    await using pty = openPty([], home, cwd);
    await pty.until("mock/one");
    const text = "0123456789abcde\n".repeat(65_536);
    const pasted = pty.until("[paste #1");
    const start = performance.now();
    await pty.write(`\x1b[200~${text}\x1b[201~`);
    rows.push(["a paste of 1 MB", `${Math.round(await pasted - start)} ms`, "≤ 200 ms"]);
  }

  const wide = `${root}/wide`;
  for (let folder = 0; folder < 100; folder++) {
    await Deno.mkdir(`${wide}/part${folder}/src`, { recursive: true });
    for (let n = 0; n < 1000; n++) Deno.writeTextFileSync(`${wide}/part${folder}/src/file${n}.ts`, "");
  }
  {
    await using pty = openPty([], home, wide);
    await pty.until("mock/one");
    const listed = pty.until("→ ");
    let start = performance.now();
    await pty.write("@part55f");
    const first = await listed - start;
    await wait(500);
    const narrowed = pty.until("777.ts");
    start = performance.now();
    await pty.write("ile777");
    rows.push([
      "@ in 100,000 files: first list, further letters",
      `${Math.round(first)} ms, ${Math.round(await narrowed - start)} ms`,
      "",
    ]);
  }

  const big = await createSession({ root: `${home}/.myelin/sessions`, cwd });
  for (let n = 0; n < ITEMS; n++) await big.append(payload(n), { sync: false });
  await big.close();
  await using pty = openPty(["--continue"], home, cwd);
  await pty.until("mock/one");
  await wait(2000);
  await pty.write("go on");
  await wait(100);
  const begun = pty.until("word30");
  await pty.write("\r");
  await begun;
  const before = pty.bytes;
  const times: number[] = [];
  const end = performance.now() + (SECONDS - 4) * 1000;
  const since = performance.now();
  while (performance.now() < end) {
    const echoed = pty.until(KEY);
    const pressed = performance.now();
    await pty.write(KEY);
    times.push(await echoed - pressed);
    await wait(40 + times.length % 37);
  }
  const tokens = (performance.now() - since) / 1000 * TOKENS_A_SECOND;
  rows.push([
    "key to paint, 95th percentile, while streaming",
    `${at95(times).toFixed(1)} ms (median ${median(times).toFixed(1)}, ${times.length} keys)`,
    "≤ 16 ms",
  ]);
  rows.push([
    "bytes written for each new word, keys included",
    ((pty.bytes - before) / tokens).toFixed(0),
    "≤ 200",
  ]);
  await wait(20_000);
  const pid = await pty.pid();
  const ticks = async () => {
    const stat = (await Deno.readTextFile(`/proc/${pid}/stat`)).split(") ")[1].split(" ");
    return Number(stat[11]) + Number(stat[12]);
  };
  const first = await ticks();
  await wait(30_000);
  rows.push([
    "idle, of one processor",
    `${(((await ticks()) - first) / 100 / 30 * 100).toFixed(2)} %`,
    "< 0.2 %",
  ]);
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  rows.push([
    "memory after that",
    `${Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024)} MiB`,
    "< 220 MiB",
  ]);
} finally {
  console.log("| what | measured | bar |\n| --- | --- | --- |");
  for (const row of rows) console.log(`| ${row.join(" | ")} |`);
  await server.shutdown();
  await Deno.remove(root, { recursive: true });
}

Deno.exit(0);
