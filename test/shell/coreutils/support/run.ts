/**
 * Runs a utility on real files in a temporary folder, and the machine's own
 * program of the same name beside it, to compare what they print, how they
 * end and what they leave behind.
 */
import { assertEquals } from "@std/assert";
import { coreutils } from "../../../../src/shell/coreutils/mod.ts";
import {
  Interrupted,
  type Output,
  UnsupportedOption,
  type UtilityContext,
} from "../../../../src/shell/builtin.ts";
import {
  type ByteSink,
  type ByteSource,
  HostError,
  type HostFs,
  type ShellHost,
} from "../../../../src/shell/host.ts";
import { realFs } from "../../../../src/sandbox/host_real.ts";
import { decodeBytes, encodeBytes } from "../../../../src/lib/text/bytes.ts";

export interface Row {
  readonly argv: readonly string[];
  readonly stdin?: string;
  /** Contents of files; a name that ends in `/` is a folder, `-> x` a link. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Lines of stdout come in any order. */
  readonly unordered?: boolean;
  /** Compare the texts on stderr too (default true). */
  readonly messages?: boolean;
}

export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number;
  /** What is in the folder afterwards. */
  readonly tree?: Record<string, string>;
}

class Collected implements Output {
  chunks: Uint8Array[] = [];
  write(bytes: Uint8Array): void {
    this.chunks.push(bytes.slice());
  }
  print(text: string): void {
    this.chunks.push(encodeBytes(text));
  }
  flush(): void {}
  close(): void {}
  get text(): string {
    return decodeBytes(concat(this.chunks));
  }
}

function concat(chunks: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
}

/** A source over bytes that hands out pieces of at most `piece` bytes, as a pipe may. */
export function sourceOf(text: string, piece = 65_536): ByteSource {
  const bytes = encodeBytes(text);
  let at = 0;
  return {
    read(into) {
      const part = bytes.subarray(at, at + Math.min(piece, into.length));
      into.set(part);
      at += part.length;
      return part.length;
    },
    close() {},
  };
}

const host: ShellHost = {
  platform: "linux",
  fs: realFs,
  now: () => performance.timeOrigin + performance.now(),
  cpuTimes: () => [0, 0],
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    }),
  random: (into) => void crypto.getRandomValues(into as Uint8Array<ArrayBuffer>),
  user: { uid: Deno.uid() ?? 0, gid: Deno.gid() ?? 0, name: "root", groups: [Deno.gid() ?? 0] },
  hostname: Deno.hostname(),
  system: { sysname: "Linux", release: Deno.osRelease(), version: "#1", machine: Deno.build.arch },
  processors: navigator.hardwareConcurrency,
  pid: Deno.pid,
  ppid: Deno.ppid,
  tempDir: "/tmp",
  cancelled: () => false,
};

export interface RunOptions {
  readonly cwd: string;
  readonly stdin?: string | ByteSource;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdout?: ByteSink;
  readonly stderr?: ByteSink;
  readonly piece?: number;
  /** Operations on files that are not the real ones. */
  readonly fs?: Partial<HostFs>;
  /** Called where the utility would look whether it has to end. */
  readonly poll?: () => void;
}

const BASE_ENV = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC", HOME: "/root" };

/** Runs a utility of ours. */
export async function run(argv: readonly string[], options: RunOptions): Promise<Outcome> {
  const utility = coreutils.find(({ name }) => name === argv[0]);
  if (!utility) throw new Error(`no utility ${argv[0]}`);
  const stdout = new Collected(), stderr = new Collected();
  const env = new Map(Object.entries({ ...BASE_ENV, PWD: options.cwd, ...options.env }));
  const path = (argument: string) =>
    normal(argument.startsWith("/") ? argument : `${options.cwd}/${argument}`);
  const stdin = typeof options.stdin === "object"
    ? options.stdin
    : sourceOf(options.stdin ?? "", options.piece);
  const context: UtilityContext = {
    name: argv[0],
    args: argv.slice(1),
    cwd: options.cwd,
    env,
    host,
    fs: options.fs === undefined ? realFs : { ...realFs, ...options.fs },
    stdin,
    stdout,
    stderr,
    umask: 0o022,
    path,
    open: (argument) =>
      argument === "-" || argument === "/dev/stdin" ? stdin : realFs.open(path(argument), { read: true }),
    create: (argument, how = {}) => {
      if (argument === "/dev/stdout") return stdout;
      if (argument === "/dev/stderr") return stderr;
      return realFs.open(path(argument), {
        write: true,
        create: true,
        append: how.append ?? false,
        truncate: !how.append,
        exclusive: how.exclusive ?? false,
        mode: 0o644,
      });
    },
    poll: options.poll ?? (() => {}),
    rest: () => options.poll?.(),
    signal: new AbortController().signal,
    run: (inner, how = {}) =>
      runInner(inner, { cwd: options.cwd, env: Object.fromEntries(env), stdin, stdout, stderr }, how),
  };
  let status: number;
  try {
    status = await utility.run(context);
  } catch (error) {
    if (error instanceof UnsupportedOption) {
      stderr.print(`${argv[0]}: ${error.message}\n`);
      status = 2;
    } else if (error instanceof Interrupted) status = error.reason === "pipe" ? 141 : 130;
    else if (error instanceof HostError) {
      stderr.print(`${argv[0]}: ${error.path ? error.path + ": " : ""}${error.message}\n`);
      status = 1;
    } else throw error;
  }
  return { stdout: stdout.text, stderr: stderr.text, status };
}

interface Inherited {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly stdin: ByteSource;
  readonly stdout: ByteSink;
  readonly stderr: ByteSink;
}

