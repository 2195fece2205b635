import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { bubblewrap, ownNamespaces } from "../../../src/sandbox/os/bubblewrap.ts";
import { machineMounts } from "../../../src/sandbox/os/mounts.ts";
import { exists, realPath } from "../../../src/sandbox/os/places.ts";
import { innerGroup } from "../../../src/sandbox/os/processes.ts";
import { sharedSandbox } from "../../../src/sandbox/os/shared.ts";
import type { Wrapper } from "../../../src/sandbox/os/wrapper.ts";
import { HostError } from "../../../src/shell/host.ts";
import { isAlive, type Pair, type PairOptions, readAll, withPair } from "../worker_pair.ts";

/** Under the wrapper that all programs of a session share, by bubblewrap and by what stands in for it. */
function shared(
  name: string,
  work: (pair: Pair) => Promise<void>,
  policy?: PairOptions["policy"],
): void {
  for (const wrapper of ["real", "unshare"] as const) {
    Deno.test({
      name: `${name}${wrapper === "real" ? "" : " (without bubblewrap)"}`,
      ignore: Deno.build.os !== "linux",
      fn: () => withPair({ wrapper, policy }, work),
    });
  }
}

const SERVER = `const l = Deno.listen({ hostname: "127.0.0.1", port: 8123 }); console.log("up");
for await (const c of l) { await c.write(new TextEncoder().encode("hello")); c.close(); }`;
const CLIENT = `const c = await Deno.connect({ hostname: "127.0.0.1", port: 8123 });
const b = new Uint8Array(9); console.log(new TextDecoder().decode(b.subarray(0, await c.read(b))));`;

const deno = (script: string, policy: Pair["policy"], workspace: string) => ({
  program: Deno.execPath(),
  argv: ["deno", "eval", "--no-lock", "--no-config", script],
  env: { PATH: "/usr/bin:/bin", HOME: workspace, DENO_DIR: `${policy.tempDir}/deno`, NO_COLOR: "1" },
});

/** Waits until a process is gone; the test runner's own limit ends a wait in vain. */
async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function firstLine(source: { read(into: Uint8Array): number | Promise<number> }): Promise<string> {
  const buffer = new Uint8Array(100);
  let text = "";
  while (!text.includes("\n")) {
    const length = await source.read(buffer);
    if (length === 0) break;
    text += new TextDecoder().decode(buffer.subarray(0, length));
  }
  return text.trim();
}

shared(
  "shared sandbox: a server that one command has started answers the next, and ends with the session",
  async ({ spawn, broker, policy, workspace }) => {
    const server = await spawn(deno(SERVER, policy, workspace));
    assertEquals(await firstLine(server.stdout!), "up");
    const client = await spawn(deno(CLIENT, policy, workspace));
    assertEquals(await readAll(client.stdout) + await readAll(client.stderr), "hello\n");
    await broker.close();
    await gone(server.pid);
  },
);

for (const wrapper of ["real", "unshare"] as const) {
  Deno.test({
    name: `shared sandbox: a socket of another program is not reached (${wrapper})`,
    ignore: Deno.build.os !== "linux",
    fn: async () => {
      const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sockets-test-" }));
      const path = `${folder}/server`;
      using listener = Deno.listen({ transport: "unix", path });
      Deno.chmodSync(path, 0o777);
      try {
        await withPair({ wrapper, policy: { readRoots: [folder] } }, async ({ spawn, policy, workspace }) => {
          const script = (at: string) =>
            `await Deno.connect({ transport: "unix", path: ${
              JSON.stringify(at)
            } }).then(() => console.log("in"))`;
          const refused = await spawn(deno(script(path), policy, workspace));
          const text = await readAll(refused.stderr);
          assertMatch(text, /refused/i);
          assertEquals((await refused.ended).code, 1);
          // Where programs may write it is theirs.
          using own = Deno.listen({ transport: "unix", path: `${workspace}/own` });
          Deno.chmodSync(`${workspace}/own`, 0o777);
          const reached = await spawn(deno(script(`${workspace}/own`), policy, workspace));
          assertEquals(await readAll(reached.stdout), "in\n");
          own.unref();
        });
        listener.unref();
      } finally {
        Deno.removeSync(folder, { recursive: true });
      }
    },
  });
}

