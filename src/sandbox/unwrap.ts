/**
 * Looks through commands that only run another command (`env X=1 git push`,
 * `timeout 5 git push`, `find … -exec`, a foreign shell's `-c`), so that rules
 * meet the command that is meant. What runs inside our own shell is judged
 * when it really runs; this is for external programs and for explanations.
 */
import { isUnclearGit } from "./git_words.ts";
import { scriptCommands } from "./script_commands.ts";
import { kindFor } from "./variables.ts";

/** Options that take the next word, by wrapper; `operands`: words before the command. */
const WRAPPERS: Readonly<Record<string, { readonly values: readonly string[]; readonly operands: number }>> =
  {
    env: { values: ["-u", "-C", "-S", "--unset", "--chdir"], operands: 0 },
    time: { values: ["-o", "-f"], operands: 0 },
    timeout: { values: ["-k", "-s", "--kill-after", "--signal"], operands: 1 },
    nohup: { values: [], operands: 0 },
    nice: { values: ["-n", "--adjustment"], operands: 0 },
    ionice: { values: ["-c", "-n", "-p"], operands: 0 },
    chrt: { values: ["-T", "-P", "-D"], operands: 1 },
    taskset: { values: [], operands: 1 },
    setsid: { values: [], operands: 0 },
    setarch: { values: [], operands: 0 },
    linux32: { values: [], operands: 0 },
    linux64: { values: [], operands: 0 },
    i386: { values: [], operands: 0 },
    x86_64: { values: [], operands: 0 },
    prlimit: { values: ["-p", "--pid", "-o", "--output"], operands: 0 },
    choom: { values: ["-n", "--adjust", "-p", "--pid"], operands: 0 },
    uclampset: { values: ["-m", "-M", "-p", "--pid"], operands: 0 },
    fakeroot: { values: ["-l", "-s", "-i", "-b"], operands: 0 },
    "dbus-run-session": { values: [], operands: 0 },
    "xvfb-run": { values: ["-e", "-f", "-n", "-p", "-s", "-w"], operands: 0 },
    "systemd-run": { values: ["-p", "-u", "-E", "-t", "-M", "-H"], operands: 0 },
    nsenter: { values: ["-t", "--target", "-S", "--setuid", "-G", "--setgid"], operands: 0 },
    setpriv: { values: ["--reuid", "--regid", "--groups", "--inh-caps", "--ambient-caps"], operands: 0 },
    stdbuf: { values: ["-i", "-o", "-e"], operands: 0 },
    unbuffer: { values: [], operands: 0 },
    logsave: { values: [], operands: 1 },
    command: { values: [], operands: 0 },
    exec: { values: ["-a"], operands: 0 },
    builtin: { values: [], operands: 0 },
    sudo: { values: ["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T"], operands: 0 },
    doas: { values: ["-u", "-C"], operands: 0 },
    runuser: { values: ["-u", "-g", "-G"], operands: 0 },
    xargs: { values: ["-I", "-n", "-P", "-L", "-d", "-E", "-a", "-s"], operands: 0 },
    parallel: { values: ["-j", "-n", "-N", "-I", "-a"], operands: 0 },
    flock: { values: ["-w", "-E"], operands: 1 },
    watch: { values: ["-n", "--interval"], operands: 0 },
    chroot: { values: [], operands: 1 },
    unshare: { values: [], operands: 0 },
    strace: { values: ["-o", "-e", "-p", "-s"], operands: 0 },
    ltrace: { values: ["-o", "-e", "-p", "-s"], operands: 0 },
    busybox: { values: [], operands: 0 },
    toybox: { values: [], operands: 0 },
  };

/**
 * Programs that run another one and do more than that by their own options (a
 * debugger's commands): a rule that forbids looks through them, one that allows
 * the other program does not mean them.
 */
const SUPERVISORS: typeof WRAPPERS = {
  perf: { values: ["-o", "-e", "-p", "-t", "-F", "-c", "-C"], operands: 1 },
  valgrind: { values: [], operands: 0 },
  gdb: { values: ["-x", "-ex", "-iex", "-p", "-d"], operands: 0 },
  lldb: { values: ["-o", "-s", "-O", "-S", "-p"], operands: 0 },
  rr: { values: [], operands: 1 },
  rlwrap: { values: ["-a", "-b", "-f", "-H", "-l", "-s", "-z", "-C"], operands: 0 },
  faketime: { values: [], operands: 1 },
  cpulimit: { values: ["-l", "-p", "-e", "--limit"], operands: 0 },
  numactl: { values: ["-N", "-m", "-C", "-i", "-p"], operands: 0 },
  proxychains: { values: ["-f"], operands: 0 },
  proxychains4: { values: ["-f"], operands: 0 },
  torsocks: { values: [], operands: 0 },
  tini: { values: ["-p", "-e"], operands: 0 },
  "dumb-init": { values: ["-r", "--rewrite"], operands: 0 },
  pkexec: { values: ["--user"], operands: 0 },
  chpst: { values: ["-u", "-U", "-b", "-e", "-/", "-n", "-l", "-L", "-m", "-d", "-o", "-p"], operands: 0 },
  daemonize: { values: ["-c", "-e", "-o", "-p", "-l", "-u"], operands: 0 },
  firejail: { values: [], operands: 0 },
  direnv: { values: [], operands: 2 },
  entr: { values: [], operands: 0 },
  "dbus-launch": { values: [], operands: 0 },
};