/** What a utility starts: the machine's program, with its output passed on. */
async function runInner(
  argv: readonly string[],
  inherited: Inherited,
  how: Parameters<UtilityContext["run"]>[1],
): Promise<number> {
  const env = how?.env ? Object.fromEntries(how.env) : inherited.env;
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(argv[0], {
      args: argv.slice(1),
      cwd: how?.cwd ?? inherited.cwd,
      env,
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  } catch {
    await (how?.stderr ?? inherited.stderr).write(encodeBytes(`${argv[0]}: command not found\n`));
    return 127;
  }
  how?.signal?.addEventListener(
    "abort",
    () => child.kill(typeof how.signal!.reason === "string" ? how.signal!.reason as Deno.Signal : "SIGTERM"),
  );
  how?.kill?.addEventListener("abort", () => child.kill("SIGKILL"));
  const writer = child.stdin.getWriter();
  // A given source is read to its end; the utility's own stdin is left to the utility.
  const feed = async () => {
    const input = new Uint8Array(65_536);
    for (let got = 1; how?.stdin && got > 0;) {
      got = await how.stdin.read(input);
      if (got > 0) await writer.write(input.slice(0, got)).catch(() => {});
    }
    await writer.close().catch(() => {});
  };
  const fed = feed();
  const output = await child.output();
  await fed;
  await (how?.stdout ?? inherited.stdout).write(output.stdout);
  await (how?.stderr ?? inherited.stderr).write(output.stderr);
  return output.signal
    ? 128 + ({ SIGTERM: 15, SIGKILL: 9, SIGINT: 2, SIGHUP: 1 } as Record<string, number>)[output.signal]
    : output.code;
}

function normal(path: string): string {
  const out: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") out.pop();
    else if (part !== "" && part !== ".") out.push(part);
  }
  return "/" + out.join("/");
}

/** Runs the machine's program. */
export async function runHost(argv: readonly string[], options: RunOptions): Promise<Outcome> {
  const child = new Deno.Command(argv[0], {
    args: argv.slice(1),
    cwd: options.cwd,
    env: { ...BASE_ENV, PWD: options.cwd, ...options.env },
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const fed = writer.write(encodeBytes(typeof options.stdin === "string" ? options.stdin : "")).then(() =>
    writer.close()
  ).catch(() => {});
  const output = await child.output();
  await fed;
  return { stdout: decodeBytes(output.stdout), stderr: decodeBytes(output.stderr), status: output.code };
}

/** Makes a temporary folder with files, hands it to `use`, and removes it. */
export async function inFolder<T>(
  files: Readonly<Record<string, string>>,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await Deno.makeTempDir({ prefix: "coreutils-" });
  try {
    let age = 0;
    for (const [name, content] of Object.entries(files)) {
      const path = `${folder}/${name}`;
      await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
      if (name.endsWith("/")) await Deno.mkdir(path, { recursive: true });
      else if (content.startsWith("-> ")) await Deno.symlink(content.slice(3), path);
      else {
        await Deno.writeFile(path, encodeBytes(content));
        const time = new Date(Date.UTC(2024, 0, 1) + 1000 * age++);
        await Deno.utime(path, time, time);
      }
    }
    return await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function snapshot(
  folder: string,
  prefix = "",
  out: Record<string, string> = {},
): Promise<Record<string, string>> {
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    const name = prefix + entry.name;
    const info = await Deno.lstat(path);
    const mode = ((info.mode ?? 0) & 0o7777).toString(8);
    if (entry.isSymlink) out[name] = `-> ${await Deno.readLink(path)}`;
    else if (entry.isDirectory) {
      out[name + "/"] = mode;
      await snapshot(path, name + "/", out);
    } else if (entry.isFile) out[name] = `${mode} ${decodeBytes(await Deno.readFile(path))}`;
  }
  return out;
}

/** One row on one side. */
export async function outcome(row: Row, side: typeof run): Promise<Outcome> {
  return await inFolder(row.files ?? {}, async (folder) => {
    const result = await side(row.argv, {
      cwd: folder,
      stdin: row.stdin ?? "",
      ...(row.env ? { env: row.env } : {}),
    });
    const clean = (text: string) =>
      text.replaceAll(folder, "FOLDER").replaceAll(`/usr/bin/${row.argv[0]}`, row.argv[0]);
    const tree = await snapshot(folder);
    const stdout = clean(result.stdout);
    return {
      stdout: row.unordered ? stdout.split("\n").sort().join("\n") : stdout,
      stderr: row.messages === false ? "" : clean(result.stderr),
      status: result.status,
      tree: Object.fromEntries(Object.entries(tree).sort(([a], [b]) => a < b ? -1 : 1)),
    };
  });
}

/** A test per row: ours must do what the machine's program does. */
export function compareRows(rows: readonly Row[]): void {
  const seen = new Map<string, number>();
  for (const row of rows) {
    const base = row.argv.map((arg) => /^[\w@%+=:,.\/-]+$/.test(arg) ? arg : JSON.stringify(arg)).join(" ")
      .slice(0, 100);
    const count = (seen.get(base) ?? 0) + 1;
    seen.set(base, count);
    Deno.test(`like GNU: ${base}${count > 1 ? ` #${count}` : ""}`, async () => {
      // Messages differ between locales, and so may characters.
      for (const locale of ["C", "C.UTF-8"]) {
        const here = { ...row, env: { LC_ALL: locale, ...row.env } };
        const want = await outcome(here, runHost);
        assertEquals(await outcome(here, run), want, locale);
      }
    });
  }
}
