/**
 * Runs conformance cases against a shell:
 *
 *     deno task shellspec -- --cases FILE [--shell "bash"] [--jobs N] [--fail-list FILE] [--write-docs]
 *
 * The cases are data: `{id, suite, file, title, script, expect: {status, stdout, stderr}, env, mkdirs, mode,
 * tags}`, in a list or under `cases`. What `expect` leaves out is not compared; bytes that are not UTF-8 come
 * as `…_b64`; `@BASE@` stands for the case's own folder. Each case runs in a new folder (`w` is the working
 * folder and `$TMP`, `home`, `t` is `$TMPDIR`), in a process group that is ended afterwards, with a time limit.
 * `$SH` is `bash`, and the first folder of PATH holds a `bash` that is the shell under test; the folder
 * `helpers` beside the cases comes second.
 *
 * Scripts of cases do what they like: run them as an ordinary user or in a container.
 */
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";

export interface Case {
  readonly id: string;
  readonly suite: string;
  readonly file: string;
  readonly title: string;
  readonly script?: string;
  readonly script_b64?: string;
  readonly expect: Expected;
  readonly env?: Readonly<Record<string, string>>;
  readonly mkdirs?: readonly string[];
  /** `stdin`: the script comes on standard input. */
  readonly mode?: string;
  readonly tags?: readonly string[];
}

interface Expected {
  readonly status?: number;
  readonly stdout?: string;
  readonly stdout_b64?: string;
  readonly stderr?: string;
  readonly stderr_b64?: string;
}

export interface Outcome {
  readonly status: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  readonly timedOut: boolean;
}

export interface Score {
  readonly suite: string;
  readonly file: string;
  passed: number;
  total: number;
}

const MAX_OUTPUT = 8 << 20;
/** How long programs in the background may go on writing when the shell has ended. */
const GRACE_MS = 1000;

/** What differs between the outcome and what the case expects; nothing: the case holds. */
export function differences(expected: Expected, got: Outcome): string[] {
  if (got.timedOut) return ["time"];
  const out: string[] = [];
  for (const name of ["stdout", "stderr"] as const) {
    const want = bytesOf(expected[name], expected[`${name}_b64`]);
    if (want !== undefined && !same(want, got[name])) out.push(name);
  }
  if (expected.status !== undefined && expected.status !== got.status) out.push("status");
  return out;
}

/** Scores by suite and file, in the order in which the files come. */
export function tally(results: readonly { readonly of: Case; readonly passed: boolean }[]): Score[] {
  const scores = new Map<string, Score>();
  for (const { of, passed } of results) {
    const key = `${of.suite}/${of.file}`;
    const score = scores.get(key) ?? { suite: of.suite, file: of.file, passed: 0, total: 0 };
    scores.set(key, score);
    score.total++;
    if (passed) score.passed++;
  }
  return [...scores.values()];
}

const OPEN = "<!-- conformance -->\n";
const CLOSE = "<!-- /conformance -->";

/** The page with its conformance tables made from these scores. Throws where it has no place for them. */
export function withScores(page: string, scores: readonly Score[]): string {
  const start = page.indexOf(OPEN);
  const end = page.indexOf(CLOSE);
  if (start < 0 || end < start) throw new Error("docs/shell.md has no place for the conformance tables");
  const row = (name: string, { passed, total }: { passed: number; total: number }) =>
    `| ${name} | ${passed} | ${total} | ${percent(passed, total)} |\n`;
  const head = (name: string) => `| ${name} | agree | cases | |\n| --- | --: | --: | --: |\n`;
  const suites = bySuite(scores);
  const tables = [
    head("suite") + suites.map((s) => row(s.suite, s)).join(""),
    ...suites.map((s) =>
      head(`${s.suite}: file`) +
      scores.filter((one) => one.suite === s.suite).map((one) => row(one.file, one)).join("")
    ),
  ];
  return page.slice(0, start + OPEN.length) + tables.join("\n") + page.slice(end);
}

function bySuite(scores: readonly Score[]): Score[] {
  const suites = new Map<string, Score>();
  for (const { suite, passed, total } of scores) {
    const sum = suites.get(suite) ?? { suite, file: "", passed: 0, total: 0 };
    suites.set(suite, sum);
    sum.passed += passed;
    sum.total += total;
  }
  return [...suites.values()];
}

const percent = (passed: number, total: number) => `${(100 * passed / total).toFixed(1)} %`;

function bytesOf(text: string | undefined, base64: string | undefined): Uint8Array | undefined {
  if (text !== undefined && text !== null) return encode(text);
  return base64 === undefined ? undefined : Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
}

