/**
 * Makes dist/myelin: the program, the sheath's worker, prompts and docs in
 * one executable. First everything is bundled, code split at lazy imports: a
 * compiled program holds all that it embeds in memory and loads each module
 * by itself, so fewer and smaller files make it start sooner and weigh less.
 *
 * `--output FILE` names another place, `--target TRIPLE` another system (as
 * `deno compile --target`).
 */
import { parseArgs } from "node:util";
import { denortFromNpm } from "./denort.ts";
import { V8_FLAGS } from "./v8_flags.ts";

const { values } = parseArgs({
  args: Deno.args,
  options: { output: { type: "string", default: "dist/myelin" }, target: { type: "string" } },
});
const ROOT = Deno.realPathSync(new URL("..", import.meta.url));
const BUNDLE = `${ROOT}/dist/bundle`;
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
  Deno.exit(1);
}

/** Main program and worker apart: what they share is small, and a shared chunk would hold what either of them needs. */
async function bundle(): Promise<void> {
  await Deno.remove(BUNDLE, { recursive: true }).catch(() => {/* not there yet */});
  const entries = [["main.ts", BUNDLE], ["src/sheath/main.ts", `${BUNDLE}/sheath`]];
  const flags = [
    "--quiet",
    "--node-modules-dir=none",
    "--frozen",
    "--minify",
    "--platform=deno",
    "--code-splitting",
  ];
  const results = await Promise.all(
    entries.map(([entry, folder]) => deno(["bundle", ...flags, `--outdir=${folder}`, entry], ROOT)),
  );
  for (const result of results) if (!result.success) fail(result.stderr);
  await pointToWorker();
}

/** In the bundle the worker stands elsewhere than in the sources: src/cli/worker_url.ts is told. */
async function pointToWorker(): Promise<void> {
  const SOURCE = /new URL\("\.\.\/sheath\/main\.ts",\s*import\.meta\.url\)/g;
  let found = 0;
  for await (const entry of Deno.readDir(BUNDLE)) {
    if (!entry.name.endsWith(".js")) continue;
    const path = `${BUNDLE}/${entry.name}`;
    const text = await Deno.readTextFile(path);
    const changed = text.replace(SOURCE, () => {
      found++;
      return 'new URL("./sheath/main.js",import.meta.url)';
    });
    if (changed !== text) await Deno.writeTextFile(path, changed);
  }
  if (found !== 1) {
    fail(`The worker's address stands ${found} times in the bundle, not once: see src/cli/worker_url.ts`);
  }
}

function compile(env: Record<string, string>) {
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
      `--v8-flags=${V8_FLAGS.join(",")}`,
      "--include",
      "sheath/main.js",
      "--output",
      OUTPUT,
      ...(values.target === undefined ? [] : ["--target", values.target]),
      "main.js",
    ],
    BUNDLE,
    env,
  );
}

await bundle();
let result = await compile({});
if (
  !result.success && Deno.env.get("DENORT_BIN") === undefined &&
  /error sending request|Download/i.test(result.stderr)
) {
  const denort = values.target === undefined ? await denortFromNpm() : undefined;
  if (denort !== undefined) {
    console.error("Deno's download server cannot be reached; taking the runtime from the npm registry");
    result = await compile({ DENORT_BIN: denort });
  }
}
if (!result.success) {
  fail(
    `${result.stderr.trim()}\nSet DENORT_BIN to the path of a Deno compile runtime where none can be downloaded.`,
  );
}
await Deno.remove(BUNDLE, { recursive: true });
const { size } = await Deno.stat(OUTPUT);
console.log(`${values.output}: ${(size / 1e6).toFixed(0)} MB`);
