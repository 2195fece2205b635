/** What nohup, setsid and nice do that no comparison shows: terminals, the permission gate, what goes on beside a script. */
import { assert, assertEquals } from "@std/assert";
import type { GateRequest } from "../../src/shell/mod.ts";
import type { ByteSink } from "../../src/shell/host.ts";
import { withShell } from "./support/shell.ts";

function terminal(): ByteSink & { readonly terminal: true; text: string } {
  return {
    terminal: true,
    text: "",
    write(bytes) {
      this.text += new TextDecoder().decode(bytes);
    },
    close() {},
  };
}

Deno.test("nohup: what goes to a terminal goes to nohup.out, only there", async () => {
  const stdout = terminal(), stderr = terminal();
  await withShell(async (shell) => {
    await shell.run("nohup sh -c 'echo out; echo err >&2'; nohup echo more; nohup echo piped | cat");
    assertEquals(Deno.readTextFileSync(`${shell.dir}/nohup.out`), "out\nerr\nmore\n");
    assertEquals(Deno.statSync(`${shell.dir}/nohup.out`).mode! & 0o777, 0o600);
    assertEquals(stdout.text, "piped\n");
    assertEquals(
      stderr.text,
      "nohup: appending output to 'nohup.out'\n".repeat(2) + "nohup: redirecting stderr to stdout\n",
    );
  }, { stdout, stderr });
});

Deno.test("nohup: the home folder's file where none can be written here", async () => {
  const stdout = terminal(), stderr = terminal();
  await withShell(async (shell) => {
    await shell.run("mkdir nohup.out; HOME=$PWD/home; mkdir home; nohup echo x; echo $? > status");
    assertEquals(Deno.readTextFileSync(`${shell.dir}/home/nohup.out`), "x\n");
    assertEquals(Deno.readTextFileSync(`${shell.dir}/status`), "0\n");
    await shell.run("HOME=/nowhere; nohup echo x; echo $? > status");
    assertEquals(Deno.readTextFileSync(`${shell.dir}/status`), "125\n");
  }, { stdout, stderr });
});

Deno.test("nohup, setsid and nice: the gate is asked about the command that they start", async () => {
  const asked: string[] = [];
  const gate = (request: GateRequest) => {
    asked.push(request.argv.join(" "));
    return request.argv[0] === "rm"
      ? { allow: false as const, reason: "not that" }
      : { allow: true as const };
  };
  await withShell(async (shell) => {
    Deno.writeTextFileSync(`${shell.dir}/f`, "x");
    for (const starter of ["nohup", "setsid", "setsid -f", "nice -n 5", "nohup nice setsid -w"]) {
      asked.length = 0;
      await shell.sh(`${starter} rm f; sleep 0.05`);
      assert(asked.includes("rm f"), `${starter}: ${asked}`);
      assertEquals(Deno.readTextFileSync(`${shell.dir}/f`), "x");
    }
    assertEquals((await shell.sh("nohup rm f")).status, 126);
    assertEquals((await shell.sh("nice sh -c 'rm f'")).status, 126);
  }, { gate });
});

Deno.test("setsid -f: what goes on is listed when the script has ended, and can be ended", async () => {
  await withShell(async (shell) => {
    await shell.sh("setsid -f sleep 60");
    assertEquals(shell.jobs().map((job) => job.command), ["sleep 60"]);
    assertEquals((await shell.sh("kill %1; wait %1; echo $?")).stdout, "143\n");
  });
});

Deno.test("tty: names nothing where there is no terminal, and a terminal where there is one", async () => {
  const stdin = { terminal: true, read: () => 0, close() {} };
  await withShell(async (shell) => {
    assertEquals(await shell.sh("tty < /dev/null; echo $?; echo | tty -s; echo $?"), {
      status: 0,
      stdout: "not a tty\n1\n1\n",
      stderr: "",
    });
    assertEquals((await shell.sh("tty -s; echo $?")).stdout, "0\n");
  }, { stdin });
});

Deno.test("setsid: a script that is cancelled takes it along", async () => {
  let cancelled = false;
  const stdout: ByteSink = { write: () => void (cancelled = true), close() {} };
  await withShell(async (shell) => {
    const { status } = await shell.sh(
      "setsid -f sleep 60; { setsid sleep 60; } & echo; setsid sleep 60; echo no",
    );
    assertEquals(status, 130);
    assertEquals(shell.jobs(), []);
  }, { stdout, changeHost: (host) => ({ ...host, cancelled: () => cancelled }) });
});