shared(
  "shared sandbox: statuses, signals, folder, umask and variables are the command's",
  async ({ sh, workspace }) => {
    Deno.mkdirSync(`${workspace}/a b`);
    assertEquals((await sh("exit 7")).code, 7);
    assertEquals((await sh("kill -9 $$")).code, 137);
    assertEquals((await sh("kill -TERM $$")).code, 143);
    assertEquals((await sh("pwd", { cwd: `${workspace}/a b` })).out, `${workspace}/a b\n`);
    assertEquals((await sh("umask", { umask: 0o027 })).out, "0027\n");
    assertEquals(
      (await sh('echo "$A|$B"', { env: { A: "'x' $HOME\n", "a.b": "1", PATH: "/bin" } })).out,
      "'x' $HOME\n|\n",
    );
    assertMatch((await sh("x=1; /nothing/here")).out, /not found/);
  },
);

shared("shared sandbox: a program inherits its three descriptors and no other", async ({ spawn, sh }) => {
  // Another one with open pipes is there all the time.
  const other = await spawn({ program: "/bin/cat", stdin: { kind: "pipe" } });
  const script = "cd /proc/$$/fd && echo *";
  // Whoever started these tests, or others that run beside them, may have left some open to everybody.
  const bare = () => {
    const { stdout } = new Deno.Command("/bin/sh", { args: ["-c", script], stdin: "null" }).outputSync();
    return new TextDecoder().decode(stdout).trim().split(" ");
  };
  const before = bare();
  const { out } = await sh(script);
  const everybody = new Set([...before, ...bare()]);
  assertEquals(out.trim().split(" ").filter((number) => !everybody.has(number)), []);
  other.stdin!.close();
  await other.ended;
});

shared("shared sandbox: 12,000 arguments of any kind arrive", async ({ spawn }) => {
  const words = Array.from({ length: 12_000 }, (_, i) => `${i} '"$x\\ \n`);
  const child = await spawn({ program: "/usr/bin/printf", argv: ["printf", "%s|", ...words] });
  assertEquals(await readAll(child.stdout), words.map((word) => `${word}|`).join(""));
});

