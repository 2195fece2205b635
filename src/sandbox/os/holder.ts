/**
 * The holder: a process that does nothing but keep the namespaces that all
 * programs of a session share, so that a server which one command has started
 * answers the next one. Its end ends every process in them.
 *
 * What is shared: processes, network, messages, names. What is not: the view
 * of the disk. Each program gets its own, made from what stands there when it
 * starts: a mount that has been made before says nothing of a protected file
 * that was replaced since.
 *
 * Root's namespaces belong to the machine's user namespace. An ordinary user's
 * belong to an *outer* user namespace, in which that user may join them and
 * make mounts, and programs run in an *inner* one, where they may do neither
 * and have their user's own number. bubblewrap alone makes both at once and
 * leaves nobody in the outer one, so that nobody could join: here the holder
 * stays in it.
 *
 * The holder sees only the system's programs: what shares its processes can
 * look at the disk through them (`/proc/1/root`).
 */
import { children, hasEnded, isDying, namespaceOf } from "./processes.ts";
import { exists } from "./places.ts";
import { FILTER_ARGUMENTS, FILTER_FD, withFilter } from "./filter_file.ts";
import { quote, WRAPPER_ENV } from "./launch.ts";
import { machineMounts } from "./mounts.ts";
import { keptCapabilities, mountScript } from "./unshare.ts";

/** Descriptors with which bubblewrap is told what to join. */
const PROCESSES_FD = 8;
const USER_FD = 7;
/** Descriptors that are open in what runs behind the holder and must reach no program. */
export const HOLDER_FDS: readonly number[] = [PROCESSES_FD, USER_FD, FILTER_FD];

/** Where programs and their libraries are. */
const SYSTEM = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/nix/store",
  "/gnu/store",
  "/etc/alternatives",
];

/** Some of the small tools lie in the folders of the administrator. */
const TOOL_PATH = "/usr/bin:/bin:/usr/sbin:/sbin";

/** Milliseconds until a holder that says nothing is given up. */
const PATIENCE = 5000;

/** Where the system's tools lie. Without `bwrap` those of util-linux do its work. */
interface HolderTools {
  readonly bwrap?: string;
  readonly nsenter: string;
  readonly unshare: string;
}

/** Which tools make the namespaces, and for whom. */
export interface HolderOptions {
  readonly tools: HolderTools;
  readonly uid: number;
  readonly gid: number;
  /** Arguments of bubblewrap that make the namespaces. */
  readonly namespaces: readonly string[];
  /** Where bubblewrap's filter of system calls can be opened; without one there is none. */
  readonly filter?: string;
}

/** A process that keeps namespaces alive for the programs that join them. */
export interface Holder {
  /** Whether it still is what was started: a number may belong to somebody else by now. */
  lives(): boolean;
  /** What bubblewrap has to be told instead of making namespaces. */
  readonly joins: readonly string[];
  /** The command that does in the shared namespaces what bubblewrap does for its arguments and the command behind them. */
  enter(words: readonly string[]): readonly string[];
  /** The command that starts a program of this process's own choice in the shared network, outside of all else. */
  inNetwork(argv: readonly string[]): readonly string[];
  /** Whether nothing but the holder is in there. */
  alone(): boolean;
  kill(): void;
  /** Ends it and everything in it. */
  end(): Promise<void>;
}

