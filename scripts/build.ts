/**
 * Makes dist/myelin: the program, the sheath's worker, prompts and docs in
 * one executable. First everything is bundled, code split at lazy imports: a
 * compiled program holds all that it embeds in memory and loads each module
 * by itself, so fewer and smaller files make it start sooner and weigh less.
 * Then chunks that are always loaded together are joined (`join_chunks.ts`)
 * and the big ones get code caches (`code_cache.ts`); for each the program is
 * compiled once before and put through some work (`build_work.ts`).
 *
 * `--output FILE` names another place, `--target TRIPLE` another system (as
 * `deno compile --target`). `--entry FILE` makes another program over the same
 * parts, for measuring: no code caches, and nothing is left out of it.
 */
import { parseArgs } from "node:util";
import { dumpInMain, dumpInWorker, ScriptedFolder } from "./code_cache.ts";
import { type Piece, WORK, work } from "./build_work.ts";
import { denortFromNpm } from "./denort.ts";
import { Chunks, recordInMain, recordInWorker } from "./join_chunks.ts";
import { compress } from "./pack.ts";
import { V8_FLAGS } from "./v8_flags.ts";

const { values } = parseArgs({
  args: Deno.args,
  options: {
    output: { type: "string", default: "dist/myelin" },
    target: { type: "string" },
    entry: { type: "string", default: "main.ts" },
  },
});
const MAIN = values.entry.replace(/\.ts$/, ".js");
const ROOT = Deno.realPathSync(new URL("..", import.meta.url));
// A folder of its own, so that two builds at once leave each other alone.
const BUNDLE = `${ROOT}/dist/bundle-${Deno.pid}`;
const OUTPUT = values.output.startsWith("/") ? values.output : `${Deno.cwd()}/${values.output}`;

async function deno(args: readonly string[], cwd: string, env: Record<string, string> = {}) {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd,
    env,
    stdout: "null",
    stderr: "piped",
  }).output();
  return { success, stderr: new TextDecoder().decode(stderr) };
}

function fail(message: string): never {
  console.error(message.trim());
  try {
    Deno.removeSync(BUNDLE, { recursive: true });
  } catch {
    // Nothing was made yet.
  }
  Deno.exit(1);
}

/** The worker in the bundle, beside the chunks that both load. */
const WORKER = "src/sheath/main.js";

/** Main program and worker in one: what both load, above all the shell, is there once. */
async function bundle(): Promise<void> {
  await Deno.remove(BUNDLE, { recursive: true }).catch(() => {/* not there yet */});
  const flags = [
    "--quiet",
    "--node-modules-dir=none",
    "--frozen",
    "--minify",
    "--platform=deno",
    "--code-splitting",
  ];
  const made = await deno(
    ["bundle", ...flags, `--outdir=${BUNDLE}`, values.entry, "src/sheath/main.ts"],
    ROOT,
  );
  if (!made.success) fail(made.stderr);
  await pointToWorker();
  await moveWorker();
}

/** Makes the worker's entry a chunk like the others: entries are neither joined nor cached. */
async function moveWorker(): Promise<void> {
  const entry = `${BUNDLE}/${WORKER}`;
  const text = await Deno.readTextFile(entry);
  await Deno.writeTextFile(`${BUNDLE}/worker.js`, `${text.replaceAll('"../../', '"./')}export{};`);
  await Deno.writeTextFile(entry, 'import"../../worker.js";');
}

/** In the bundle the worker stands elsewhere than in the sources: src/cli/worker_url.ts is told. */
async function pointToWorker(): Promise<void> {
  const SOURCE = /new URL\("\.\.\/sheath\/main\.ts",\s*import\.meta\.url\)/g;
  let found = 0;
  // Chunks stand at the top, an entry where it stands in the sources.
  const names = new Set([...Deno.readDirSync(BUNDLE)].map((entry) => entry.name)).add(MAIN);
  for (const name of names) {
    if (!name.endsWith(".js")) continue;
    const path = `${BUNDLE}/${name}`;
    const up = "../".repeat(name.split("/").length - 1) || "./";
    const text = await Deno.readTextFile(path);
    const changed = text.replace(SOURCE, () => {
      found++;
      return `new URL("${up}${WORKER}",import.meta.url)`;
    });
    if (changed !== text) await Deno.writeTextFile(path, changed);
  }
  if (found !== 1) {
    fail(`The worker's address stands ${found} times in the bundle, not once: see src/cli/worker_url.ts`);
  }
}

function compile(output: string, env: Record<string, string>) {
  return deno(
    [
      "compile",
      "--quiet",
      "--no-config",
      "--no-lock",
      "--no-prompt",
      // The cache would be a file of a well-known name in /tmp, which anybody could put there first.
      "--no-code-cache",
      "--allow-all",
      "--unstable-worker-options",
      "--unstable-raw-imports",
      `--v8-flags=${V8_FLAGS.join(",")}`,
      "--include",
      WORKER,
      "--output",
      output,
      ...(values.target === undefined ? [] : ["--target", values.target]),
      MAIN,
    ],
    BUNDLE,
    env,
  );
}

