/**
 * Measures sessions beside the plain work that each figure is held against:
 * opening one of 100,000 entries beside reading, decoding and parsing its
 * lines; appending beside plain writes; what idle sessions cost in memory;
 * finding what a program has changed. Ratios, since machines differ; the best
 * of several turns, since other work runs beside.
 */
import { createSession, listSessions, openSession, type Payload } from "../src/session/mod.ts";
import { startMock } from "./bench/mock.ts";
import { ObjectStore } from "../src/session/snapshots/object_store.ts";
import { Shadow } from "../src/session/snapshots/shadow.ts";

const ENTRIES = 100_000;
const TURNS = 5;
const rows: { what: string; value: string; beside: string; ratio: string; bar: string }[] = [];

/** The best of several turns of each, in turns: what runs beside hinders all alike. */
async function best(...works: readonly (() => Promise<void> | void)[]): Promise<number[]> {
  const least = works.map(() => Infinity);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [n, work] of works.entries()) {
      const start = performance.now();
      await work();
      least[n] = Math.min(least[n], performance.now() - start);
    }
  }
  return least;
}

/** Entries as runs write them: about 1,000 bytes each. */
function payload(n: number): Payload {
  const text = `line ${n} of something that was said or read, with "quotes" and \\ and ümlaut\n`.repeat(12);
  switch (n % 5) {
    case 0:
      return {
        kind: "submission",
        requestId: `r${n}`,
        parts: [{ type: "text", text }],
        message: [{ type: "text", text: "see above" }],
      };
    case 1:
      return { kind: "run_start", runId: `run${n}`, model: "local/model" };
    case 2:
      return {
        kind: "assistant",
        message: {
          role: "assistant",
          parts: [{ type: "text", text }, { type: "tool_call", id: `c${n}`, name: "read", arguments: "{}" }],
          stopReason: "tool_calls",
          model: "local/model",
        },
      };
    case 3:
      return {
        kind: "result",
        callId: `c${n - 1}`,
        name: "read",
        parts: [{ type: "text", text: text + text }],
        isError: false,
      };
    default:
      return { kind: "run_end", runId: `run${n - 3}`, reason: "stop" };
  }
}

async function measure(folder: string): Promise<void> {
  const big = await createSession({ root: `${folder}/sessions`, cwd: "/work" });
  const writes: Promise<unknown>[] = [];
  for (let n = 0; n < ENTRIES; n++) {
    writes.push(big.append(payload(n), { sync: false }));
    if (writes.length === 1000) await Promise.all(writes.splice(0));
  }
  await Promise.all(writes);
  await big.close();
  const file = big.file!;
  const { size } = Deno.statSync(file);

  const [plain, opened] = await best(async () => {
    const lines = new TextDecoder("utf-8", { fatal: true }).decode(await Deno.readFile(file)).split("\n");
    let count = 0;
    for (const line of lines) if (line !== "") count += JSON.parse(line).kind.length;
    if (count === 0) throw new Error("nothing was read");
  }, async () => {
    const session = await openSession(file);
    if (session.projection.messages.length < ENTRIES / 5) throw new Error("too few messages");
    await session.close();
  });
  rows.push({
    what: `open ${ENTRIES} entries, ${(size / 1e6).toFixed(0)} MB`,
    value: `${opened.toFixed(0)} ms`,
    beside: `read, decode, JSON.parse ${plain.toFixed(0)} ms`,
    ratio: (opened / plain).toFixed(2),
    bar: "1.5",
  });

  await appends(folder);
  await lists(folder);
  await looks(folder);
}

async function appends(folder: string): Promise<void> {
  const line = new TextEncoder().encode(JSON.stringify(payload(3)) + "\n");
  const session = await createSession({ root: `${folder}/sessions`, cwd: "/append" });
  using file = await Deno.open(`${folder}/plain`, { create: true, append: true });
  // One of each in turns: a disk is now slower, now faster.
  const times: [plain: number[], own: number[]] = [[], []];
  for (let n = 0; n < 2000; n++) {
    const start = performance.now();
    for (let at = 0; at < line.length;) at += await file.write(line.subarray(at));
    await file.syncData();
    const middle = performance.now();
    await session.append(payload(3), { sync: true });
    times[0].push(middle - start);
    times[1].push(performance.now() - middle);
  }
  await session.close();
  const [plain, own] = times.map((list) => list.sort((a, b) => a - b)[list.length / 2]);
  rows.push({
    what: "append and sync",
    value: `${(own * 1000).toFixed(0)} µs`,
    beside: `write and sync ${(plain * 1000).toFixed(0)} µs`,
    ratio: (own / plain).toFixed(2),
    bar: "1.5",
  });
}

