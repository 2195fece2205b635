import { assert, assertEquals } from "@std/assert";
import { MARK } from "../../../src/sandbox/os/marked.ts";
import { sweepPrograms } from "../../../src/sandbox/os/sweep.ts";

/** A number that no process has any more. */
async function deadPid(): Promise<number> {
  const child = new Deno.Command("true").spawn();
  await child.status;
  return child.pid;
}

function start(mark: string): Deno.ChildProcess {
  return new Deno.Command("sleep", { args: ["1000"], env: { [MARK]: mark }, stdout: "null" }).spawn();
}

Deno.test({
  name:
    "programs that a killed program has left are ended at the next start, those of one that lives are not",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const [left, ours] = [start(`${await deadPid()}-x.1.1.`), start(`${Deno.pid}-x.1.1.`)];
    await sweepPrograms();
    assertEquals((await left.status).signal, "SIGKILL");
    assert(Deno.statSync(`/proc/${ours.pid}`).isDirectory);
    ours.kill();
    await ours.status;
  },
});
