/**
 * Measures the tools in the real sheath: search beside ripgrep over the same
 * 50,000 files, in turns; reads, edits, cancels, and what declarations cost.
 * Prints each figure with its bar and writes bench-results/tools.json; a
 * missed bar makes the exit status 1.
 *
 *     deno task bench-tools [ROUNDS]
 */
import type { ToolResult } from "../src/agent/tool.ts";
import type { Sheath } from "../src/sandbox/mod.ts";
import { allTools, coreTools, type Tool } from "../src/tools/mod.ts";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { median } from "./bench/process.ts";
import { openBenchSheath } from "./bench/sheath.ts";

const FILES = 50_000;
const rounds = Number(Deno.args[0] ?? 7);
const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "myelin-bench-tools-" }));
const workspace = `${root}/ws`;

interface Figure {
  readonly what: string;
  readonly value: number;
  readonly limit: number;
  readonly unit: "×" | "ms" | "";
}

try {
  Deno.exitCode = await main();
} finally {
  Deno.removeSync(root, { recursive: true });
}

async function main(): Promise<number> {
  Deno.mkdirSync(`${root}/home`);
  grow();
  const sheath = await openBenchSheath(root);
  let calls = 0;
  const tool = async (name: string, args: unknown): Promise<number> => {
    const start = performance.now();
    const result = await sheath.run(name, args, {
      callId: `call-${++calls}`,
      signal: new AbortController().signal,
      output: () => {},
    });
    if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.parts)}`);
    return performance.now() - start;
  };
  try {
    const figures = [
      await beside("glob, of rg --files", 2, () => tool("glob", { pattern: "**/*" }), ["--files"]),
      await beside("grep of a rare pattern, of rg -j1", 3, () => tool("grep", { pattern: "needle_\\d+" }), [
        "-j1",
        "needle_\\d+",
      ]),
      await beside("grep of a common text, of rg -j1", 3, () => tool("grep", { pattern: "value index" }), [
        "-j1",
        "value index",
      ]),
      await beside(
        "grep -i, of rg -j1 -i",
        3,
        () => tool("grep", { pattern: "NEEDLE_99", ignoreCase: true }),
        ["-j1", "-i", "NEEDLE_99"],
      ),
      await alone("read of a 10 MB file", 60, () => tool("read", { path: "ten.txt" })),
      await alone("read of a small file", 5, () => tool("read", { path: "dir0/f0.ts" })),
      await edits(tool),
      await cancel("cancel of a loop of the shell", sheath, "bash", {
        command: "echo up; while :; do :; done",
      }),
      await cancel("cancel of a program", sheath, "bash", { command: "echo up; /usr/bin/env sleep 1000" }),
      await cancel("cancel of a search", sheath, "grep", { pattern: "(a|b|c)+(d|e)+f{3}x" }),
      tokens("tokens of the core set", 1300, coreTools),
      tokens("tokens of the full set", 2600, allTools),
    ];
    return report(figures);
  } finally {
    await sheath.close();
  }
}

/** A tool and ripgrep in turns: the ratio of the medians. */
async function beside(
  what: string,
  limit: number,
  work: () => Promise<number>,
  args: string[],
): Promise<Figure> {
  const own: number[] = [];
  const other: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const [ours, theirs] = [await work(), await ripgrep(args)];
    if (round < 0) continue; // The first round warms the caches of the disk.
    own.push(ours);
    other.push(theirs);
  }
  console.error(`${what}: ${median(own).toFixed(0)} ms beside ${median(other).toFixed(0)} ms`);
  return { what, value: median(own) / median(other), limit, unit: "×" };
}

async function alone(what: string, limit: number, work: () => Promise<number>): Promise<Figure> {
  const times: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const time = await work();
    if (round >= 0) times.push(time);
  }
  return { what, value: median(times), limit, unit: "ms" };
}

async function edits(tool: (name: string, args: unknown) => Promise<number>): Promise<Figure> {
  await tool("read", { path: "five.txt", limit: 1 });
  let line = 1000;
  return await alone("edit in a 5 MB file", 100, () => {
    line++;
    return tool("edit", {
      path: "five.txt",
      edits: [{ oldText: `line ${line} `, newText: `changed ${line} ` }],
    });
  });
}

/** From the cancel to the result; what prints is cancelled when it has, a search a moment after its start. */
async function cancel(
  what: string,
  sheath: Sheath<ToolResult>,
  name: string,
  args: unknown,
): Promise<Figure> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const abort = new AbortController();
    let at = 0;
    const stop = () => {
      if (at > 0) return;
      at = performance.now();
      abort.abort();
    };
    const running = sheath.run(name, args, {
      callId: `cancel-${name}-${round}`,
      signal: abort.signal,
      output: stop,
    });
    if (name !== "bash") setTimeout(stop, 40);
    await running;
    times.push(performance.now() - at);
  }
  return { what, value: Math.max(...times), limit: 200, unit: "ms" };
}

function tokens(what: string, limit: number, tools: readonly Tool[]): Figure {
  const wire = tools.map(({ name, description, schema }) => ({
    type: "function",
    function: { name, description, parameters: schema },
  }));
  return { what, value: encode(JSON.stringify(wire)).length, limit, unit: "" };
}

async function ripgrep(args: string[]): Promise<number> {
  const start = performance.now();
  const { code, stderr } = await new Deno.Command("rg", { args, cwd: workspace, stdin: "null" }).output();
  if (code > 1) throw new Error(new TextDecoder().decode(stderr));
  return performance.now() - start;
}

/** A tree like those of projects: a hundred folders deep and wide, files of 1 to 10 KB. */
function grow(): void {
  const words = "const let function return import export class value index number handler config path error"
    .split(" ");
  let state = 1;
  const next = (below: number) => {
    state = (state * 1664525 + 1013904223) >>> 0;
    return Math.floor(state / 4294967296 * below);
  };
  for (let i = 0; i < FILES; i++) {
    const folder = `${workspace}/dir${i % 40}/part${i % 200}/sub${i % 1000}`;
    if (i < 1000) Deno.mkdirSync(folder, { recursive: true });
    const lines = Array.from(
      { length: 20 + next(160) },
      () => Array.from({ length: 2 + next(7) }, () => words[next(words.length)]).join(" "),
    );
    if (i % 997 === 0) lines.push(`needle_${i}`);
    Deno.writeTextFileSync(`${folder}/f${Math.floor(i / 1000)}.ts`, lines.join("\n") + "\n");
  }
  Deno.mkdirSync(`${workspace}/dir0`, { recursive: true });
  Deno.writeTextFileSync(`${workspace}/dir0/f0.ts`, "a small file\n".repeat(40));
  Deno.writeTextFileSync(`${workspace}/.ignore`, "*.txt\nnode_modules/\n/dist\n");
  const text = (bytes: number) => {
    let out = "";
    for (let i = 1; out.length < bytes; i++) out += `line ${i} of a longer text\n`;
    return out;
  };
  Deno.writeTextFileSync(`${workspace}/ten.txt`, text(10_000_000));
  Deno.writeTextFileSync(`${workspace}/five.txt`, text(5_000_000));
}

function report(figures: readonly Figure[]): number {
  for (const { what, value, limit, unit } of figures) {
    const mark = value <= limit ? "ok  " : "MISS";
    console.log(`${mark} ${what}: ${value.toFixed(unit === "×" ? 2 : 0)} ${unit} (at most ${limit})`);
  }
  Deno.mkdirSync("bench-results", { recursive: true });
  Deno.writeTextFileSync(
    "bench-results/tools.json",
    JSON.stringify({ rounds, files: FILES, figures }, null, 2) + "\n",
  );
  return figures.every(({ value, limit }) => value <= limit) ? 0 : 1;
}
