/**
 * One session with thousands of commands that print 1 MB each: the compiled
 * program against a local model server, the memory of its process tree looked
 * at every hundred calls. What a session keeps in memory must not grow with
 * what it has done. Prints the curve and writes bench-results/outputs.json; a
 * missed bar makes the exit status 1. Linux.
 *
 *     deno task compile && deno task bench-outputs [--calls 2000] [--binary dist/myelin]
 */
import { parseArgs } from "node:util";
import { serveHttp } from "../test/support/http_server.ts";
import { myelin } from "./bench/contestants.ts";
import { median, memoryOfTree } from "./bench/process.ts";
import { showBars, table } from "./bench/table.ts";

const { values } = parseArgs({
  args: Deno.args,
  options: {
    calls: { type: "string", default: "2000" },
    every: { type: "string", default: "100" },
    binary: { type: "string", default: "dist/myelin" },
  },
});
const CALLS = Number(values.calls);
const EVERY = Number(values.every);
/** Calls in which the program may still take what it needs. */
const WARM = 200;

interface Sample {
  readonly call: number;
  /** MiB. */
  readonly rss: number;
  readonly pss: number;
  readonly seconds: number;
}

const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "myelin-bench-outputs-" }));
try {
  Deno.exitCode = await main() ? 0 : 1;
} finally {
  await Deno.remove(root, { recursive: true });
}

async function main(): Promise<boolean> {
  const workspace = `${root}/repo`;
  await Deno.mkdir(workspace);
  const samples: Sample[] = [];
  const start = performance.now();
  let calls = 0;
  let summaries = 0;
  let pid = 0;
  const server = serveHttp(async ({ method, text }, reply) => {
    if (method !== "POST") {
      return await reply.send(200, { "content-type": "application/json" }, '{"object":"list","data":[]}');
    }
    const asks = (JSON.parse(text) as { tools?: unknown }).tools !== undefined;
    if (!asks) summaries++;
    if (asks && calls % EVERY === 0) {
      const seconds = (performance.now() - start) / 1000;
      samples.push({ call: calls, ...memoryOfTree(pid), seconds });
      console.error(`${calls} calls: ${samples.at(-1)!.rss.toFixed(0)} MiB, ${seconds.toFixed(0)} s`);
    }
    await reply.head(200, { "content-type": "text/event-stream" });
    await reply.write(asks && calls < CALLS ? call(calls++, text.length) : words(text.length));
    await reply.end();
  });
  try {
    const { run } = await myelin(await Deno.realPath(values.binary), root, server.origin);
    const { command: [program, ...args], env } = run("Print numbers.", workspace);
    const child = new Deno.Command(program, {
      args: [...args, "--max-steps", String(CALLS + 10)],
      cwd: workspace,
      clearEnv: true,
      env: { ...env },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    pid = child.pid;
    const stderr = new Response(child.stderr).text();
    const { code } = await child.status;
    if (code !== 0) throw new Error(`it ended with ${code}: ${(await stderr).slice(-2000)}`);
    return report(samples, sessionBytes(`${env.HOME}/.myelin/sessions`), summaries);
  } finally {
    await server.close();
  }
}

/** By turns a builtin, a program, and both in a pipe; the numbers are never the same. */
function call(n: number, sent: number): string {
  const from = 1_000_000 + n * 7;
  const seq = `seq ${from} ${from + 124_999}`; // 125,000 lines of 8 bytes
  const command = n % 3 === 0 ? seq : n % 3 === 1 ? `/usr/bin/env ${seq}` : `/usr/bin/env ${seq} | cat`;
  const of = { name: "bash", arguments: JSON.stringify({ command }) };
  return chunk({
    role: "assistant",
    content: null,
    tool_calls: [{ index: 0, id: `call_${n}`, type: "function", function: of }],
  }) + chunk({}, "tool_calls") + usage(sent);
}

function words(sent: number): string {
  return chunk({ role: "assistant", content: "Numbers were printed." }) + chunk({}, "stop") + usage(sent);
}

function chunk(delta: unknown, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices })}\n\n`;
}

/** Tokens as a real server would count them, about: conversations have to be shortened on the way. */
function usage(sent: number): string {
  const prompt_tokens = Math.ceil(sent / 4);
  const counts = { prompt_tokens, completion_tokens: 30, total_tokens: prompt_tokens + 30 };
  return `data: ${
    JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [], usage: counts })
  }\n\ndata: [DONE]\n\n`;
}

/** Bytes of the session files: what is kept beside them does not count. */
function sessionBytes(folder: string): number {
  let bytes = 0;
  for (const entry of Deno.readDirSync(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) bytes += sessionBytes(path);
    else if (entry.name.endsWith(".jsonl") && entry.name !== "calls.jsonl") bytes += Deno.statSync(path).size;
  }
  return bytes;
}

function report(samples: readonly Sample[], bytes: number, summaries: number): boolean {
  table([
    ["calls", "resident MiB", "proportional MiB", "seconds"],
    ...samples.map(({ call, rss, pss, seconds }) => [
      String(call),
      rss.toFixed(0),
      pss.toFixed(0),
      seconds.toFixed(0),
    ]),
  ]);
  const middle = (WARM + CALLS) / 2;
  const between = (from: number, to: number) =>
    samples.filter(({ call }) => call >= from && call <= to).map(({ rss }) => rss);
  const [early, late] = [between(WARM, middle), between(middle, CALLS)];
  if (early.length === 0 || late.length === 0) throw new Error(`${CALLS} calls are too few to see a curve`);
  const most = Math.max(...early, ...late);
  console.log(
    `${summaries} summaries; up to call ${middle} ${median(early).toFixed(0)} MiB, then ${
      median(late).toFixed(0)
    }; at most ${most.toFixed(0)}`,
  );
  // A single sample stands for when garbage was last collected: a trend shows in the middle of many.
  const bars = [
    {
      what: "memory of the later half, of the earlier (medians)",
      value: median(late) / median(early),
      limit: 1.1,
      unit: "×",
    },
    {
      what: "most memory, of the earlier half's median",
      value: most / median(early),
      limit: 1.25,
      unit: "×",
    },
    { what: "session file", value: bytes / 2 ** 20, limit: 50, unit: "MiB" },
  ];
  const ok = showBars(bars);
  Deno.mkdirSync("bench-results", { recursive: true });
  Deno.writeTextFileSync(
    "bench-results/outputs.json",
    JSON.stringify({ calls: CALLS, samples, summaries, bars }, null, 2) + "\n",
  );
  return ok;
}