/** What they would run is known to them alone, or stands where only they find it. */
const UNCLEAR = new Set(["run-parts", "start-stop-daemon", "bwrap", "expect"]);

const SHELLS = new Set(["sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh"]);

/** The options of a program whose value is a command that it gives to a shell. */
interface TextOptions {
  /** Long ones, by their whole names: programs take any beginning that is enough to tell. */
  readonly long?: readonly string[];
  /** Short ones, alone or behind others in one word; what stands behind it, else the next word, is the value. */
  readonly short?: RegExp;
  /** In the value, before the command. */
  readonly before?: RegExp;
  /** A cluster of letters, the first word of old-style tar too, after which any word may be the command. */
  readonly cluster?: RegExp;
}

const PROXY: TextOptions = { short: /^(?:-o)?(?:ProxyCommand|LocalCommand|KnownHostsCommand)(?=[= ])/i };
const LOGIN: TextOptions = { long: ["--command", "--session-command"], short: /^-[flmpP]*c/ };

const TEXT_OPTIONS: Readonly<Record<string, TextOptions>> = {
  split: { long: ["--filter"] },
  tar: {
    long: [
      "--to-command",
      "--checkpoint-action",
      "--info-script",
      "--new-volume-script",
      "--use-compress-program",
      "--rsh-command",
      "--rmt-command",
    ],
    before: /^exec=/,
    cluster: /^-?[A-Za-z]*[IF]/,
  },
  sort: { long: ["--compress-program"] },
  rsync: { long: ["--rsh", "--rsync-path"], short: /^-[A-Za-z]*e/ },
  man: { long: ["--pager", "--html"], short: /^-[PH]/ },
  script: { long: ["--command"], short: /^-[aefqt]*c/ },
  su: LOGIN,
  runuser: LOGIN,
  watch: { short: /^\S+ / },
  hyperfine: { short: /^\S+ / },
  sg: { short: /^(?:-c|\S+ )/ },
  capsh: { short: /^-c/ },
  "nix-shell": { long: ["--run", "--command"] },
  rg: { long: ["--pre"] },
  zip: { long: ["--unzip-command"], short: /^-TT/ },
  ssh: PROXY,
  scp: { short: new RegExp(`${PROXY.short!.source}|^-S`, "i") },
};

/** Names of the dynamic linker, which runs the program that it is given. */
const LINKER = /^ld(?:\.so|-[\w.-]+\.so(?:\.\d+)?)$/;
/** What `setarch` may be told before its options. */
const ARCHITECTURE =
  /^(?:linux(?:32|64)|uname26|x86_64|athlon|i[3-6]86|aarch64|arm\w*|ppc\w*|s390x?|sparc\w*|mips\w*|ia64|alpha\w*|parisc\w*|riscv\w*|loongarch\w*)$/;

/** A command with what it starts in turn, as far as its words tell. */
export interface Unwrapped {
  /** The vector itself, then what it runs, and so on; the last is the command that is meant. */
  readonly vectors: readonly (readonly string[])[];
  /** Commands inside a text or behind `-exec`. */
  readonly inside: readonly (readonly string[])[];
  /** The last vector is not the command that is meant: that stands in a text that a shell is to run, a split string. */
  readonly opaque: boolean;
  /** Not even a look into such a text tells all that would run. */
  readonly unclear: boolean;
}

const NONE: readonly (readonly string[])[] = [];
const DEPTH = 16;