shared(
  "shared sandbox: nobody outside sees a variable among the arguments of what runs",
  async ({ spawn }) => {
    const secret = `value-${crypto.randomUUID()}`;
    const child = await spawn({
      program: "/bin/sh",
      argv: ["sh", "-c", "echo up; read x"],
      env: { OWN: secret, "o.wn": secret },
      stdin: { kind: "pipe" },
    });
    assertEquals(await firstLine(child.stdout!), "up");
    for (const { name } of Deno.readDirSync("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      try {
        assert(!Deno.readTextFileSync(`/proc/${name}/cmdline`).includes(secret));
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
    child.stdin!.close();
    await child.ended;
  },
);

shared(
  "shared sandbox: what a program leaves in its session ends with it, what left that stays until the end",
  async ({ sh, spawn, broker }) => {
    const probe = (out: string) => sh(`kill -0 ${out.trim()} 2>/dev/null && echo there || echo gone`);
    const left = await sh("sleep 1000 >/dev/null 2>&1 & echo $!");
    // Its end comes right after that of the program that started it.
    while ((await probe(left.out)).out !== "gone\n");
    // It counts as one that left once it has a session of its own.
    const daemon = await sh(
      "setsid sleep 1000 >/dev/null 2>&1 & p=$!; " +
        'while [ "$(cut -d" " -f6 /proc/$p/stat)" != "$p" ]; do :; done; echo $p',
    );
    assertEquals((await probe(daemon.out)).out, "there\n");
    const watcher = await spawn({
      program: "/bin/sh",
      argv: ["sh", "-c", "ps axo args; echo up; exec sleep 1000"],
    });
    assertStringIncludes(await firstLine(watcher.stdout!), "COMMAND");
    await broker.endCall(1);
    await gone(watcher.pid);
  },
);

shared("shared sandbox: a command ends what another one has started", async ({ sh, spawn }) => {
  const child = await spawn({ program: "/bin/sh", argv: ["sh", "-c", "echo $$; exec sleep 1000"] });
  await sh(`kill ${await firstLine(child.stdout!)}`);
  assertEquals((await child.ended).code, 143);
});

shared("shared sandbox: a cancel ends also what has left its session", async ({ spawn, broker, policy }) => {
  const child = await spawn({
    program: "/bin/sh",
    argv: [
      "sh",
      "-c",
      "setsid sh -c 'trap \"\" TERM; while :; do echo x > $TMPDIR/alive; sleep 0.01; done' & echo up; wait",
    ],
  });
  assertEquals(await firstLine(child.stdout!), "up");
  const written = () => {
    try {
      Deno.removeSync(`${policy.tempDir}/alive`);
      return true;
    } catch {
      return false;
    }
  };
  while (!written());
  await broker.endCall(1);
  written();
  // Nobody writes it again: each turn of the loop would.
  const later = await spawnAfterEnd();
  assertEquals(later, false);

  async function spawnAfterEnd(): Promise<boolean> {
    for (let i = 0; i < 10; i++) await new Promise((resolve) => setTimeout(resolve, 10));
    return written();
  }
});

shared(
  "shared sandbox: a program that kills all it can reach harms itself only; the next command runs",
  async ({ sh }) => {
    for (let i = 0; i < 3; i++) {
      assertEquals((await sh("kill -9 -1; exit 5")).code !== 0, true);
      assertEquals((await sh("echo again")).out, "again\n");
    }
  },
);

shared(
  "shared sandbox: what comes into being is protected for the next command",
  async ({ sh, workspace }) => {
    await sh("mkdir -p .git/hooks; echo '[core]' > .git/config");
    const { out } = await sh("echo x > .git/hooks/pre-commit; echo x >> .git/config; echo ok > .git/HEAD");
    assertMatch(out, /Read-only file system/);
    // A mount of before would be gone with the file that was replaced.
    Deno.writeTextFileSync(`${workspace}/.git/new`, "[core]\n");
    Deno.renameSync(`${workspace}/.git/new`, `${workspace}/.git/config`);
    await sh("echo x >> .git/config");
    assertEquals(Deno.readTextFileSync(`${workspace}/.git/config`), "[core]\n");
  },
);

shared(
  "shared sandbox: no process in it leads out to what is hidden, not even one that is being set up",
  async ({ sh, spawn, home }) => {
    const scan = "n=0; while [ $n -lt 60 ]; do n=$((n+1)); for p in /proc/[0-9]*; do " +
      `for way in root cwd exe fd/0 fd/7 fd/8 fd/9; do cat $p/$way${home}/.ssh/id_rsa; done; done; done 2>/dev/null; echo over`;
    const spy = await spawn({ program: "/bin/sh", argv: ["sh", "-c", scan] });
    const seen = readAll(spy.stdout);
    let over = false;
    void spy.ended.then(() => over = true);
    while (!over) await sh("true");
    assertEquals(await seen, "over\n");
  },
);

shared("shared sandbox: programs side by side", async ({ spawn }) => {
  const texts = await Promise.all(Array.from({ length: 20 }, async (_, i) => {
    const child = await spawn({
      program: "/bin/sh",
      argv: ["sh", "-c", "cat; exit $1", "sh", String(i)],
      stdin: { kind: "pipe" },
    });
    await child.stdin!.write(new TextEncoder().encode(`in ${i}`));
    child.stdin!.close();
    return `${await readAll(child.stdout)} ${(await child.ended).code}`;
  }));
  assertEquals(texts, texts.map((_, i) => `in ${i} ${i}`));
});

shared(
  "shared sandbox: with every host allowed the network is the machine's, and a server still answers",
  async ({ spawn, sh, policy, workspace }) => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    try {
      const client = await spawn(deno(CLIENT.replace("8123", String(listener.addr.port)), policy, workspace));
      const connection = await listener.accept();
      await connection.write(new TextEncoder().encode("outside"));
      connection.close();
      assertEquals(await readAll(client.stdout), "outside\n");
      assertEquals((await sh("exit 3")).code, 3);
    } finally {
      listener.close();
    }
  },
  { net: ["*"] },
);

const GET = `const answer = await fetch(Deno.args[0]); console.log(answer.status, await answer.text());`;

/** A web server of the machine, outside of every sandbox. */
async function withMachineServer(work: (port: number) => Promise<void>): Promise<void> {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response("from outside"),
  );
  try {
    await work(server.addr.port);
  } finally {
    await server.shutdown();
  }
}

