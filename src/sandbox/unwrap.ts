/**
 * Looks through commands that only run another command (`env X=1 git push`,
 * `timeout 5 git push`), so that rules meet the command that is meant. What
 * runs inside our own shell is judged when it really runs; this is for
 * external programs and for the words of a rule.
 */

/** Options that take the next word, by wrapper. */
const WRAPPERS: Readonly<Record<string, { readonly values: readonly string[]; readonly operands: number }>> =
  {
    env: { values: ["-u", "-C", "-S", "--unset", "--chdir"], operands: 0 },
    time: { values: ["-o", "-f"], operands: 0 },
    timeout: { values: ["-k", "-s", "--kill-after", "--signal"], operands: 1 },
    nohup: { values: [], operands: 0 },
    nice: { values: ["-n", "--adjustment"], operands: 0 },
    ionice: { values: ["-c", "-n", "-p"], operands: 0 },
    setsid: { values: [], operands: 0 },
    stdbuf: { values: ["-i", "-o", "-e"], operands: 0 },
    command: { values: [], operands: 0 },
    exec: { values: ["-a"], operands: 0 },
    builtin: { values: [], operands: 0 },
    sudo: { values: ["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T"], operands: 0 },
    doas: { values: ["-u", "-C"], operands: 0 },
    xargs: { values: ["-I", "-n", "-P", "-L", "-d", "-E", "-a", "-s"], operands: 0 },
    chroot: { values: [], operands: 1 },
    strace: { values: ["-o", "-e", "-p", "-s"], operands: 0 },
  };

const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh", "busybox"]);

export interface Unwrapped {
  /** The vector itself, then what it runs, and so on; the last is the command that is meant. */
  readonly vectors: readonly (readonly string[])[];
  /** The last one cannot be known: a text that a shell is to run, a split string. */
  readonly opaque: boolean;
}

/** The chain of commands that an argument vector leads to. */
export function unwrap(argv: readonly string[]): Unwrapped {
  const vectors: (readonly string[])[] = [argv];
  let current = argv;
  for (let depth = 0; depth < 16; depth++) {
    const name = (current[0] ?? "").slice((current[0] ?? "").lastIndexOf("/") + 1);
    if (SHELLS.has(name)) return { vectors, opaque: current.length > 1 };
    const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
    if (!wrapper) return { vectors, opaque: false };
    if (name === "env" && current.some((arg) => arg.startsWith("-S") || arg.startsWith("--split-string"))) {
      return { vectors, opaque: true };
    }
    const inner = innerOf(current, name, wrapper);
    if (inner.length === 0) return { vectors, opaque: false };
    vectors.push(inner);
    current = inner;
  }
  return { vectors, opaque: true };
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
    } else if ((name === "env" || name === "sudo") && /^[A-Za-z_]\w*=/.test(arg)) {
      continue;
    } else if (operands > 0) {
      operands--;
    } else {
      break;
    }
  }
  return argv.slice(i);
}

const GIT_VALUES = new Set([
  "-C",
  "-c",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--exec-path",
  "--config-env",
]);

/** `git --no-pager -C x push` without what stands before the verb. `changed`: whether there was anything. */
export function withoutGlobalOptions(
  argv: readonly string[],
): { readonly argv: readonly string[]; readonly changed: boolean } {
  const name = argv[0] ?? "";
  if (name !== "git" && !name.endsWith("/git")) return { argv, changed: false };
  let i = 1;
  while (i < argv.length && argv[i].startsWith("-")) i += GIT_VALUES.has(argv[i]) ? 2 : 1;
  return i === 1 ? { argv, changed: false } : { argv: [name, ...argv.slice(i)], changed: true };
}