/** The chain of commands that an argument vector leads to. */
export function unwrap(argv: readonly string[], depth = 0): Unwrapped {
  const vectors: (readonly string[])[] = [argv];
  let current = argv;
  for (; depth < DEPTH; depth++) {
    const name = (current[0] ?? "").slice((current[0] ?? "").lastIndexOf("/") + 1);
    if (SHELLS.has(name)) return current.length > 1 ? shell(vectors, current, depth) : simple(vectors);
    if (name === "find") return find(vectors, current, depth);
    if (name === "git") return git(vectors, current, []);
    // `/usr/lib/git-core/git-push`.
    if (/^git-\w/.test(name)) {
      const spelled = ["git", name.slice("git-".length), ...current.slice(1)];
      return git(vectors, spelled, [spelled]);
    }
    if (UNCLEAR.has(name)) return { vectors, inside: NONE, opaque: true, unclear: true };
    if (name === "fd" || name === "fdfind") {
      const at = current.findIndex((arg) => /^(-x|-X|--exec|--exec-batch)$/.test(arg));
      return { vectors, opaque: false, ...nested(at < 0 ? [] : [current.slice(at + 1)], depth, false) };
    }
    if (Object.hasOwn(SUPERVISORS, name)) {
      const inner = innerOf(current, name, SUPERVISORS[name]);
      return { vectors, opaque: false, ...nested(inner.length === 0 ? [] : [inner], depth, false) };
    }
    const texts = Object.hasOwn(TEXT_OPTIONS, name) ? textsOf(current, TEXT_OPTIONS[name]) : [];
    if (texts.length > 0) {
      const found = texts.map((text) => scriptCommands(text));
      const unclear = found.some((one) => one.unclear);
      return { vectors, opaque: false, ...nested(found.flatMap((one) => one.vectors), depth, unclear) };
    }
    const wrapper = wrapperOf(name, current);
    if (!wrapper) return simple(vectors);
    if (name === "env" && current.some((arg) => arg.startsWith("-S") || arg.startsWith("--split-string"))) {
      return { vectors, inside: NONE, opaque: true, unclear: true };
    }
    const inner = innerOf(current, name, wrapper);
    if (inner.length === 0) return simple(vectors);
    // `flock FILE -c TEXT`: what stands before the text is no wrapper's option.
    if (name === "flock" && current.slice(1, -inner.length).some((arg) => /^(-c|--command)$/.test(arg))) {
      const found = scriptCommands(inner[0]);
      return { vectors, opaque: true, ...nested(found.vectors, depth, found.unclear) };
    }
    vectors.push(inner);
    // `env GIT_PAGER='git push' git log`: our own env hands it on, and it is judged then.
    const set = current.slice(1, -inner.length).filter((arg) => /^[A-Za-z_]\w*=/.test(arg));
    if (set.length > 0) {
      const given = givenTo(set, inner[0]);
      if (given.unclear || given.inside.length > 0) {
        const rest = unwrap(inner, depth + 1);
        return {
          vectors: [...vectors, ...rest.vectors.slice(1)],
          inside: [...given.inside, ...rest.inside],
          opaque: rest.opaque,
          unclear: given.unclear || rest.unclear,
        };
      }
    }
    current = inner;
  }
  return { vectors, inside: NONE, opaque: true, unclear: true };
}

/** What assignments before a command make it run. */
function givenTo(
  assignments: readonly string[],
  program: string,
): Pick<Unwrapped, "inside" | "unclear"> {
  const inside: (readonly string[])[] = [];
  let unclear = false;
  for (const text of assignments) {
    const cut = text.indexOf("=");
    const value = text.slice(cut + 1);
    const kind = kindFor({ name: text.slice(0, cut), value }, [program.slice(program.lastIndexOf("/") + 1)]);
    if (kind === "command") {
      const found = unwrapText(value);
      inside.push(...found.inside);
      unclear ||= found.unclear;
    } else unclear ||= kind === "code" || kind === "settings";
  }
  return { inside, unclear };
}

/** Where programs of the system are: what else is named by its path may be a script that runs anything. */
const SYSTEM_PROGRAM = /^(?:[^/]+|\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+|\/usr\/lib\/[^.]+)$/;

/** The commands of a value that a program gives to a shell, or takes for a program's path. */
export function unwrapText(text: string): Pick<Unwrapped, "inside" | "unclear"> {
  // The preprocessor of less says by a bar how it is to be run.
  const found = scriptCommands(text.replace(/^[|@-]+\s*/, ""));
  const made = nested(found.vectors, 0, found.unclear);
  return {
    inside: made.inside,
    unclear: made.unclear || made.inside.some((argv) => !SYSTEM_PROGRAM.test(argv[0] ?? "")),
  };
}

function wrapperOf(name: string, argv: readonly string[]): (typeof WRAPPERS)[string] | undefined {
  if (LINKER.test(name)) {
    return { values: ["--library-path", "--inhibit-rpath", "--audit", "--preload", "--argv0"], operands: 0 };
  }
  // Newer ones do without the architecture.
  if (name === "setarch") return { values: [], operands: ARCHITECTURE.test(argv[1] ?? "") ? 1 : 0 };
  return Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
}

