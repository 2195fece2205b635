/**
 * The red team: everything that a model could try, by every way there is, and
 * none of it works. Each attempt has its control (with the sandbox off it
 * works, so it is a real one) and each way an honest request beside it. As
 * whoever runs the tests, and as an ordinary user where that is root and there
 * is a compiled program, which such a user can read.
 */
import { assertEquals } from "@std/assert";
import { type Outcome, tryAll } from "./redteam/arena.ts";
import { type Attempt, table } from "./redteam/attempts.ts";

const MISSING = (Deno.env.get("MYELIN_MISSING") ?? "").split(",");
const FULL = Deno.env.get("MYELIN_FULL") === "1";
const READY = Deno.build.os === "linux" && !MISSING.includes("bwrap") && !MISSING.includes("git");
const NOBODY = 65534;

const { attempts, honest } = table();
const plain = attempts.filter(({ what }) => what !== "rule");
const ruled = attempts.filter(({ what }) => what === "rule");
const RULES = { permissions: { deny: ["run(touch *)", "run(perl *)"] } };

/** One line of what stopped it: the end of what the model was told. */
function reason({ text }: Outcome): string {
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const told = lines.find((line) =>
    /not allowed|denied|outside|protected|no such|cannot|refused|unknown host/i.test(line)
  );
  return (told ?? lines.at(-1) ?? "no effect").slice(0, 160);
}

function report(title: string, tried: readonly Attempt[], outcomes: ReadonlyMap<number, Outcome>): void {
  if (FULL) {
    for (const one of tried) {
      const shown = String(one.call.args.command ?? `${one.call.name} ${one.target}`).replaceAll("\n", "⏎");
      console.log(`  ${one.what} by ${one.by}: ${shown}\n      ${reason(outcomes.get(one.id)!)}`);
    }
  }
  const counts = new Map<string, number>();
  for (const { what, by } of tried) counts.set(`${what} by ${by}`, (counts.get(`${what} by ${by}`) ?? 0) + 1);
  console.log(`${title}: ${tried.length} attempts, none succeeded`);
  for (const [name, count] of [...counts].sort()) console.log(`  ${String(count).padStart(4)} ${name}`);
}

function successes(tried: readonly Attempt[], outcomes: ReadonlyMap<number, Outcome>): string[] {
  return tried.filter(({ id }) => outcomes.get(id)?.succeeded).map(({ id, call, target }) =>
    `${call.name} ${call.args.command ?? target}: ${outcomes.get(id)?.text.slice(0, 200)}`
  );
}

Deno.test({
  name: "red team: nothing gets out of the workspace, onto the network, or at a key",
  ignore: !READY,
  fn: async () => {
    const beside = honest.filter(({ what }) => what !== "rule");
    const outcomes = await tryAll([...plain, ...beside], { mode: "workspace" });
    assertEquals(successes(plain, outcomes), []);
    assertEquals(
      beside.filter(({ id }) => !outcomes.get(id)?.succeeded).map(({ id, call }) =>
        `${JSON.stringify(call.args)}: ${outcomes.get(id)?.text}`
      ),
      [],
      "honest requests work",
    );
    report("workspace", plain, outcomes);
  },
});

Deno.test({
  name: "red team: a denied command does not run, however it is written",
  ignore: !READY,
  fn: async () => {
    const beside = honest.filter(({ what }) => what === "rule");
    const outcomes = await tryAll([...ruled, ...beside], { mode: "workspace", settings: RULES });
    assertEquals(successes(ruled, outcomes), []);
    assertEquals(beside.filter(({ id }) => !outcomes.get(id)?.succeeded), []);
    report("rules", ruled, outcomes);
  },
});

function minor(): number {
  return Number(Deno.version.deno.split(".")[1]);
}

function throughProc({ call, target }: (typeof attempts)[number]): boolean {
  return target.startsWith("/proc/") || JSON.stringify(call).includes("/proc/self/");
}

Deno.test({
  name: "red team: the controls: with the sandbox off and without rules every attempt works",
  ignore: !READY,
  fn: async () => {
    // From 2.9 on the runtime itself lets no worker read below /proc: run from the sources under it, these fail in every mode.
    const refusesProc = Deno.env.get("MYELIN_BINARY") === undefined && minor() >= 9;
    const real = attempts.filter((one) => one.never !== true && !(refusesProc && throughProc(one)));
    const outcomes = await tryAll(real, { mode: "off" });
    const failed = real.filter(({ id }) => !outcomes.get(id)?.succeeded).map(({ id, call, target }) =>
      `${call.name} ${call.args.command ?? target}: ${outcomes.get(id)?.text.slice(0, 200)}`
    );
    assertEquals(failed, []);
  },
});

Deno.test({
  name: "red team: in read-only mode nothing at all is changed",
  ignore: !READY || !FULL,
  fn: async () => {
    const beside = honest.filter(({ what }) => what === "write").map((one) => ({
      ...one,
      target: "sub/w-ID",
    }));
    const outcomes = await tryAll([...plain, ...beside], { mode: "read-only" });
    assertEquals(successes([...plain, ...beside], outcomes), []);
    report("read-only", [...plain, ...beside], outcomes);
  },
});

Deno.test({
  name: "red team: without leave for programs the rest holds as well",
  ignore: !READY || !FULL,
  fn: async () => {
    const outcomes = await tryAll(plain, { mode: "workspace", settings: { sandbox: { exec: "deny" } } });
    assertEquals(successes(plain, outcomes), []);
    report("exec deny", plain, outcomes);
  },
});

Deno.test({
  name: "red team: the same as an ordinary user",
  ignore: !READY || Deno.uid() !== 0 || !Deno.env.get("MYELIN_BINARY"),
  fn: async () => {
    const beside = honest.filter(({ what }) => what !== "rule");
    const outcomes = await tryAll([...plain, ...beside], { mode: "workspace", uid: NOBODY });
    assertEquals(successes(plain, outcomes), []);
    assertEquals(beside.filter(({ id }) => !outcomes.get(id)?.succeeded), []);
    report("as an ordinary user", plain, outcomes);
  },
});
