/**
 * Measures what is paid where nothing is refused: the gate for a command that
 * the rules allow, the path check of an opening, the masking of secrets. Plain
 * openings are measured in turns with guarded ones. Prints each figure with
 * its bar and writes bench-results/gate.json; a missed bar makes the exit
 * status 1.
 *
 *     deno run -A scripts/bench_gate.ts [ROUNDS]
 */
import { createVault } from "../src/lib/secrets/mod.ts";
import { createGate } from "../src/sandbox/gate.ts";
import { createGuardedFs } from "../src/sandbox/host_guarded.ts";
import { createRealFs, createRealHost, openPlain } from "../src/sandbox/host_real.ts";
import { preparePolicy, removeTemp } from "../src/sandbox/os/mod.ts";
import type { Policy } from "../src/sandbox/policy.ts";
import { median } from "./bench/process.ts";
import { type Bar, showBars } from "./bench/table.ts";

const FILES = 10_000;
const COMMANDS = 20_000;
const rounds = Number(Deno.args[0] ?? 9);

const ALLOWED = ["ls", "cat", "grep", "echo", "find", "wc", "head", "git log", "git status", "npm test"];
const DENIED = ["git push", "rm -rf", "curl", "git clean", "sudo", "npm publish"];

const root = Deno.realPathSync(
  Deno.makeTempDirSync({ dir: Deno.env.get("HOME"), prefix: "myelin-bench-gate-" }),
);
for (const folder of ["ws", "home"]) Deno.mkdirSync(`${root}/${folder}`);
const policy = preparePolicy({
  mode: "workspace",
  workspace: `${root}/ws`,
  approve: "never",
  home: `${root}/home`,
  ownFolder: `${root}/home/.myelin`,
  rules: {
    allow: ALLOWED.map((words) => `run(${words} *)`),
    deny: DENIED.map((words) => `run(${words} *)`),
    commands: "ask",
  },
});
try {
  const open = opening(policy);
  const bars: Bar[] = [
    { what: "gate, for a command that the rules allow", value: gate(policy), limit: 30, unit: "µs" },
    {
      what: `path check of an opening, in plain openings (${FILES} files)`,
      value: (open.guarded - open.plain) / open.plain,
      limit: 2,
      unit: "×",
    },
    { what: "masking of secrets, a 32 KiB result", value: masking(), limit: 5, unit: "ms" },
  ];
  const met = showBars(bars);
  console.log(
    `a plain opening ${open.plain.toFixed(1)} µs, a guarded one ${
      open.guarded.toFixed(1)
    } µs (medians of ${rounds})`,
  );
  await Deno.mkdir("bench-results", { recursive: true });
  await Deno.writeTextFile("bench-results/gate.json", JSON.stringify({ bars, open }, null, 2) + "\n");
  Deno.exitCode = met ? 0 : 1;
} finally {
  removeTemp(policy);
  Deno.removeSync(root, { recursive: true });
}

/** Microseconds. */
function gate(policy: Policy): number {
  const judge = createGate({ policy, permit: () => Promise.resolve(undefined), refused() {} })!;
  const commands = [
    ["ls", "-la", "src"],
    ["grep", "-rn", "needle", "src"],
    ["cat", "a.txt"],
    ["echo", "hello", "world"],
    ["find", ".", "-name", "*.ts"],
  ];
  const figures: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const from = performance.now();
    for (let i = 0; i < COMMANDS; i++) {
      judge({
        argv: commands[i % commands.length],
        kind: "utility",
        program: undefined,
        redirects: [],
        assignments: {},
        cwd: policy.workspace,
        line: 1,
      });
    }
    figures.push((performance.now() - from) * 1000 / COMMANDS);
  }
  return median(figures);
}

/** Microseconds for each file. */
function opening(policy: Policy): { plain: number; guarded: number } {
  const paths = Array.from(
    { length: FILES },
    (_, i) => `${policy.workspace}/d${Math.floor(i / 100)}/f${i}.ts`,
  );
  for (let i = 0; i < FILES; i += 100) Deno.mkdirSync(`${policy.workspace}/d${i / 100}`);
  for (const path of paths) Deno.writeTextFileSync(path, "x");
  const { user } = createRealHost();
  const fs = createGuardedFs({
    fs: createRealFs(() => user),
    openPlain,
    policy,
    windows: false,
    programFolders: [],
    programsRun: () => false,
    generation: () => 0,
    permit: () => Promise.resolve(undefined),
    permitStill: () => undefined,
    symlink: () => Promise.resolve(),
  });
  const plain: number[] = [];
  const guarded: number[] = [];
  for (let round = 0; round < rounds; round++) {
    let from = performance.now();
    for (const path of paths) Deno.openSync(path).close();
    plain.push((performance.now() - from) * 1000 / FILES);
    from = performance.now();
    for (const path of paths) {
      const file = fs.open(path, { read: true });
      if (file instanceof Promise) throw new Error("a plain file opens at once");
      file.close();
    }
    guarded.push((performance.now() - from) * 1000 / FILES);
  }
  return { plain: median(plain), guarded: median(guarded) };
}

/** Milliseconds for a result of the size that a model gets, with 40 known values. */
function masking(): number {
  const vault = createVault();
  vault.learn(
    Array.from({ length: 40 }, (_, i) => ({ name: `SECRET_${i}`, value: `v${i}-${crypto.randomUUID()}` })),
  );
  const source = Deno.readTextFileSync(new URL(import.meta.url));
  const text = source.repeat(Math.ceil(32 * 1024 / source.length)).slice(0, 32 * 1024);
  const figures: number[] = [];
  for (let round = 0; round < rounds * 10; round++) {
    const from = performance.now();
    vault.mask(text);
    figures.push(performance.now() - from);
  }
  return median(figures);
}
