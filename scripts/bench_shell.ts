/**
 * Measures `myelin sh` of the compiled program side by side with bash and the
 * GNU programs, in turns, so that the machine's drift meets both alike. The
 * scripts take their own time inside a shell that is warm; starts and memory
 * are measured from outside. Prints a table, writes bench-results/shell.json;
 * a missed bar makes the exit status 1. Linux, with bash and the GNU programs.
 *
 *     deno task bench-shell [--rounds 5] [--only WORD] [--binary FILE]
 */
import { parseArgs } from "node:util";
import { compileHello } from "./bench/hello.ts";
import { type Launch, measure, median } from "./bench/process.ts";
import { type Bar, showBars, table } from "./bench/table.ts";

const { values } = parseArgs({
  args: Deno.args,
  options: {
    rounds: { type: "string", default: "5" },
    only: { type: "string", default: "" },
    binary: { type: "string", default: "dist/myelin" },
  },
});
const rounds = Number(values.rounds);
const MB = 1_000_000;

interface Race {
  readonly what: string;
  /** Most that the program may take, with what bash takes as 1. */
  readonly limit: number;
  /** Run first, not counted. */
  readonly warm?: string;
  readonly work: string;
  /** Makes the files it needs. */
  readonly prepare?: () => Promise<void>;
  /** Programs that are copied into a folder of their own, so that both shells start them. */
  readonly external?: readonly string[];
}

const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "myelin-bench-shell-" }));

const RACES: readonly Race[] = [
  {
    what: "100,000 turns of an arithmetic loop",
    limit: 1.5,
    warm: "for ((i = 0; i < 1000; i++)); do ((s += i)); done",
    work: "for ((i = 0; i < 100000; i++)); do ((s += i)); done",
  },
  {
    what: "20,000 function calls",
    limit: 1.5,
    warm: "f() { local a=$1; r=$a; }; for ((i = 0; i < 500; i++)); do f $i; done",
    work: "for ((i = 0; i < 20000; i++)); do f $i; done",
  },
  {
    what: "10,000 $(echo x)",
    limit: 1.5,
    warm: "for ((i = 0; i < 100; i++)); do v=$(echo x); done",
    work: "for ((i = 0; i < 10000; i++)); do v=$(echo x); done",
  },
  {
    what: "cat f | tr a b | wc -c, 500 MB",
    limit: 2,
    prepare: () => stream(),
    work: "cat stream | tr a b | wc -c",
  },
  {
    what: "the same through two external programs",
    limit: 2.5,
    external: ["cat", "tr"],
    prepare: () => stream(),
    work: "cat stream | tr a b | wc -c",
  },
  {
    what: "grep -c WORD, 100 MB",
    limit: 2,
    prepare: () => lines(),
    work: "grep -c needle lines",
  },
  {
    what: "grep -E 'A|B[0-9]+' | wc -l, 100 MB",
    limit: 2,
    prepare: () => lines(),
    work: "grep -E 'needle|fox[0-9]+' lines | wc -l",
  },
  {
    what: "sed s///, 100 MB",
    limit: 2,
    prepare: () => lines(),
    work: "sed 's/needle/pin/' lines | wc -c",
  },
  {
    what: "sed -n /RE/p, 100 MB",
    limit: 2,
    prepare: () => lines(),
    work: "sed -n '/needle [0-9]*7 /p' lines | wc -l",
  },
  {
    what: "sort, 1,000,000 lines",
    limit: 7,
    prepare: () => keys(),
    work: "sort keys | tail -1",
  },
  {
    what: "find . -name '*.ts' -type f, 50,000 files",
    limit: 3,
    prepare: () => tree(),
    work: "find tree -name '*.ts' -type f | wc -l",
  },
  {
    what: "find ., 50,000 files",
    limit: 3,
    prepare: () => tree(),
    work: "find tree | wc -l",
  },
];

try {
  await main();
} finally {
  await Deno.remove(root, { recursive: true });
}

async function main(): Promise<void> {
  const binary = await Deno.realPath(values.binary).catch(() => {
    console.error(`${values.binary} is missing: make it with deno task compile`);
    Deno.exit(1);
  });
  const bars: Bar[] = [];
  const rows: Record<string, unknown>[] = [];
  if (wanted("start: sh -c :")) {
    const hello = await compileHello(root);
    // Both freshly written: how a file of 100 MB lies in memory and on disk makes a difference of its own.
    const copy = `${root}/myelin`;
    await Deno.copyFile(binary, copy);
    const [own, least] = await inTurns(
      async () => (await measure({ ...hello, command: [copy, "sh", "-c", ":"] })).wallMs,
      async () => (await measure(hello)).wallMs,
      rounds * 3,
    );
    rows.push({ what: "start: sh -c : beside hello-world", ownMs: own, otherMs: least });
    bars.push({ what: "start: sh -c : / hello-world", value: own / least, limit: 1.5, unit: "×" });
  }
  for (const race of RACES) {
    if (!wanted(race.what)) continue;
    console.error(race.what);
    await race.prepare?.();
    const [own, other] = await inTurns(
      () => time(race, [binary, "sh"]),
      () => time(race, ["bash", "--norc"]),
      rounds,
    );
    rows.push({ what: race.what, ownMs: own, otherMs: other });
    bars.push({ what: race.what, value: own / other, limit: race.limit, unit: "×" });
  }
  if (wanted("memory")) {
    const script = "head -c 1000000000 /dev/zero | tr '\\0' a | cat | wc -c";
    const peaks: number[] = [];
    for (let i = 0; i < 3; i++) peaks.push((await run([binary, "sh"], script, [], 10)).peakRss);
    bars.push({
      what: "memory: 1 GB through a pipeline",
      value: Math.max(...peaks),
      limit: 180,
      unit: "MiB",
    });
  }
  table([
    ["", "myelin ms", "other ms"],
    ...rows.map((row) => [
      String(row.what),
      Number(row.ownMs).toFixed(1),
      Number(row.otherMs).toFixed(1),
    ]),
  ]);
  console.log();
  const held = showBars(bars);
  if (values.only === "") {
    await Deno.mkdir("bench-results", { recursive: true });
    await Deno.writeTextFile(
      "bench-results/shell.json",
      JSON.stringify({ rounds, rows, bars }, null, 2) + "\n",
    );
    console.log("\nbench-results/shell.json");
  }
  if (!held) Deno.exitCode = 1;
}

