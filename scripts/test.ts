/**
 * The test command: format, lint, types, structure, tests, then the compiled
 * binary and the tests of that. Ends with "N passed, M failed". Each step
 * counts as one more test. `--no-compile` leaves out the binary (for a Deno
 * whose runtime is not to be had), `--full` runs the long suites whole,
 * further arguments name test files or folders.
 *
 * Programs that the tests hold against ours (a real bash, git, rg, bwrap,
 * node), and tmux for the chat: where CI is set, a missing one is a failure with its name; elsewhere
 * its tests are left out and named.
 */
import { V8_FLAGS } from "./v8_flags.ts";

const PROGRAMS = ["bash", "git", "rg", "bwrap", "node", "npm", "tmux"];
const full = Deno.args.includes("--full");
const compile = !Deno.args.includes("--no-compile");
const paths = Deno.args.filter((argument) => !argument.startsWith("--"));

const failures: string[] = [];
let passed = 0;
let failed = 0;
const missing = PROGRAMS.filter((program) => !onPath(program));

async function step(name: string, args: string[], env: Record<string, string> = {}): Promise<boolean> {
  const start = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args,
    env: { ...env, MYELIN_FULL: full ? "1" : "", MYELIN_MISSING: missing.join(","), NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const [out, err] = await Promise.all([drain(child.stdout), drain(child.stderr)]);
  const { success } = await child.status;
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  const totals = [...out.matchAll(/^(?:ok|FAILED) \| (\d+) passed(?: \([^)]*\))? \| (\d+) failed/gm)].at(-1);
  if (totals !== undefined) {
    passed += Number(totals[1]);
    failed += Number(totals[2]);
    if (!success && totals[2] === "0") failed++;
  } else if (success) passed++;
  else failed++;
  console.log(
    `${success ? "ok  " : "FAIL"} ${name} (${
      totals === undefined ? "" : `${totals[1]} passed, ${totals[2]} failed, `
    }${seconds} s)`,
  );
  if (!success) {
    // What went well, and what was only printed on the way, would bury it.
    const told = `${out}\n${err}`.split("\n").filter((line) =>
      !/ \.\.\. ok \(|^running \d+ tests? from/.test(line)
    );
    console.log(told.join("\n").trim().split("\n").slice(-200).join("\n"));
    for (const match of out.matchAll(/^(.*) \.\.\. FAILED/gm)) failures.push(match[1]);
    if (failures.length === 0) failures.push(name);
  }
  return success;
}

async function drain(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of stream) text += decoder.decode(piece, { stream: true });
  return text;
}

function onPath(program: string): boolean {
  return (Deno.env.get("PATH") ?? "").split(":").some((folder) => {
    try {
      return Deno.statSync(`${folder}/${program}`).isFile;
    } catch {
      return false; // not in this folder
    }
  });
}

if (missing.length > 0) {
  if (Deno.env.get("CI")) {
    for (const program of missing) console.log(`FAIL missing program: ${program}`);
    failed += missing.length;
  } else console.log(`left out: the tests that need ${missing.join(", ")} (not installed)`);
}

// deno.json leaves packages to the commands, so that `deno task` itself fetches nothing before the tasks' settings hold.
const PACKAGES = "--node-modules-dir=none";
const testFlags = [
  "test",
  PACKAGES,
  "--frozen",
  "-A",
  "--no-check",
  "--unstable-worker-options",
  `--v8-flags=${V8_FLAGS.join(",")}`,
];
if (paths.length > 0) await step("tests", [...testFlags, ...paths]);
else {
  await step("format", ["fmt", "--check"]);
  await step("lint", ["lint", "--quiet"]);
  await step(
    "types",
    ["check", PACKAGES, "--frozen", "main.ts", "src", "scripts", "test", "bench"].filter(exists),
  );
  await step("structure", ["run", PACKAGES, "--frozen", "-A", "scripts/check.ts"]);
  // The end-to-end tests run the compiled program where there is one.
  await step("tests", [...testFlags, "--parallel", ...(compile ? ["--ignore=test/e2e"] : []), "test"]);
  if (full) await step("fuzz", ["run", PACKAGES, "--frozen", "-A", "scripts/fuzz.ts"]);
  if (compile) {
    const built = await step("compile", ["run", PACKAGES, "--frozen", "-A", "scripts/build.ts"]);
    const binary = { MYELIN_BINARY: `${Deno.cwd()}/dist/myelin` };
    if (built) await step("tests of the binary", [...testFlags, "--parallel", "test/e2e"], binary);
  }
}

function exists(path: string): boolean {
  if (!/^(bench|test|src|scripts|main\.ts)$/.test(path)) return true;
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

for (const name of failures) console.log(`failed: ${name}`);
console.log(`${passed} passed, ${failed} failed`);
Deno.exit(failed === 0 ? 0 : 1);