/** Compiles the bundle, with the runtime from npm where Deno's server cannot be reached. */
async function compileSomehow(output: string): Promise<void> {
  let result = await compile(output, runtime);
  if (
    !result.success && Deno.env.get("DENORT_BIN") === undefined && values.target === undefined &&
    runtime.DENORT_BIN === undefined && /error sending request|Download/i.test(result.stderr)
  ) {
    const denort = await denortFromNpm();
    if (denort !== undefined) {
      console.error("Deno's download server cannot be reached; taking the runtime from the npm registry");
      runtime.DENORT_BIN = denort;
      result = await compile(output, runtime);
    }
  }
  if (!result.success) {
    fail(
      `${result.stderr.trim()}\nSet DENORT_BIN to the path of a Deno compile runtime where none can be downloaded.`,
    );
  }
}

const runtime: Record<string, string> = {};

const FIRST = `${BUNDLE}/first${Deno.build.os === "windows" ? ".exe" : ""}`;
const ENTRIES = [`${BUNDLE}/main.js`, `${BUNDLE}/${WORKER}`] as const;

/** Compiles a program that has `heads` before its entries, and puts it through the work; the entries are as before then. */
async function workWith(
  heads: readonly [main: string, worker: string],
  pieces: readonly Piece[],
  around?: Parameters<typeof work>[3],
): Promise<void> {
  const texts = await Promise.all(ENTRIES.map((path) => Deno.readTextFile(path)));
  // Imports are done first, wherever they stand; what the heads do must come before them.
  const folders = ENTRIES.map((path) => path.slice(0, path.lastIndexOf("/")));
  for (const [i, path] of ENTRIES.entries()) {
    await Deno.writeTextFile(`${folders[i]}/head.js`, heads[i]);
    await Deno.writeTextFile(path, `import"./head.js";${texts[i]}`);
  }
  await compileSomehow(FIRST);
  try {
    await work(FIRST, BUNDLE, pieces, around);
  } catch (error) {
    fail(`Working with the first program: ${error instanceof Error ? error.message : String(error)}`);
  }
  await Deno.remove(FIRST);
  await Promise.all(ENTRIES.map((path, i) => Deno.writeTextFile(path, texts[i])));
  await Promise.all(folders.map((folder) => Deno.remove(`${folder}/head.js`)));
}

/** Joins what is always loaded together. */
async function joinChunks(): Promise<void> {
  const lists = `${BUNDLE}/lists`;
  await Deno.mkdir(lists);
  const [main, worker] = [`${lists}/main.json`, `${lists}/worker.json`];
  const kept: { file: string; last: number }[] = [];
  const chunks = await Chunks.record(BUNDLE, ["main.js"]);
  const pieces = WORK.filter(({ name, ofWorker }) => name !== "tour" && !ofWorker);
  await workWith([recordInMain(main), recordInWorker(worker)], pieces, {
    async after({ name }) {
      for (const [file, isolate, last] of [[main, "main", 1], [worker, "worker", 2]] as const) {
        if (isolate === "worker" && name !== "run") continue;
        await Deno.rename(file, `${lists}/${name}-${isolate}.json`);
        kept.push({ file: `${lists}/${name}-${isolate}.json`, last });
      }
    },
  });
  const fewer = await chunks.join(kept, [{ file: ENTRIES[0], up: "./" }, { file: ENTRIES[1], up: "../../" }]);
  await Deno.remove(lists, { recursive: true });
  if (fewer <= 0) fail("Joining chunks: the work has loaded none together");
}

/** Puts code caches into the bundle. */
async function addCaches(): Promise<void> {
  const folder = await ScriptedFolder.prepare(BUNDLE, ["main.js"]);
  const turn = `${BUNDLE}/turn-of-worker`;
  await workWith([dumpInMain(turn), dumpInWorker(turn)], WORK, {
    before: async ({ ofWorker }) => ofWorker ? await Deno.writeTextFile(turn, "") : undefined,
    after: async ({ ofWorker }) => ofWorker ? await Deno.remove(turn) : undefined,
  });
  if (await folder.keep() === 0) {
    fail("Making the code caches: the work has loaded none of the big modules");
  }
}

await bundle();
const whole = MAIN === "main.js";
// A program for measuring has not the parts that are compressed, nor is its size of interest.
if (whole) await compress(BUNDLE);
// Only the system itself can make them: a program for another one starts without.
if (values.target === undefined && whole) {
  await joinChunks();
  await addCaches();
}
await compileSomehow(OUTPUT);
await Deno.remove(BUNDLE, { recursive: true });
const { size } = await Deno.stat(OUTPUT);
console.log(`${values.output}: ${(size / 1e6).toFixed(0)} MB`);
