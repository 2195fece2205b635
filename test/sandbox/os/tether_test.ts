import { assert, assertEquals } from "@std/assert";
import { findTether } from "../../../src/sandbox/os/tether.ts";
import { isAlive } from "../worker_pair.ts";

const ignore = Deno.build.os !== "linux";
const command = { program: "/bin/sleep", argv: ["sleep", "1000"], cwd: "/", env: {} };

/** Starts another of this runtime, reads the number that it prints, kills it without a warning. */
async function killAfterFirstLine(script: string): Promise<number> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-lock", "--no-check", "--unstable-worker-options", script],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  let text = "";
  while (!text.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) break;
    text += new TextDecoder().decode(value);
  }
  child.kill("SIGKILL");
  await child.status;
  await reader.cancel();
  return Number(text);
}

const url = (path: string) =>
  JSON.stringify(new URL(`../../../src/sandbox/os/${path}`, import.meta.url).href);

Deno.test({
  name: "a tether: a program without a wrapper ends with a process that is killed",
  ignore,
  async fn() {
    const pid = await killAfterFirstLine(`
      const { findTether } = await import(${url("tether.ts")});
      const tether = await findTether("/usr/bin/setpriv");
      const { program, argv } = tether(${JSON.stringify(command)});
      const child = new Deno.Command(program, { args: argv.slice(1), stdin: "null", detached: true }).spawn();
      // It is the program only once the tether is made.
      while (!Deno.readTextFileSync("/proc/" + child.pid + "/cmdline").startsWith("/bin/sleep")) ;
      console.log(child.pid);`);
    assert(pid > 0);
    while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
  },
});

Deno.test({
  name: "the shared sandbox ends with a process that is killed, and with it what left its session there",
  ignore,
  async fn() {
    const folder = await Deno.makeTempDir();
    const pid = await killAfterFirstLine(`
      const { createConfinement, preparePolicy } = await import(${url("mod.ts")});
      const workspace = ${JSON.stringify(folder)};
      Deno.env.set("TMPDIR", workspace);
      const policy = preparePolicy({ mode: "workspace", workspace, approve: "never", home: workspace, ownFolder: workspace + "/.m" });
      const { wrapper } = await createConfinement(policy).wrapper();
      const script = "setsid sleep 98765 & echo up; wait";
      const command = await wrapper.wrap({ program: "/bin/sh", argv: ["sh", "-c", script], cwd: workspace, env: {} }, policy);
      const child = new Deno.Command(command.program, { args: command.argv.slice(1), env: command.env, clearEnv: true, stdin: "null", stdout: "piped", detached: true }).spawn();
      await child.stdout.getReader().read();
      const find = () => Array.from(Deno.readDirSync("/proc")).map((entry) => entry.name).find((name) => {
        try { return /^\\d+$/.test(name) && Deno.readTextFileSync("/proc/" + name + "/cmdline") === "sleep\\0" + "98765\\0"; } catch { return false; }
      });
      while (!find()) ;
      console.log(find());`);
    assert(pid > 0);
    while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
    await Deno.remove(folder, { recursive: true });
  },
});

Deno.test({
  name:
    "a tether leaves alone what it would change: names as called, texts without an interpreter, what cannot run",
  ignore,
  async fn() {
    const tether = await findTether("/usr/bin/setpriv");
    assert(tether !== undefined);
    const folder = await Deno.makeTempDir();
    try {
      const file = async (name: string, text: string, mode: number) => {
        await Deno.writeTextFile(`${folder}/${name}`, text, { mode });
        return `${folder}/${name}`;
      };
      const script = await file("script", "#!/bin/sh\n", 0o755);
      assertEquals(tether({ ...command, program: script, argv: ["script", "a"] }).argv, [
        ...["setpriv", "--pdeathsig", "KILL", "--", script, "a"],
      ]);
      for (
        const untouched of [
          { ...command, argv: ["other", "1"] },
          { ...command, program: await file("plain", "echo hi\n", 0o755), argv: ["plain"] },
          { ...command, program: await file("lost", "#!/nothing/here\n", 0o755), argv: ["lost"] },
          { ...command, program: await file("fixed", "#!/bin/sh\n", 0o644), argv: ["fixed"] },
          { ...command, program: `${folder}/none`, argv: ["none"] },
          { ...command, program: folder, argv: [folder] },
        ]
      ) {
        assertEquals(tether(untouched), untouched);
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test("findTether() finds none in a program that does not know the word, and none in nothing", async () => {
  assertEquals(await findTether(undefined), undefined);
  assertEquals(await findTether("/nothing/here"), undefined);
  if (!ignore) assertEquals(await findTether("/bin/false"), undefined);
});
