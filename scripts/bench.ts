/**
 * Measures the program side by side with a compiled hello-world and an agent
 * of a few lines (and with `--peers` with pi and codex) against one local
 * mock, in turns, so that the machine's drift meets all alike. Prints a table and writes
 * bench-results/main.json. Bars are ratios and bounds; a missed one is marked
 * and makes the exit status 1.
 *
 *     deno task bench [--peers] [--rounds 7]
 *
 * The shell has a bench of its own: `deno task bench-shell`.
 */
import { parseArgs } from "node:util";
import { codex, type Contestant, myelin, pi, plain } from "./bench/contestants.ts";
import { type Mock, startMock, type Turn } from "./bench/mock.ts";
import { compileHello } from "./bench/hello.ts";
import { measure, median } from "./bench/process.ts";
import { type Bar, showBars, table } from "./bench/table.ts";

const { values } = parseArgs({
  args: Deno.args,
  options: { peers: { type: "boolean", default: false }, rounds: { type: "string", default: "7" } },
});
const rounds = Number(values.rounds);
const PROMPT = "Say done.";

interface Row {
  readonly name: string;
  /** Milliseconds. */
  versionMs: number;
  firstRequestMs: number;
  oneShotMs: number;
  perCallMs: number;
  /** MiB, in the run of 20 calls. */
  peakRss: number;
  peakPss: number;
  /** Bytes / 4 of the first request without the user's text, in an empty folder. */
  promptTokens: number;
}

const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "myelin-bench-" }));
const mock = startMock();
try {
  await main();
} finally {
  await mock.close();
  await Deno.remove(root, { recursive: true });
}

async function main(): Promise<void> {
  const binary = await Deno.realPath("dist/myelin").catch(() => {
    console.error("dist/myelin is missing: make it with deno task compile");
    Deno.exit(1);
  });
  const workspace = `${root}/repo`;
  const empty = `${root}/empty`;
  await Deno.mkdir(workspace);
  await Deno.mkdir(empty);
  for (let i = 0; i < 10; i++) await Deno.writeTextFile(`${workspace}/f${i}.txt`, `file ${i}\n`.repeat(20));
  const turns = Array.from(
    { length: 20 },
    (_, i): Turn =>
      i % 2 === 0
        ? { tool: "read", argument: `${workspace}/f${i / 2}.txt` }
        : { tool: "bash", argument: "echo hi" },
  );

  const hello = await compileHello(root);
  const contestants: Contestant[] = [await myelin(binary, root, mock.url), plain(root, mock.url)];
  if (values.peers) {
    console.error("installing peers …");
    contestants.push(await pi(root, mock.url), await codex(root, mock.url));
  }
  const helloTimes: number[] = [];
  const samples = new Map(
    contestants.map((
      one,
    ) => [
      one.name,
      { version: [], first: [], oneShot: [], twenty: [], rss: [], pss: [], tokens: [] } as Record<
        string,
        number[]
      >,
    ]),
  );

  for (let round = -1; round < rounds; round++) {
    // The first round warms disk and code caches and is not counted.
    const count = round >= 0;
    console.error(count ? `round ${round + 1} of ${rounds}` : "warming up");
    const helloRun = await measure(hello);
    if (count) helloTimes.push(helloRun.wallMs);
    for (const one of contestants) {
      const own = samples.get(one.name)!;
      const version = await measure(one.version());
      const single = await run(one, mock, [], empty);
      const task = await run(one, mock, turns, workspace);
      const watched = round < 3 ? await run(one, mock, turns, workspace, 15) : undefined;
      if (!count) continue;
      own.version.push(version.wallMs);
      own.first.push(single.firstRequestMs);
      own.oneShot.push(single.wallMs);
      own.twenty.push(task.wallMs);
      own.tokens.push(single.promptTokens);
      if (watched !== undefined) {
        own.rss.push(watched.peakRss);
        own.pss.push(watched.peakPss);
      }
    }
  }

  const rows = contestants.map((one): Row => {
    const own = samples.get(one.name)!;
    return {
      name: one.name,
      versionMs: median(own.version),
      firstRequestMs: median(own.first),
      oneShotMs: median(own.oneShot),
      perCallMs: (median(own.twenty) - median(own.oneShot)) / 20,
      peakRss: Math.max(...own.rss),
      peakPss: Math.max(...own.pss),
      promptTokens: median(own.tokens),
    };
  });
  await report(rows, median(helloTimes));
}

async function run(one: Contestant, server: Mock, turns: readonly Turn[], cwd: string, sampleMs = 0) {
  server.set(turns);
  const launch = one.run(PROMPT, cwd);
  const measured = await measure(launch, sampleMs);
  const asked = server.arrivals.length;
  if (!one.okCodes.includes(measured.code) || asked < turns.length + 1) {
    throw new Error(
      `${one.name}: exit ${measured.code} after ${asked} requests of ${turns.length + 1}\n${measured.stderr}`,
    );
  }
  const [first] = server.arrivals;
  const body = first.body.replace(JSON.stringify(PROMPT).slice(1, -1), "");
  return {
    ...measured,
    firstRequestMs: first.at - measured.startedAt,
    promptTokens: new TextEncoder().encode(body).length / 4,
  };
}

async function report(rows: readonly Row[], helloMs: number): Promise<void> {
  const [own] = rows;
  const bars: Bar[] = [
    { what: "--version / hello-world", value: own.versionMs / helloMs, limit: 1.4, unit: "×" },
    { what: "first request / hello-world", value: own.firstRequestMs / helloMs, limit: 3.5, unit: "×" },
    { what: "a tool call", value: own.perCallMs, limit: 5, unit: "ms" },
    { what: "peak memory (RSS of the tree)", value: own.peakRss, limit: 130, unit: "MiB" },
    { what: "prompt and tools", value: own.promptTokens, limit: 2000, unit: "tokens" },
  ];
  const columns: [string, (row: Row) => string][] = [
    ["", (row) => row.name],
    ["--version ms", (row) => row.versionMs.toFixed(0)],
    ["first request ms", (row) => row.firstRequestMs.toFixed(0)],
    ["one-shot ms", (row) => row.oneShotMs.toFixed(0)],
    ["per call ms", (row) => row.perCallMs.toFixed(1)],
    ["peak RSS MiB", (row) => row.peakRss.toFixed(0)],
    ["peak PSS MiB", (row) => row.peakPss.toFixed(0)],
    ["prompt+tools tokens", (row) => row.promptTokens.toFixed(0)],
  ];
  console.log(`compiled hello-world: ${helloMs.toFixed(0)} ms (median of ${rounds})\n`);
  table([columns.map(([title]) => title), ...rows.map((row) => columns.map(([, show]) => show(row)))]);
  console.log();
  const held = showBars(bars);
  await Deno.mkdir("bench-results", { recursive: true });
  await Deno.writeTextFile(
    "bench-results/main.json",
    JSON.stringify({ helloMs, rounds, rows, bars }, null, 2) + "\n",
  );
  console.log("\nbench-results/main.json (the shell beside bash: deno task bench-shell)");
  if (!held) Deno.exitCode = 1;
}
