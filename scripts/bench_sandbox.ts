/**
 * Measures what the wrapper costs: an external program in the real sheath,
 * confined and bare, in turns, so that the machine's drift meets both alike.
 * Prints each figure with its bar and writes bench-results/sandbox.json; a
 * missed bar makes the exit status 1.
 *
 *     deno task bench-sandbox [ROUNDS]
 */
import type { ToolResult } from "../src/agent/tool.ts";
import type { Sheath } from "../src/sandbox/mod.ts";
import { median } from "./bench/process.ts";
import { openBenchSheath } from "./bench/sheath.ts";

/** Programs of one call: the call's own cost is divided by them. */
const PROGRAMS = 20;
const LIMIT_MS = 15;
let calls = 0;
const rounds = Number(Deno.args[0] ?? 15);
const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "myelin-bench-sandbox-" }));

try {
  Deno.exitCode = await main();
} finally {
  Deno.removeSync(root, { recursive: true });
}

async function main(): Promise<number> {
  for (const folder of ["ws", "home"]) Deno.mkdirSync(`${root}/${folder}`);
  const [confined, bare] = [await openBenchSheath(root, "os"), await openBenchSheath(root, "allow")];
  const times = { confined: [] as number[], bare: [] as number[] };
  try {
    for (let round = -1; round < rounds; round++) {
      const [one, other] = [await perProgram(confined), await perProgram(bare)];
      // The first round starts the workers, finds the wrapper and makes what the programs share.
      if (round < 0) continue;
      times.confined.push(one);
      times.bare.push(other);
    }
  } finally {
    await confined.close();
    await bare.close();
  }
  const value = median(times.confined) - median(times.bare);
  console.log(
    `confined ${median(times.confined).toFixed(1)} ms, bare ${median(times.bare).toFixed(1)} ms ` +
      `(best: ${Math.min(...times.confined).toFixed(1)} and ${Math.min(...times.bare).toFixed(1)})`,
  );
  const held = value <= LIMIT_MS;
  console.log(
    `${held ? "ok  " : "MISS"} a wrapped program, more than a bare one: ${
      value.toFixed(1)
    } ms (at most ${LIMIT_MS})`,
  );
  Deno.mkdirSync("bench-results", { recursive: true });
  Deno.writeTextFileSync(
    "bench-results/sandbox.json",
    JSON.stringify({ rounds, programs: PROGRAMS, times, value, limit: LIMIT_MS }, null, 2) + "\n",
  );
  return held ? 0 : 1;
}

/** Milliseconds for one program that does nothing. */
async function perProgram(sheath: Sheath<ToolResult>): Promise<number> {
  const command = `for ((i = 0; i < ${PROGRAMS}; i++)); do /bin/true || exit; done`;
  const start = performance.now();
  const result = await sheath.run("bash", { command }, {
    callId: `call-${++calls}`,
    signal: new AbortController().signal,
    output: () => {},
  });
  if (result.isError) throw new Error(JSON.stringify(result.parts));
  return (performance.now() - start) / PROGRAMS;
}