/** The commands in options: `--filter=TEXT`, `--filt TEXT`, `-eTEXT`. */
function textsOf(argv: readonly string[], options: TextOptions): string[] {
  const texts: string[] = [];
  const add = (text: string | undefined) => texts.push((text ?? "").replace(options.before ?? /^/, ""));
  for (let i = 1; i < argv.length; i++) {
    const arg = argv[i];
    if (arg.startsWith("--")) {
      const cut = arg.indexOf("=");
      const name = cut < 0 ? arg : arg.slice(0, cut);
      if (name.length > 2 && options.long?.some((long) => long.startsWith(name))) {
        add(cut < 0 ? argv[i + 1] : arg.slice(cut + 1));
      }
      continue;
    }
    const short = options.short?.exec(arg);
    // `watch 'git push'`: the word itself.
    if (short?.[0].endsWith(" ")) add(arg);
    else if (short) add(arg.slice(short[0].length).replace(/^=/, "") || argv[i + 1]);
    const cluster = (i === 1 || arg.startsWith("-")) && options.cluster?.exec(arg);
    if (!cluster) continue;
    add(arg.slice(cluster[0].length));
    argv.slice(i + 1).forEach(add);
  }
  return texts.filter((text) => text !== "");
}

function simple(vectors: readonly (readonly string[])[]): Unwrapped {
  return { vectors, inside: NONE, opaque: false, unclear: false };
}

/** A shell other than ours: the text of `-c` can be looked into, a file cannot. */
function shell(vectors: readonly (readonly string[])[], argv: readonly string[], depth: number): Unwrapped {
  const at = argv.findIndex((arg, i) => i > 0 && /^-[a-z]*c[a-z]*$/.test(arg));
  const text = at < 0 ? undefined : argv.slice(at + 1).find((arg) => !arg.startsWith("-"));
  if (text === undefined) return { vectors, inside: NONE, opaque: true, unclear: true };
  const found = scriptCommands(text);
  return { vectors, opaque: true, ...nested(found.vectors, depth, found.unclear) };
}

/** Whether a shell is to run the text of `-c` or of its input, and no file. */
export function runsText(argv: readonly string[]): boolean {
  if (!SHELLS.has((argv[0] ?? "").slice((argv[0] ?? "").lastIndexOf("/") + 1))) return false;
  return argv.slice(1).every((arg) => /^[-+]/.test(arg)) ||
    argv.some((arg, i) => i > 0 && /^-[a-z]*c[a-z]*$/.test(arg));
}

function find(vectors: readonly (readonly string[])[], argv: readonly string[], depth: number): Unwrapped {
  const inside: string[][] = [];
  for (let i = 1; i < argv.length; i++) {
    if (!/^-(exec|execdir|ok|okdir)$/.test(argv[i])) continue;
    const end = argv.findIndex((arg, j) => j > i && (arg === ";" || arg === "+"));
    inside.push(argv.slice(i + 1, end < 0 ? argv.length : end));
    if (end < 0) break;
    i = end;
  }
  if (inside.length === 0) return simple(vectors);
  return { vectors, opaque: false, ...nested(inside, depth, false) };
}

function git(
  vectors: readonly (readonly string[])[],
  argv: readonly string[],
  inside: readonly (readonly string[])[],
): Unwrapped {
  return { vectors, inside, opaque: false, unclear: isUnclearGit(argv) };
}

function nested(
  found: readonly (readonly string[])[],
  depth: number,
  unclear: boolean,
): Pick<Unwrapped, "inside" | "unclear"> {
  const inside: (readonly string[])[] = [];
  for (const argv of found) {
    const inner = unwrap(argv, depth + 1);
    inside.push(...inner.vectors, ...inner.inside);
    unclear ||= inner.unclear;
  }
  return { inside, unclear };
}

function innerOf(
  argv: readonly string[],
  name: string,
  wrapper: { readonly values: readonly string[]; readonly operands: number },
): readonly string[] {
  let i = 1;
  let operands = wrapper.operands;
  for (; i < argv.length; i++) {
    const arg = argv[i];
    if (arg === "--") {
      i++;
      break;
    }
    if (arg.startsWith("-") && arg.length > 1) {
      if (wrapper.values.includes(arg)) i++;
    } else if ((name === "env" || name === "sudo" || name === "doas") && /^[A-Za-z_]\w*=/.test(arg)) {
      continue;
    } else if (operands > 0) {
      operands--;
    } else {
      break;
    }
  }
  return argv.slice(i);
}