/** UTF-8; a lone surrogate U+DC80..U+DCFF is one byte that was none. */
function encode(text: string): Uint8Array {
  if (text.isWellFormed()) return new TextEncoder().encode(text);
  const out: number[] = [];
  for (const c of text) {
    const code = c.codePointAt(0)!;
    if (code >= 0xdc80 && code <= 0xdcff) out.push(code - 0xdc00);
    else out.push(...new TextEncoder().encode(c));
  }
  return Uint8Array.from(out);
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** The bytes with every `from` replaced by `to`; both are ASCII. */
function replaced(bytes: Uint8Array, from: string, to: string): Uint8Array {
  const text = Array.from(bytes, (b) => String.fromCharCode(b)).join("");
  return text.includes(from) ? Uint8Array.from(text.replaceAll(from, to), (c) => c.charCodeAt(0)) : bytes;
}

/** The command under test, with the folder that makes it reachable as `bash`. */
interface Shell {
  readonly argv: readonly string[];
  readonly path: string;
  readonly temporary: string | undefined;
}

async function prepareShell(command: string, helpers: string, temporary: string | undefined): Promise<Shell> {
  const [program, ...rest] = command.trim().split(/\s+/);
  const argv = [await located(program), ...rest];
  const folder = await Deno.makeTempDir({ prefix: "shellspec.", dir: temporary });
  await Deno.chmod(folder, 0o755);
  if (rest.length === 0) await Deno.symlink(argv[0], `${folder}/bash`);
  else {
    const quoted = argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
    await Deno.writeTextFile(`${folder}/bash`, `#!/bin/sh\nexec ${quoted} "$@"\n`, { mode: 0o755 });
  }
  const usual = ["/usr/local/bin", "/usr/bin", "/bin"];
  const more = (Deno.env.get("PATH") ?? "").split(":")
    .filter((dir) => dir.startsWith("/") && !usual.includes(dir) && !dir.includes("sbin"));
  return { argv, path: [folder, helpers, ...usual, ...more].join(":"), temporary };
}

async function located(program: string): Promise<string> {
  const places = program.includes("/")
    ? [program.startsWith("/") ? program : `${Deno.cwd()}/${program}`]
    : (Deno.env.get("PATH") ?? "").split(":").map((dir) => `${dir}/${program}`);
  for (const place of places) {
    if (await Deno.stat(place).then((s) => s.isFile, () => false)) return place;
  }
  console.error(`shell not found: ${program}`);
  Deno.exit(2);
}

async function runCase(one: Case, shell: Shell, limitMs: number): Promise<Outcome> {
  const base = await Deno.realPath(await Deno.makeTempDir({ prefix: "case.", dir: shell.temporary }));
  try {
    for (const dir of ["w", "home", "t"]) await Deno.mkdir(`${base}/${dir}`);
    for (const dir of one.mkdirs ?? []) await Deno.mkdir(`${base}/w/${dir}`, { recursive: true });
    const env: Record<string, string> = {
      PATH: shell.path,
      HOME: `${base}/home`,
      TMP: `${base}/w`,
      TMPDIR: `${base}/t`,
      SH: "bash",
      LC_ALL: "C.UTF-8",
      LANG: "C.UTF-8",
      TZ: "UTC",
      TERM: "dumb",
      GIT_CONFIG_NOSYSTEM: "1",
      PYTHONDONTWRITEBYTECODE: "1",
    };
    for (const [name, value] of Object.entries(one.env ?? {})) env[name] = value.replaceAll("@BASE@", base);
    const got = await execute(one, shell.argv, `${base}/w`, env, limitMs);
    return {
      ...got,
      stdout: replaced(got.stdout, base, "@BASE@"),
      stderr: replaced(got.stderr, base, "@BASE@"),
    };
  } finally {
    await new Deno.Command("chmod", { args: ["-R", "u+rwx", base], stderr: "null" }).output();
    await Deno.remove(base, { recursive: true }).catch(() => {/* something still writes there */});
  }
}

function execute(
  one: Case,
  argv: readonly string[],
  cwd: string,
  env: Record<string, string>,
  limitMs: number,
): Promise<Outcome> {
  const script = bytesOf(one.script, one.script_b64) ?? new Uint8Array();
  const text = one.script ?? new TextDecoder().decode(script);
  // An argument is text: a script that is none comes on standard input.
  const piped = one.mode === "stdin" || !text.isWellFormed() || !same(encode(text), script);
  const child = spawn(argv[0], [...argv.slice(1), ...(piped ? [] : ["-c", text])], {
    cwd,
    env,
    detached: true,
    stdio: [piped ? "pipe" : "ignore", "pipe", "pipe"],
  });
  const endGroup = () => {
    try {
      if (child.pid !== undefined) Deno.kill(-child.pid, "SIGKILL");
    } catch {
      // All of it has ended.
    }
  };
  const outputs = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  for (const name of ["stdout", "stderr"] as const) {
    let size = 0;
    child[name]!.on("data", (bytes: Uint8Array) => {
      outputs[name].push(bytes);
      size += bytes.length;
      if (size > MAX_OUTPUT) endGroup();
    });
  }
  child.stdin?.on("error", () => {/* it was not read to its end */});
  child.stdin?.end(script);
  return new Promise((resolve) => {
    let timedOut = false;
    let status = -1;
    const limit = setTimeout(() => {
      timedOut = true;
      endGroup();
    }, limitMs);
    let grace: ReturnType<typeof setTimeout> | undefined;
    const finish = () => {
      clearTimeout(limit);
      clearTimeout(grace);
      endGroup();
      resolve({ status, stdout: joined(outputs.stdout), stderr: joined(outputs.stderr), timedOut });
    };
    child.on("error", finish);
    child.on("exit", (code, signal) => {
      clearTimeout(limit);
      status = code ?? 128 + (SIGNALS[signal ?? ""] ?? 0);
      grace = setTimeout(finish, timedOut ? 0 : GRACE_MS);
    });
    child.on("close", finish);
  });
}

const SIGNALS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGABRT: 6,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
};

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(chunks.reduce((n, c) => n + c.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
}

async function main(): Promise<void> {
  const root = await Deno.realPath(new URL("..", import.meta.url));
  const { values } = parseArgs({
    args: Deno.args.filter((argument, i) => i > 0 || argument !== "--"),
    options: {
      cases: { type: "string", multiple: true },
      shell: { type: "string", default: `${root}/dist/myelin sh` },
      helpers: { type: "string" },
      jobs: { type: "string", default: String(availableParallelism()) },
      timeout: { type: "string", default: "5" },
      suite: { type: "string" },
      filter: { type: "string", default: "" },
      "skip-tag": { type: "string", multiple: true, default: [] },
      "fail-list": { type: "string" },
      show: { type: "string", default: "0" },
      tmp: { type: "string" },
      "write-docs": { type: "boolean", default: false },
    },
  });
  if (values.cases === undefined) {
    console.error("usage: deno task shellspec -- --cases FILE [--shell COMMAND] [--helpers DIR] [--jobs N]");
    console.error("  [--timeout SECONDS] [--suite S] [--filter TEXT] [--skip-tag TAG] [--fail-list FILE]");
    console.error("  [--show N] [--tmp DIR] [--write-docs]");
    Deno.exit(2);
  }
  const cases: Case[] = [];
  for (const path of values.cases) {
    const data = JSON.parse(await Deno.readTextFile(path)) as Case[] | { cases: Case[] };
    cases.push(...(Array.isArray(data) ? data : data.cases));
  }
  const chosen = cases.filter((c) =>
    `${c.id} ${c.file} ${c.title}`.includes(values.filter) &&
    (values.suite === undefined || c.suite === values.suite) &&
    !values["skip-tag"].some((tag) => c.tags?.includes(tag))
  );
  const beside = `${(await Deno.realPath(values.cases[0])).replace(/[^/]*$/, "")}helpers`;
  const shell = await prepareShell(
    values.shell,
    values.helpers ?? beside,
    values.tmp,
  );
  Deno.umask(0o022);
  const started = performance.now();
  const results: { of: Case; passed: boolean }[] = new Array(chosen.length);
  let next = 0;
  let shown = Number(values.show);
  let late = 0;
  const worker = async () => {
    while (next < chosen.length) {
      const i = next++;
      const got = await runCase(chosen[i], shell, Number(values.timeout) * 1000);
      const wrong = differences(chosen[i].expect, got);
      results[i] = { of: chosen[i], passed: wrong.length === 0 };
      if (got.timedOut) late++;
      if (wrong.length > 0 && shown-- > 0) show(chosen[i], got, wrong);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Number(values.jobs)) }, worker));
  await Deno.remove(shell.path.split(":")[0], { recursive: true });

  const scores = tally(results);
  const line = (name: string, { passed, total }: Score) =>
    `${name.padEnd(44)} ${String(passed).padStart(5)}/${String(total).padEnd(5)} ${percent(passed, total)}`;
  for (const score of scores) console.log(line(`${score.suite}/${score.file}`, score));
  console.log();
  for (const score of bySuite(scores)) console.log(line(`suite ${score.suite}`, score));
  const failing = results.filter((r) => !r.passed);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(
    `${
      results.length - failing.length
    } passed, ${failing.length} failed (${late} ran out of time), ${seconds} s`,
  );
  if (values["fail-list"] !== undefined) {
    await Deno.writeTextFile(values["fail-list"], failing.map((r) => r.of.id + "\n").join(""));
  }
  if (values["write-docs"]) {
    const page = `${root}/docs/shell.md`;
    await Deno.writeTextFile(page, withScores(await Deno.readTextFile(page), scores));
  }
  Deno.exit(failing.length === 0 ? 0 : 1);
}

function show(one: Case, got: Outcome, wrong: readonly string[]): void {
  const text = (bytes: Uint8Array | undefined) => JSON.stringify(new TextDecoder().decode(bytes));
  console.log(`--- ${one.id} (${one.title}): ${wrong.join(", ")}\n${one.script ?? ""}`);
  const want = one.expect;
  if (wrong.includes("stdout")) {
    console.log(
      `  stdout: want ${text(bytesOf(want.stdout, want.stdout_b64))}\n          got  ${text(got.stdout)}`,
    );
  }
  console.log(
    `  stderr: ${want.stderr === undefined ? "" : `want ${text(bytesOf(want.stderr, undefined))} `}got ${
      text(got.stderr)
    }`,
  );
  console.log(`  status: want ${want.status} got ${got.status}`);
}

if (import.meta.main) await main();