async function lists(folder: string): Promise<void> {
  const COUNT = 2000;
  const root = `${folder}/many`;
  for (let n = 0; n < COUNT; n++) {
    const session = await createSession({ root, cwd: `/work/${n % 20}` });
    for (let i = 0; i < 20; i++) void session.append(payload(i), { sync: false });
    await session.close();
  }
  const [listed] = await best(() => {
    if (listSessions({ root }).length !== COUNT) throw new Error("some are missing");
  });
  rows.push({
    what: `list ${COUNT} sessions`,
    value: `${listed.toFixed(0)} ms`,
    beside: "",
    ratio: "",
    bar: "300 ms",
  });
}

async function looks(folder: string): Promise<void> {
  const base = `${folder}/repository`;
  for (let d = 0; d < 250; d++) {
    Deno.mkdirSync(`${base}/p${d % 25}/d${d}`, { recursive: true });
    for (let f = 0; f < 20; f++) {
      Deno.writeTextFileSync(`${base}/p${d % 25}/d${d}/f${f}.ts`, `${d} ${f}\n`.repeat(300));
    }
  }
  Deno.writeTextFileSync(`${base}/.gitignore`, "node_modules/\n*.log\ndist\n/build\n.env*\n!.env.example\n");
  const shadow = new Shadow(base, new ObjectStore(`${folder}/objects`));
  const first = performance.now();
  await shadow.prepare();
  const prepared = performance.now() - first;
  await new Promise((resolve) => setTimeout(resolve, 100));
  shadow.look();
  const [look] = await best(() => void shadow.look());
  rows.push({
    what: "find what a program changed in 5,000 files",
    value: `${look.toFixed(0)} ms`,
    beside: `first look, all contents kept: ${prepared.toFixed(0)} ms`,
    ratio: "",
    bar: "60 ms",
  });
}

/** Memory is measured in a process of its own each, so that what came before does not count. */
async function memory(folder: string): Promise<void> {
  const idle = new URL("./bench/idle_sessions.ts", import.meta.url).href;
  const rss = async (count: number): Promise<number> => {
    for (let n = 0; n < count; n++) await history(`${folder}/idle${count}`);
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--no-check",
        "--node-modules-dir=none",
        idle,
        `${folder}/idle${count}`,
      ],
      cwd: new URL("..", import.meta.url),
      stderr: "inherit",
    }).output();
    return Number(new TextDecoder().decode(stdout));
  };
  const [one, hundred] = [await rss(1), await rss(101)];
  rows.push({
    what: "memory with one session",
    value: `${one.toFixed(0)} MiB`,
    beside: "",
    ratio: "",
    bar: "120 MiB",
  });
  rows.push({
    what: "each further idle session",
    value: `${((hundred - one) / 100).toFixed(2)} MiB`,
    beside: "",
    ratio: "",
    bar: "1 MiB",
  });
}

/** Three engines in one process, each with its own workspace and worker, compiled as the program is. */
async function live(folder: string): Promise<void> {
  const program = `${folder}/live_sessions`;
  await outputOf([
    "run",
    "-A",
    "--node-modules-dir=none",
    "--frozen",
    new URL("build.ts", import.meta.url).href,
    "--entry",
    "scripts/bench/live_sessions.ts",
    "--output",
    program,
  ]);
  const mock = startMock();
  mock.set([{ tool: "bash", argument: "echo hi > f" }]);
  try {
    const [one, three] = [
      Number(await outputOf([`${folder}/live1`, mock.url, "1"], program)),
      Number(await outputOf([`${folder}/live3`, mock.url, "3"], program)),
    ];
    rows.push({
      what: "three live sessions, each with a worker",
      value: `${three.toFixed(0)} MiB`,
      beside: `${one.toFixed(0)} MiB with one`,
      ratio: "",
      bar: "160 MiB",
    });
  } finally {
    await mock.close();
  }
}

/** What a program prints; throws where it fails. */
async function outputOf(args: string[], program: string = Deno.execPath()): Promise<string> {
  const { success, stdout } = await new Deno.Command(program, {
    args,
    cwd: new URL("..", import.meta.url),
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`${program} ${args.join(" ")} failed`);
  return new TextDecoder().decode(stdout);
}

/** A session of 50 prompts, 200 KB. */
async function history(root: string): Promise<void> {
  const session = await createSession({ root, cwd: "/work" });
  const text = "say ".repeat(500);
  for (let i = 0; i < 50; i++) {
    await session.append({
      kind: "submission",
      requestId: `r${i}`,
      parts: [{ type: "text", text }],
      message: [{ type: "text", text }],
    }, { sync: false });
  }
  await session.close();
}

const folder = await Deno.makeTempDir({ prefix: "bench_sessions_" });
try {
  await measure(folder);
  await memory(folder);
  await live(folder);
  console.table(rows);
} finally {
  await Deno.remove(folder, { recursive: true });
}
