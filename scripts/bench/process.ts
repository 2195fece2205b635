/** Runs a program as a whole process and measures it from outside: wall time, memory of its process tree. Linux. */

export interface Measured {
  readonly wallMs: number;
  readonly code: number;
  /** performance.now() when it was started. */
  readonly startedAt: number;
  /** Highest sums over the tree, in MiB; 0 where it was not watched. */
  readonly peakRss: number;
  readonly peakPss: number;
  readonly stderr: string;
}

export interface Launch {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Starts it and waits for its end; `sampleMs` watches its memory that often. */
export async function measure(launch: Launch, sampleMs = 0): Promise<Measured> {
  const [program, ...args] = launch.command;
  const startedAt = performance.now();
  const child = new Deno.Command(program, {
    args,
    cwd: launch.cwd,
    clearEnv: true,
    env: { ...launch.env },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const stderr = new Response(child.stderr).text();
  let peakRss = 0;
  let peakPss = 0;
  const timer = sampleMs === 0 ? undefined : setInterval(() => {
    const { rss, pss } = memoryOfTree(child.pid);
    peakRss = Math.max(peakRss, rss);
    peakPss = Math.max(peakPss, pss);
  }, sampleMs);
  const { code } = await child.status;
  const wallMs = performance.now() - startedAt;
  clearInterval(timer);
  return { wallMs, code, startedAt, peakRss, peakPss, stderr: await stderr };
}

/** Resident and proportional memory of a process and all below it, in MiB. */
export function memoryOfTree(root: number): { rss: number; pss: number } {
  const parents = new Map<number, number>();
  for (const entry of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(entry.name)) continue;
    const stat = read(`/proc/${entry.name}/stat`);
    const fields = stat.slice(stat.lastIndexOf(") ") + 2).split(" ");
    if (fields.length > 1) parents.set(Number(entry.name), Number(fields[1]));
  }
  const tree = new Set([root]);
  for (let grew = true; grew;) {
    grew = false;
    for (const [pid, parent] of parents) {
      if (tree.has(parent) && !tree.has(pid)) {
        tree.add(pid);
        grew = true;
      }
    }
  }
  let rss = 0;
  let pss = 0;
  for (const pid of tree) {
    const rollup = read(`/proc/${pid}/smaps_rollup`);
    rss += Number(/^Rss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
    pss += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
  }
  return { rss: rss / 1024, pss: pss / 1024 };
}

function read(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return ""; // it has ended
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