/** Starts one; throws an error that says why it does not work. */
export async function startHolder(options: HolderOptions): Promise<Holder> {
  const { tools, uid, gid } = options;
  const root = uid === 0;
  const wait = "echo ready >&2; exec cat >/dev/null 2>&1";
  const inner = root ? [] : [tools.unshare, "--user", `--map-user=${uid}`, `--map-group=${gid}`];
  const outer = root ? [] : ["--user", "--map-root-user"];
  const view = [...systemMounts(), "--dev", "/dev", "--proc", "/proc", "--chdir", "/"];
  const filter = tools.bwrap === undefined ? undefined : options.filter;
  const filterArguments = filter === undefined ? [] : FILTER_ARGUMENTS;
  const bwrap = [
    ...(root ? [] : [tools.unshare, ...outer]),
    tools.bwrap ?? "",
    ...["--die-with-parent", "--new-session", ...options.namespaces, "--info-fd", "1", ...view],
    // What could be traced by a program must not be able to do more than it.
    ...filterArguments,
    // To make the inner user namespace out of the outer one's root.
    ...["--cap-drop", "ALL", ...(root ? [] : ["--cap-add", "CAP_SETFCAP"])],
    ...["--", ...inner, "/bin/sh", "-c", wait],
  ];
  const small = [
    ...[tools.unshare, ...outer, "--mount", "--fork", "--kill-child", ...options.namespaces.map(withoutUn)],
    ...["/bin/sh", "-c", holdScript(view, inner, wait)],
  ];
  const [program, ...args] = tools.bwrap === undefined
    ? small
    : filter === undefined
    ? bwrap
    : withFilter(filter, bwrap);
  const process = new Deno.Command(program, {
    args,
    cwd: "/",
    clearEnv: true,
    env: { ...WRAPPER_ENV, PATH: TOOL_PATH },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    detached: true,
  }).spawn();
  const kill = () => {
    try {
      process.kill("SIGKILL");
    } catch {
      // It has ended.
    }
  };
  const end = async () => {
    process.ref();
    kill();
    await process.status;
    await process.stdin.close().catch(() => {/* nobody reads any more */});
  };
  try {
    const info = await firstWords(process, kill, tools.bwrap !== undefined);
    // bubblewrap tells; otherwise it is the only child.
    const first = info === "" ? children(process.pid)[0] : Number(/"child-pid":\s*(\d+)/.exec(info)?.[1]);
    const [inner] = children(first);
    const kinds = ["net", "pid", "ipc", "uts"] as const;
    const names = kinds.map((kind) => namespaceOf(first, kind));
    const user = inner === undefined ? undefined : namespaceOf(inner, "user");
    if (!(first > 0) || names.includes(undefined) || user === undefined) {
      throw new Error("it cannot be looked at");
    }
    // It ends with this process, and does not keep it from ending.
    process.unref();
    let ended = false;
    void process.status.then(() => ended = true);
    const known = names.join();
    const join = (wanted: readonly string[]): string[] => [
      tools.nsenter,
      ...(root ? [] : ["--preserve-credentials", `--user=/proc/${process.pid}/ns/user`]),
      ...wanted.map((kind) => `--${kind}=/proc/${first}/ns/${kind}`),
      "--",
    ];
    return {
      lives: () =>
        !ended && !isDying(inner) && kinds.map((kind) => namespaceOf(first, kind)).join() === known &&
        namespaceOf(inner, "user") === user,
      joins: tools.bwrap === undefined ? [] : root ? [...filterArguments, "--pidns", String(PROCESSES_FD)] : [
        ...filterArguments,
        ...["--pidns", String(PROCESSES_FD), "--userns2", String(USER_FD), "--cap-drop", "ALL"],
      ],
      enter: (words) => [
        "/bin/sh",
        "-c",
        `exec "$0" "$@" ${PROCESSES_FD}</proc/${first}/ns/pid` +
        (root ? "" : ` ${USER_FD}</proc/${inner}/ns/user`) +
        (filter === undefined ? "" : ` ${FILTER_FD}<${filter}`),
        ...join(tools.bwrap === undefined ? [...kinds] : ["net", "ipc", "uts"]),
        ...(tools.bwrap === undefined ? byMounts(tools, root, words) : [tools.bwrap, ...words]),
      ],
      inNetwork: (argv) => [...join(["net"]), ...argv],
      alone: () => isAlone(first),
      kill,
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

const withoutUn = (word: string) => word.replace(/^--unshare-/, "--");

/** Builds the view, brings the loopback up, and stays as the first process, which collects those that nobody else does. */
function holdScript(view: readonly string[], inner: readonly string[], wait: string): string {
  return [
    "ip link set lo up 2>/dev/null || ifconfig lo up 2>/dev/null || :",
    mountScript(view, machineMounts()),
    // In the background it would read nothing.
    "exec 3<&0",
    `${inner.map(quote).join(" ")} /bin/sh -c ${quote(wait)} <&3 3<&- &`,
    "exec 3<&- >/dev/null 2>&1",
    "wait",
  ].join("\n");
}

/** What stands in for bubblewrap and its arguments, in the shared namespaces. */
function byMounts(tools: HolderTools, root: boolean, words: readonly string[]): string[] {
  const cut = words.indexOf("--");
  const args = words.slice(0, cut);
  const drop = ["setpriv", "--no-new-privs", "--pdeathsig", "KILL"];
  const last = root
    ? [...drop, "--inh-caps=-all", `--bounding-set=${keptCapabilities(args)}`, "--"]
    : [...["nsenter", "--preserve-credentials", `--user=/proc/self/fd/${USER_FD}`, "--", ...drop, "--"]];
  const script = [
    `PATH=${TOOL_PATH}`,
    mountScript(args, machineMounts()),
    "unset OLDPWD",
    `exec ${[...last, "setsid"].join(" ")} "$@"`,
  ].join("\n");
  return [tools.unshare, "--mount", "/bin/sh", "-c", script, "sh", ...words.slice(cut + 1)];
}

/** What it tells of itself, once all is there; throws its complaint instead. */
async function firstWords(process: Deno.ChildProcess, kill: () => void, tells: boolean): Promise<string> {
  const timer = setTimeout(kill, PATIENCE);
  const [info, words] = [process.stdout.getReader(), process.stderr.getReader()];
  try {
    const said = await readUntil(words, "ready\n");
    // bubblewrap closes what it has told this through.
    if (said.endsWith("ready\n")) return tells ? await readUntil(info) : "";
    throw new Error(said.trim().split("\n").at(-1) || "it ended at once");
  } finally {
    clearTimeout(timer);
    for (const reader of [info, words]) await reader.cancel().catch(() => {/* it is over */});
  }
}

/** Everything up to the end, or up to where `word` has come. */
async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, word?: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  while (word === undefined || !text.includes(word)) {
    const { value, done } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  return text;
}

/** Links stay links: with them, `/bin` is a folder of `/usr` on most systems. */
function systemMounts(): string[] {
  return SYSTEM.flatMap((path) => {
    if (exists(path) === undefined) return [];
    const info = Deno.lstatSync(path);
    return info.isSymlink ? ["--symlink", Deno.readLinkSync(path), path] : ["--ro-bind", path, path];
  });
}

/** Its own processes are numbers 1 and 2 there; one that is over and waits to be collected is nobody. Where nothing can be seen, somebody may be there. */
function isAlone(first: number): boolean {
  try {
    const proc = `/proc/${first}/root/proc`;
    return Array.from(Deno.readDirSync(proc), ({ name }) => Number(name))
      .every((number) => !(number > 2) || hasEnded(number, proc));
  } catch {
    return false;
  }
}