shared(
  "shared sandbox: with a list of hosts a program reaches those by the proxy, nothing else, and nothing directly",
  async ({ spawn, policy, workspace }) => {
    await withMachineServer(async (port) => {
      const get = async (url: string, changes: Record<string, string> = {}) => {
        const request = deno(GET, policy, workspace);
        const child = await spawn({
          ...request,
          argv: [...request.argv, url],
          env: { ...request.env, ...changes },
        });
        const [out, err] = await Promise.all([readAll(child.stdout), readAll(child.stderr)]);
        await child.ended;
        return out + err;
      };
      // The list names this address only with port 1: so each test has its own reason.
      assertMatch(await get(`http://127.0.0.1:${port}/`), /^403 myelin: sandbox.net does not list 127.0.0.1/);
      assertMatch(await get("http://other.invalid/"), /^403 myelin: sandbox.net does not list other.invalid/);
      const direct = await get(`http://127.0.0.1:${port}/`, {
        HTTP_PROXY: "",
        http_proxy: "",
        ALL_PROXY: "",
        all_proxy: "",
      });
      assertMatch(direct, /refused/i);
      assert(!direct.includes("from outside"));
    });
  },
  { net: ["127.0.0.1:1"] },
);

Deno.test({
  name:
    "shared sandbox: a listed server of the machine is reached by the proxy, also after the holder was killed",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withMachineServer((port) =>
      withPair(
        { wrapper: "real", policy: { net: [`127.0.0.1:${port}`] } },
        async ({ spawn, sh, policy, workspace }) => {
          for (let round = 0; round < 2; round++) {
            const request = deno(GET, policy, workspace);
            const child = await spawn({ ...request, argv: [...request.argv, `http://127.0.0.1:${port}/`] });
            assertEquals(await readAll(child.stdout) + await readAll(child.stderr), "200 from outside\n");
            await sh("kill -9 -1");
          }
        },
      )
    ),
});

shared(
  "shared sandbox: a folder that turns into a link while others are mounted shows nothing and is no way to write",
  async ({ spawn, sh, home, workspace }) => {
    // Made in its own view, the folder is no mount there: so it can be swapped, again and again.
    const swap =
      `i=0; mkdir -p .git; echo up; while [ $i -lt 25 ]; do i=$((i+1)); mkdir .git/hooks; rm -rf .git/hooks; ` +
      `ln -s /oldroot${home}/.ssh .git/hooks; rm -rf .git/hooks; ln -s ${home}/.ssh .git/hooks; rm -rf .git/hooks; done`;
    const swapper = await spawn({ program: "/bin/sh", argv: ["sh", "-c", swap] });
    assertEquals(await firstLine(swapper.stdout!), "up");
    let over = false;
    void swapper.ended.then(() => over = true);
    while (!over) {
      const { out } = await sh("cat .git/hooks/id_rsa; echo x > .git/hooks/made");
      assert(!out.includes("CANARY"), out);
    }
    assertEquals([...Deno.readDirSync(`${home}/.ssh`)].map(({ name }) => name), ["id_rsa"]);
    assertEquals(Deno.statSync(workspace).isDirectory, true);
  },
);

Deno.test({
  name: "shared sandbox: where nothing can be shared each program is confined by itself",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withPair({ wrapper: "none" }, async ({ policy, workspace, home }) => {
      const alone = bubblewrap(
        "/usr/bin/bwrap",
        exists,
        Deno.uid() === 0,
        innerGroup,
        realPath,
        machineMounts,
      );
      const tools = { bwrap: "/usr/bin/bwrap", nsenter: "/bin/false", unshare: "/usr/bin/unshare" };
      const options = { tools, uid: Deno.uid()!, gid: Deno.gid()!, namespaces: ownNamespaces(policy) };
      const run = async (wrapper: Wrapper, script: string) => {
        const command = {
          program: "/bin/sh",
          argv: ["sh", "-c", script],
          cwd: workspace,
          env: { PATH: "/usr/bin:/bin" },
        };
        const { program, argv, env } = await wrapper.wrap(command, policy);
        const { code, stdout } = await new Deno.Command(program, { args: argv.slice(1), env, clearEnv: true })
          .output();
        return `${new TextDecoder().decode(stdout)}${code}`;
      };
      const shared = sharedSandbox(options, alone);
      assertEquals(
        await run(shared.wrapper, `cat ${home}/.ssh/id_rsa 2>/dev/null; echo $$ > f; exit 5`),
        "5",
      );
      assertEquals(shared.wrapper.left!("none"), []);
      await shared.close();
      // Without bubblewrap there is nothing to fall back on, and that is said.
      const small = sharedSandbox({ ...options, tools: { ...tools, bwrap: undefined } });
      assert(await small.start(policy) !== undefined);
      const error = await assertRejects(() => run(small.wrapper, "echo ran"), HostError);
      assertStringIncludes(error.message, "The sandbox cannot be started");
      await small.close();
    }),
});
