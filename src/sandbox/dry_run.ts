/**
 * Works a script's words out as the shell would (`x=push; git $x` comes out as
 * `git push`), to explain it beforehand. Only what concerns the shell alone
 * runs; every other command is refused and noted, nothing is written, and
 * a short time ends it. What depends on what a refused command would have said
 * or done comes out otherwise in a real run.
 */
import { HostError, type HostFs, type ShellHost } from "../shell/host.ts";
import { isDevice, openDevice, statDevice } from "./devices.ts";

/** Commands that do nothing outside of the shell. */
const INNER = new Set(
  (": true false [ test break continue return exit export set shift local declare typeset readonly unset " +
    "getopts let printf echo read mapfile readarray shopt alias unalias eval command builtin basename dirname " +
    "seq tr").split(" "),
);

/** Milliseconds that it may take: whoever asks waits for it. */
const PATIENCE = 300;
/** Commands that are noted; a loop meets the same ones over and over. */
const MOST = 100;

/** `host`: nothing of it is written to, no program of it is started. */
interface DryRunOptions {
  readonly host: ShellHost;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The argument vectors that a script comes to, in order, each once; functions are told by what they run. */
export async function commandsMet(script: string, options: DryRunOptions): Promise<string[][]> {
  const { createShell } = await import("../shell/mod.ts");
  const { host, cwd, env } = options;
  const end = performance.now() + PATIENCE;
  const met = new Map<string, string[]>();
  const isOver = () => met.size >= MOST || performance.now() > end;
  const quiet = { write() {}, close() {} };
  const shell = createShell({
    host: {
      ...host,
      fs: looking(host.fs),
      spawn() {
        throw new HostError("EPERM");
      },
      kill() {
        throw new HostError("EPERM");
      },
      sleep: () => Promise.resolve(),
      cancelled: isOver,
    },
    cwd,
    env,
    stdout: quiet,
    stderr: quiet,
    gate({ argv, kind }) {
      if (argv.length === 0 || kind === "function") return { allow: true };
      if (met.size < MOST) met.set(JSON.stringify(argv), [...argv]);
      return (kind === "builtin" || kind === "utility") && INNER.has(argv[0])
        ? { allow: true }
        : { allow: false, reason: "only looked at" };
    },
  });
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), PATIENCE);
  try {
    await shell.run(script, { signal: over.signal });
  } finally {
    clearTimeout(timer);
    shell.close();
  }
  return [...met.values()];
}

/** A file system that shows plain files and changes none. */
function looking(fs: HostFs): HostFs {
  const refuse = (): never => {
    throw new HostError("EROFS");
  };
  return {
    stat: (path) => isDevice(path) ? statDevice(path) : fs.stat(path),
    lstat: (path) => isDevice(path) ? statDevice(path) : fs.lstat(path),
    readLink: (path) => fs.readLink(path),
    realPath: (path) => fs.realPath(path),
    readDir: (path) => fs.readDir(path),
    access: (path, mode) => mode !== "w" && fs.access(path, mode),
    open(path, wanted) {
      if (isDevice(path)) return openDevice(path);
      const changes = wanted.write || wanted.append || wanted.truncate || wanted.create;
      // Opening a named pipe may wait for ever.
      if (changes || fs.stat(path).kind !== "file") refuse();
      return fs.open(path, wanted);
    },
    mkdir: refuse,
    unlink: refuse,
    rmdir: refuse,
    rename: refuse,
    link: refuse,
    symlink: refuse,
    chmod: refuse,
    chown: refuse,
    utime: refuse,
    truncate: refuse,
  };
}