function wanted(what: string): boolean {
  return what.includes(values.only);
}

/** Medians of both, after one round that warms the caches of files and is not counted. */
async function inTurns(
  own: () => Promise<number>,
  other: () => Promise<number>,
  times: number,
): Promise<[number, number]> {
  const owns: number[] = [];
  const others: number[] = [];
  for (let i = -1; i < times; i++) {
    const a = await own();
    const b = await other();
    if (i < 0) continue;
    owns.push(a);
    others.push(b);
  }
  return [median(owns), median(others)];
}

/** Milliseconds that the work takes by the shell's own clock. Its output goes to a file: GNU grep stops early where it sees /dev/null. */
async function time(race: Race, shell: readonly string[]): Promise<number> {
  const script = `${race.warm ?? ":"}
t=$EPOCHREALTIME
${race.work} > out
e=$EPOCHREALTIME
echo "took $((\${e/./} - \${t/./}))" >&2`;
  const { stderr } = await run(shell, script, race.external ?? []);
  const took = /^took (\d+)$/m.exec(stderr);
  if (took === null) throw new Error(`${shell.join(" ")}: ${race.what}: ${stderr}`);
  return Number(took[1]) / 1000;
}

async function run(
  shell: readonly string[],
  script: string,
  external: readonly string[],
  sampleMs = 0,
): Promise<Awaited<ReturnType<typeof measure>>> {
  const launch: Launch = {
    command: [...shell, "-c", script],
    cwd: root,
    env: {
      HOME: root,
      LC_ALL: "C",
      PATH: external.length === 0 ? "/usr/bin:/bin" : `${await copies(external)}:/usr/bin:/bin`,
    },
  };
  const measured = await measure(launch, sampleMs);
  if (measured.code !== 0) throw new Error(`${shell.join(" ")}: status ${measured.code}: ${measured.stderr}`);
  return measured;
}

async function copies(names: readonly string[]): Promise<string> {
  const folder = `${root}/bin-${names.join("-")}`;
  await once(folder, async () => {
    await Deno.mkdir(folder);
    for (const name of names) await Deno.copyFile(`/usr/bin/${name}`, `${folder}/${name}`);
  });
  return folder;
}

async function once(path: string, make: () => Promise<void>): Promise<void> {
  const there = await Deno.stat(path).then(() => true, () => false);
  if (!there) await make();
}

/** 500 MB of text. */
function stream(): Promise<void> {
  return once(`${root}/stream`, async () => {
    const block = new TextEncoder().encode("a banana and a papaya, again and again\n".repeat(25_642))
      .subarray(0, MB);
    using file = await Deno.create(`${root}/stream`);
    for (let i = 0; i < 500; i++) file.writeSync(block);
  });
}

/** 100 MB of lines, one in fifty with the word. */
function lines(): Promise<void> {
  return once(`${root}/lines`, async () => {
    const encoder = new TextEncoder();
    using file = await Deno.create(`${root}/lines`);
    for (let size = 0, n = 0; size < 100 * MB;) {
      let text = "";
      for (let i = 0; i < 10_000; i++, n++) {
        text += n % 50 === 0
          ? `${n}: there is a needle ${n % 1000} in this hay\n`
          : `${n}: the quick brown fox jumps over the lazy dog, ${n * 7919 % 10007} times\n`;
      }
      size += file.writeSync(encoder.encode(text));
    }
  });
}

/** 1,000,000 lines in no order, the same each time. */
function keys(): Promise<void> {
  return once(`${root}/keys`, async () => {
    const parts: string[] = [];
    let state = 12345;
    for (let i = 0; i < 1_000_000; i++) {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      parts.push(`${state.toString(36)} item ${i % 997}\n`);
    }
    await Deno.writeTextFile(`${root}/keys`, parts.join(""));
  });
}

/** 50,000 files in 1,000 folders. */
function tree(): Promise<void> {
  return once(`${root}/tree`, async () => {
    for (let folder = 0; folder < 1000; folder++) {
      const path = `${root}/tree/d${folder % 20}/e${folder}`;
      await Deno.mkdir(path, { recursive: true });
      for (let file = 0; file < 50; file++) {
        Deno.writeTextFileSync(`${path}/file${file}.${file % 3 === 0 ? "ts" : "txt"}`, "");
      }
    }
  });
}
