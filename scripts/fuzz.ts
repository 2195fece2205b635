/**
 * Throws texts at the shell: `deno task fuzz [-- --seed N --count N]`.
 *
 * A third is made from a grammar, a third are scripts of the corpus with a few edits, a third are random
 * tokens and characters. Each is parsed; what is a script then runs in a shell without programs, utilities or
 * disk, so that every word is expanded. Good ends are a tree or a {@link ShellSyntaxError}, and a status; any
 * other error is a crash. A run that takes too many steps is cancelled, as a user would, and must then end: one
 * that does not is a hang, found by the main thread, which watches the worker's progress.
 *
 * The same seed gives the same texts.
 */
import { setImmediate } from "node:timers";
import { parseArgs } from "node:util";
import { createShell, HostError, type ShellHost } from "../src/shell/mod.ts";
import { parse, ShellSyntaxError } from "../src/shell/syntax/mod.ts";

export interface Crash {
  readonly text: string;
  readonly error: unknown;
}

export interface Counts {
  texts: number;
  parsed: number;
  refused: number;
  cancelled: number;
}

/** Looks at the cancel flag that a run may take before it is cancelled. */
const MAX_POLLS = 3000;
const HANG_MS = 20_000;

type Random = (below: number) => number;

/** A small generator with 32 bits of state (mulberry32). */
function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** The scripts of the corpus, as material to mangle. */
export function corpus(): string[] {
  const folder = new URL("../test/shell/spec/", import.meta.url);
  return [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.endsWith(".test.sh"))
    .sort()
    .flatMap((name) =>
      Deno.readTextFileSync(new URL(name, folder)).split(/^#### .*\n/m).slice(1).map((s) => s.trimEnd())
    );
}

/** Runs so many texts. `before` is told each text before it is tried. */
export async function fuzz(
  seed: number,
  count: number,
  scripts: readonly string[],
  before: (text: string, n: number) => void = () => {},
): Promise<{ counts: Counts; crashes: Crash[] }> {
  const random = randomFrom(seed);
  const counts: Counts = { texts: 0, parsed: 0, refused: 0, cancelled: 0 };
  const crashes: Crash[] = [];
  for (let n = 0; n < count; n++) {
    const text = [fromGrammar, mangled, tokens][n % 3](random, scripts);
    before(text, n);
    counts.texts++;
    try {
      parse(text);
      counts.parsed++;
    } catch (error) {
      if (error instanceof ShellSyntaxError) counts.refused++;
      else crashes.push({ text, error });
    }
    try {
      // Refused texts too: their first lines may be fine and run.
      if (await runs(text)) counts.cancelled++;
    } catch (error) {
      crashes.push({ text, error });
    }
  }
  return { counts, crashes };
}

/** Runs a text to its end; whether it had to be cancelled. */
async function runs(text: string): Promise<boolean> {
  const state = { polls: 0 };
  const sink = { write() {}, close() {} };
  const shell = createShell({
    host: emptyHost(state),
    utilities: [],
    external: false,
    env: { PATH: "/bin", HOME: "/h", v: "a b", w: "*" },
    args: ["one", "two words"],
    stdout: sink,
    stderr: sink,
    limits: { capture: 1 << 20 },
  });
  try {
    await shell.run(text);
  } finally {
    shell.close();
  }
  return state.polls > MAX_POLLS;
}

/** A world with one folder of three names that cannot be changed. */
function emptyHost(state: { polls: number }): ShellHost {
  const refuse = (path: string): never => {
    throw new HostError("ENOENT", path);
  };
  const denied = (path: string): never => {
    throw new HostError("EACCES", path);
  };
  const folder = {
    kind: "dir" as const,
    size: 0,
    mode: 0o755,
    uid: 1,
    gid: 1,
    dev: 1,
    ino: 1,
    nlink: 1,
    rdev: 0,
    blocks: 0,
    atimeMs: 0,
    mtimeMs: 0,
    ctimeMs: 0,
  };
  const stat = (path: string) => path === "/" || path === "/h" ? folder : refuse(path);
  return {
    platform: "linux",
    fs: {
      stat,
      lstat: stat,
      readLink: refuse,
      realPath: (path) => path === "/" ? path : refuse(path),
      readDir: (path) =>
        path === "/" ? ["a", "b.c", ".d"].map((name) => ({ name, kind: "file" as const })) : refuse(path),
      open: (path, options) => options.create ? denied(path) : refuse(path),
      mkdir: denied,
      unlink: denied,
      rmdir: denied,
      rename: denied,
      link: denied,
      symlink: denied,
      chmod: denied,
      chown: denied,
      utime: denied,
      truncate: denied,
      access: (path) => path === "/",
    },
    now: () => 1_000_000 + state.polls,
    cpuTimes: () => [0, 0],
    // A long wait counts as many steps: nothing here is worth waiting for.
    sleep: (ms) => {
      state.polls += Math.min(ms * 25, 1000);
      return new Promise((resolve) => setImmediate(resolve));
    },
    random: (into) => void into.fill(7),
    user: { uid: 1, gid: 1, name: "u", groups: [1] },
    hostname: "h",
    system: { sysname: "Linux", release: "1", version: "1", machine: "x86_64" },
    processors: 1,
    pid: 2,
    ppid: 1,
    tempDir: "/tmp",
    cancelled: () => ++state.polls > MAX_POLLS,
  };
}

const pick = <T>(random: Random, list: readonly T[]): T => list[random(list.length)];

const WORDS = [
  "a",
  "-n",
  "$v",
  '"$v"',
  "'q r'",
  '"$@"',
  "$*",
  "${v}",
  "${v:-d}",
  "${#v}",
  "${v#a}",
  "${v%%b*}",
  "${v/a/b}",
  "${v//[a-z]/&}",
  "${v:1:2}",
  "${v^^}",
  "${v@Q}",
  "${!v}",
  "${!a*}",
  "${arr[1]}",
  '"${arr[@]}"',
  "${#arr[@]}",
  "${arr[@]:1}",
  "${m[k]}",
  "$((1+2))",
  "$((v++))",
  "$(echo s)",
  "`echo b`",
  "$'\\x41\\n'",
  '$"t"',
  "{a,b}",
  "{1..4}",
  "*",
  "?.c",
  "[a-b]*",
  "~",
  "~+",
  "$?",
  "$#",
  "$$",
  "\\$",
  "é",
  "=",
  "#",
];
const OPERANDS = ["x", "${v:-$w}", "'*'", "a?", "[!a]", "$(echo y)", "\\}", '"q"', "+(a|b)", "~", ""];
const EXPANSIONS = [
  "-",
  ":-",
  ":=",
  "=",
  ":?",
  "+",
  ":+",
  "#",
  "##",
  "%",
  "%%",
  "/",
  "//",
  "/#",
  "/%",
  "^",
  "^^",
  ",",
  ",,",
  ":",
  "@",
];
const COMMANDS = [
  "echo",
  "printf %s",
  ":",
  "true",
  "false",
  "test",
  "[",
  "read r <<<",
  "eval",
  "set --",
  "shift",
  "unset",
  "export",
  "declare",
  "local",
  "let",
  "cd",
  "type",
  "return",
  "break",
  "trap",
  "f",
  "printf '%q'",
  "mapfile <<<",
  "getopts ab",
];
const ARITH = [
  "1",
  "v",
  "arr[0]",
  "m[k]",
  "0x1f",
  "2#101",
  "(v)",
  "-1",
  "v++",
  "--v",
  "v=3",
  "v+=2",
  "1/0",
  "$v",
  "${#v}",
];
const OPERATORS = [
  "+",
  "-",
  "*",
  "/",
  "%",
  "**",
  "<<",
  ">>",
  "&",
  "|",
  "^",
  "&&",
  "||",
  "<",
  ">=",
  "==",
  "!=",
  ",",
  "?1:",
];
const REDIRECTS = [
  "> /x",
  "< /x",
  "2>&1",
  ">&-",
  "<<< w",
  "<<E\nb $v\nE\n",
  "{fd}< /x",
  "&> /x",
  "<(:)",
  "3<&0",
];

function word(random: Random, depth: number): string {
  switch (random(10)) {
    case 0:
      return `\${v${pick(random, EXPANSIONS)}${pick(random, OPERANDS)}}`;
    case 1:
      return `"${word(random, depth)}"`;
    case 2:
      return word(random, depth) + word(random, depth);
    case 3:
      return depth > 0 ? `$(${list(random, depth - 1)})` : "x";
    case 4:
      return `$((${expression(random, depth)}))`;
    case 5:
      return `{${word(random, 0)},${pick(random, WORDS)}}`;
    default:
      return pick(random, WORDS);
  }
}

function expression(random: Random, depth: number): string {
  const left = depth > 0 && random(3) === 0 ? `(${expression(random, depth - 1)})` : pick(random, ARITH);
  return random(2) === 0 ? left : left + pick(random, OPERATORS) + expression(random, Math.max(0, depth - 1));
}

function simple(random: Random, depth: number): string {
  const parts: string[] = [];
  if (random(4) === 0) {
    parts.push(pick(random, ["v=", "arr=(", "arr[1]=", "v+=", "m[k]="]) + word(random, depth));
    if (parts[0].startsWith("arr=(")) parts[0] += " " + word(random, depth) + ")";
  }
  parts.push(pick(random, COMMANDS));
  for (let n = random(4); n > 0; n--) parts.push(word(random, depth));
  if (random(6) === 0) parts.push(pick(random, REDIRECTS));
  return parts.join(" ");
}

function command(random: Random, depth: number): string {
  if (depth <= 0) return simple(random, 0);
  const inner = () => list(random, depth - 1);
  switch (random(16)) {
    case 0:
      return `if ${inner()}; then ${inner()}; else ${inner()}; fi`;
    case 1:
      return `for i in ${word(random, depth)} x; do ${inner()}; done`;
    case 2:
      return `while ${inner()}; do ${inner()}; break; done`;
    case 3:
      return `case ${word(random, depth)} in ${
        pick(random, OPERANDS) || "z"
      }|a) ${inner()};; *) ${inner()};& esac`;
    case 4:
      return `{ ${inner()}; }`;
    case 5:
      return `(${inner()})`;
    case 6:
      return `f() { ${inner()}; }`;
    case 7:
      return `[[ ${word(random, depth)} ${pick(random, ["==", "!=", "=~", "-eq", "<", "-nt"])} ${
        word(random, depth)
      } ]]`;
    case 8:
      return `((${expression(random, depth)}))`;
    case 9:
      return `for ((i=0; i<${random(4)}; i++)); do ${inner()}; done`;
    case 10:
      return `coproc { ${inner()}; }`;
    default:
      return simple(random, depth);
  }
}

function list(random: Random, depth: number): string {
  let text = command(random, depth);
  for (let n = random(3); n > 0; n--) {
    text += pick(random, [" && ", " || ", "; ", "\n", " | ", " & "]) + command(random, depth);
  }
  return text;
}

function fromGrammar(random: Random): string {
  return "arr=(1 2); declare -A m=([k]=1)\n" + list(random, 1 + random(2));
}

const TOKENS = [
  ...WORDS,
  ...OPERATORS,
  ...REDIRECTS,
  "$(",
  "${",
  "((",
  "))",
  "[[",
  "]]",
  "`",
  "'",
  '"',
  "\\",
  "\n",
  "<<E\n",
  "E\n",
  ";;",
  "case",
  "esac",
  "if",
  "then",
  "fi",
  "do",
  "done",
  "while",
  "for",
  "in",
  "{",
  "}",
  "(",
  ")",
  "a[",
  "]",
  "x=(",
  "$'",
  " ",
  "!(",
  "@(",
  "\0",
  "\r",
  "\udcff",
  "😀",
  ":",
  "function",
  "time",
  "!",
  "coproc",
  "select",
  "&",
  "|&",
  "..",
];

function tokens(random: Random): string {
  let text = "";
  for (let n = 1 + random(30); n > 0; n--) {
    text += random(5) === 0
      ? String.fromCharCode(random(random(4) === 0 ? 0x300 : 0x80))
      : pick(random, TOKENS);
    if (random(3) === 0) text += " ";
  }
  return text;
}

function mangled(random: Random, scripts: readonly string[]): string {
  let text = pick(random, scripts);
  for (let n = 1 + random(5); n > 0; n--) {
    const at = random(text.length + 1);
    const end = Math.min(text.length, at + 1 + random(12));
    switch (random(5)) {
      case 0:
        text = text.slice(0, at) + text.slice(end);
        break;
      case 1:
        text = text.slice(0, end) + text.slice(at);
        break;
      case 2:
        text = text.slice(0, at) + pick(random, TOKENS) + text.slice(at);
        break;
      case 3:
        text = text.slice(0, at) + String.fromCharCode(random(128)) + text.slice(at + 1);
        break;
      default: {
        const other = pick(random, scripts);
        const from = random(other.length + 1);
        text = text.slice(0, at) + other.slice(from, from + random(20)) + text.slice(end);
      }
    }
  }
  return text;
}

interface Report {
  readonly n?: number;
  readonly text?: string;
  readonly counts?: Counts;
  readonly crashes?: readonly { readonly text: string; readonly error: string }[];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    args: Deno.args.filter((argument) => argument !== "--"),
    options: { seed: { type: "string" }, count: { type: "string", default: "200000" } },
  });
  const seed = Number(values.seed ?? crypto.getRandomValues(new Uint32Array(1))[0]);
  const count = Number(values.count);
  console.log(`seed ${seed}, ${count} texts`);
  const started = performance.now();
  // The text in work lies in shared memory, where it can be read while the worker is stuck.
  const shared = new SharedArrayBuffer(1 << 16);
  const worker = new Worker(import.meta.url, { type: "module" });
  const progress = new Int32Array(shared, 0, 2);
  let last = -1;
  let since = performance.now();
  const watch = setInterval(() => {
    const now = Atomics.load(progress, 0);
    if (now !== last) {
      last = now;
      since = performance.now();
    } else if (performance.now() - since > HANG_MS) {
      const bytes = new Uint8Array(shared, 8, Atomics.load(progress, 1)).slice();
      console.error(`hangs at text ${now}:\n${JSON.stringify(new TextDecoder().decode(bytes))}`);
      Deno.exit(1);
    }
  }, 500);
  worker.postMessage({ seed, count, shared });
  const report = await new Promise<Report>((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message));
  });
  clearInterval(watch);
  worker.terminate();
  const { parsed, refused, cancelled } = report.counts!;
  for (const { text, error } of report.crashes!.slice(0, 20)) {
    console.error(`crash: ${JSON.stringify(text)}\n${error}`);
  }
  console.log(
    `${count} texts in ${
      ((performance.now() - started) / 1000).toFixed(0)
    } s: ${parsed} parsed, ${refused} refused, ` +
      `${cancelled} cancelled, ${report.crashes!.length} crashes, 0 hangs`,
  );
  Deno.exit(report.crashes!.length === 0 ? 0 : 1);
}

/** The worker's side. */
function serve(scope: DedicatedWorkerGlobalScope): void {
  scope.onmessage = async (
    { data }: MessageEvent<{ seed: number; count: number; shared: SharedArrayBuffer }>,
  ) => {
    const progress = new Int32Array(data.shared, 0, 2);
    const bytes = new Uint8Array(data.shared, 8);
    const { counts, crashes } = await fuzz(data.seed, data.count, corpus(), (text, n) => {
      const encoded = new TextEncoder().encode(text).subarray(0, bytes.length);
      bytes.set(encoded);
      Atomics.store(progress, 1, encoded.length);
      Atomics.store(progress, 0, n);
    });
    scope.postMessage({
      counts,
      crashes: crashes.map(({ text, error }) => ({
        text,
        error: error instanceof Error ? `${error.stack}` : `${error}`,
      })),
    });
  };
}

if (import.meta.main && typeof WorkerGlobalScope === "undefined") await main();
else if (typeof WorkerGlobalScope !== "undefined" && self instanceof WorkerGlobalScope) {
  serve(self as unknown as DedicatedWorkerGlobalScope);
}
