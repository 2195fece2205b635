import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { createPermits } from "../../src/sandbox/permits.ts";
import type { Action } from "../../src/sandbox/policy.ts";
import { HostError } from "../../src/shell/host.ts";
import { isAlive, type Pair, type PairOptions, readAll, withPair } from "./worker_pair.ts";

const LINUX = Deno.build.os === "linux";

/** Under each wrapper of this system: bubblewrap, and what stands in for it. */
async function inEach(options: PairOptions, work: (pair: Pair) => Promise<void>): Promise<void> {
  for (const wrapper of ["real", "unshare"] as const) await withPair({ ...options, wrapper }, work);
}

Deno.test("broker runs a program with the environment it is given and nothing else", () =>
  withPair({}, async ({ sh }) => {
    const { out, code } = await sh("env; exit 3");
    assertEquals(code, 3);
    assertEquals(
      out.split("\n").map((line) => line.split("=")[0]).filter((name) =>
        !["", "PWD", "_", "SHLVL"].includes(name)
      ).sort(),
      ["HOME", "MYELIN_SHEATH", "PATH", "TMPDIR"],
    );
  }));

Deno.test({
  name: "broker: a command's environment reaches the program under the wrapper, never the wrapper",
  ignore: !LINUX,
  fn: () =>
    inEach({}, async ({ spawn, open, workspace, policy }) => {
      const mark = `seen-${crypto.randomUUID()}`;
      const env = { PATH: "/usr/bin:/bin", LD_DEBUG: "libs", LD_DEBUG_OUTPUT: `/tmp/${mark}`, OWN: "a=b\nc" };
      // Once with pipes and once with files: these are two ways to start a program.
      for (const files of [false, true]) {
        const file = files ? await open(`${workspace}/out`, { write: true, create: true }) : undefined;
        const stdout = file ? { kind: "file" as const, file } : { kind: "pipe" as const };
        const child = await spawn({ program: "/usr/bin/env", argv: ["env", "-0"], env, stdout });
        const piped = await readAll(child.stdout);
        assertEquals((await child.ended).code, 0);
        file?.close();
        const text = files ? Deno.readTextFileSync(`${workspace}/out`) : piped;
        const seen = text.split("\0").filter((line) => !/^$|^(PWD|MYELIN_SHEATH)=/.test(line));
        assertEquals(seen.sort(), Object.entries(env).map((entry) => entry.join("=")).sort());
        // The loader of a program that sees the variable leaves a file where the program's own /tmp is.
        const traces = [...Deno.readDirSync(policy.tempDir)].filter(({ name }) => name.startsWith(mark));
        assertEquals(traces.length, 1);
        Deno.removeSync(`${policy.tempDir}/${traces[0].name}`);
      }
      assertEquals([...Deno.readDirSync("/tmp")].filter(({ name }) => name.startsWith(mark)), []);
    }),
});

Deno.test({
  name: "broker: a wrapped program changes nothing of the kernel, whoever it runs as",
  ignore: !LINUX,
  fn: () =>
    inEach({}, async ({ sh }) => {
      // Writes back what stands there: harmless where the wall does not hold.
      const { out } = await sh(
        "for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/sys/vm/swappiness; do " +
          'v=$(cat $f) && { (echo "$v" > $f) 2>/dev/null && echo wrote $f; }; done; echo over',
      );
      assertEquals(out, "over\n");
    }),
});

Deno.test({
  name:
    "broker: with the whole disk as workspace a wrapped program still sees only its own processes and no sockets",
  ignore: !LINUX,
  fn: () =>
    inEach({ policy: { workspace: "/" } }, async ({ sh, workspace }) => {
      const { out, code } = await sh(
        `echo hello > ${workspace}/made; ls -A /run; ls /dev/mem /dev/kmsg 2>/dev/null; ls -d /proc/[0-9]* | wc -l`,
      );
      assertEquals(code, 0);
      assert(Number(out) > 0 && Number(out) < 8, out);
      assertEquals(Deno.readTextFileSync(`${workspace}/made`), "hello\n");
    }),
});

Deno.test({
  name: "broker: a hidden or protected place that is a link breaks no wrapper and stays hidden",
  ignore: !LINUX,
  fn: async () => {
    const keys = Deno.realPathSync(Deno.makeTempDirSync({ dir: "/var/tmp", prefix: "keys-" }));
    try {
      Deno.writeTextFileSync(`${keys}/key`, "CANARY-KEY\n");
      await inEach({ policy: { readRoots: [keys] } }, async ({ sh, home, workspace }) => {
        Deno.symlinkSync(keys, `${home}/.aws`);
        Deno.symlinkSync(`${keys}/key`, `${home}/.netrc`);
        Deno.symlinkSync(keys, `${workspace}/.vscode`);
        Deno.mkdirSync(`${workspace}/hooks`);
        Deno.mkdirSync(`${workspace}/.git`);
        Deno.symlinkSync(`${workspace}/hooks`, `${workspace}/.git/hooks`);
        const { out } = await sh(
          `cat ${home}/.aws/key ${home}/.netrc ${keys}/key .vscode/key; echo x > hooks/pre-commit; echo ran`,
        );
        assert(out.startsWith("ran\n") && !out.includes("CANARY") && !out.includes("bwrap"), out);
        assertEquals([...Deno.readDirSync(`${workspace}/hooks`)], []);
      });
    } finally {
      Deno.removeSync(keys, { recursive: true });
    }
  },
});

Deno.test("broker: without a wrapper a rule does not cover a program that is led to other settings, and the refusal says why there is none", async () => {
  let judge: ((action: Action) => Promise<string | undefined>) | undefined;
  const policy = { rules: { allow: ["run(env *)", "run(env)"] } };
  await withPair({ policy, permit: (action) => judge?.(action) }, async ({ spawn, policy }) => {
    const permits = createPermits({ policy });
    judge = (action) => permits(action, "", new AbortController().signal);
    const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: policy.home, TMPDIR: policy.tempDir };
    const start = (changes: Record<string, string>) =>
      spawn({ program: "/usr/bin/env", argv: ["env"], env: { ...env, ...changes } });
    assertStringIncludes(await readAll((await start({ OWN: "1" })).stdout), "OWN=1\n");
    for (const name of ["HOME", "PATH", "XDG_CONFIG_HOME"]) {
      const error = await assertRejects(() => start({ [name]: "/elsewhere" }), HostError);
      assertEquals(error.code, "EDENIED");
      assertStringIncludes(error.message, "(none in this test)");
    }
  });
});

Deno.test({
  name: "broker: git without a wrapper starts no program that the workspace names",
  ignore: !LINUX,
  fn: () =>
    withPair({}, async ({ spawn, workspace }) => {
      const git = async (...args: string[]) => {
        const child = await spawn({ program: "/usr/bin/git", argv: ["git", ...args] });
        const [out, err] = await Promise.all([readAll(child.stdout), readAll(child.stderr)]);
        return { text: out + err, code: (await child.ended).code };
      };
      assertEquals((await git("init", "-q", "a")).code, 0);
      Deno.writeTextFileSync(`${workspace}/watch`, `#!/bin/sh\ntouch ${workspace}/started\n`, {
        mode: 0o755,
      });
      assertEquals((await git("-C", "a", "config", "core.fsmonitor", `${workspace}/watch`)).code, 0);
      assertEquals((await git("-C", "a", "status")).code, 0);
      assertEquals([...Deno.readDirSync(workspace)].map(({ name }) => name).sort(), ["a", "watch"]);
      assertEquals((await git("init", "-q", "--bare", "b")).code, 0);
      assertStringIncludes((await git("-C", "b", "log")).text, "safe.bareRepository");
    }),
});

Deno.test("broker refuses what the gate refuses, with its words", () =>
  withPair(
    { permit: (action) => action.kind === "run" ? `no ${action.argv[0]}` : undefined },
    async ({ spawn }) => {
      const error = await assertRejects(() => spawn({ program: "/bin/true" }), HostError);
      assertEquals(error.code, "EDENIED");
      assertStringIncludes(error.message, "no /bin/true");
    },
  ));

Deno.test("broker has a program judged by where it lies, also through links and through the private /tmp", async () => {
  const judged: (string | undefined)[] = [];
  const permit = (action: Action) => void (action.kind === "run" && judged.push(action.program));
  for (const wrapper of LINUX ? ["none", "real"] as const : ["none"] as const) {
    judged.length = 0;
    await withPair({ wrapper, permit }, async ({ spawn, workspace, policy }) => {
      Deno.copyFileSync("/bin/echo", `${workspace}/own`);
      Deno.symlinkSync("own", `${workspace}/git`);
      Deno.mkdirSync(`${policy.tempDir}/sub`);
      Deno.copyFileSync("/bin/echo", `${policy.tempDir}/sub/tool`);
      for (const program of [`${workspace}/git`, "/tmp/sub/tool"]) {
        const child = await spawn({ program, argv: [program, "ran"], cwd: "/tmp/sub" });
        assertEquals(await readAll(child.stdout), "ran\n", program);
      }
      assertEquals(judged, [`${workspace}/own`, `${policy.tempDir}/sub/tool`]);
    });
  }
});

Deno.test("broker names a program that is not there or cannot run", () =>
  withPair({}, async ({ spawn, workspace }) => {
    assertEquals(
      (await assertRejects(() => spawn({ program: "/bin/nothing-here" }), HostError)).code,
      "ENOENT",
    );
    Deno.writeTextFileSync(`${workspace}/text`, "x");
    assertEquals(
      (await assertRejects(() => spawn({ program: `${workspace}/text` }), HostError)).code,
      "EACCES",
    );
  }));

Deno.test("broker carries large input and output without loss", () =>
  withPair({}, async ({ spawn }) => {
    const child = await spawn({ program: "/bin/cat", stdin: { kind: "pipe" } });
    const block = new Uint8Array(300_000).map((_, i) => i % 251);
    const feed = (async () => {
      for (let i = 0; i < 20; i++) await child.stdin!.write(block);
      child.stdin!.close();
    })();
    const buffer = new Uint8Array(70_000);
    let at = 0;
    for (;;) {
      const length = await child.stdout!.read(buffer);
      if (length === 0) break;
      for (let i = 0; i < length; i += 997) assertEquals(buffer[i], ((at + i) % block.length) % 251);
      at += length;
    }
    await feed;
    assertEquals(at, 20 * block.length);
    assertEquals((await child.ended).code, 0);
  }));

Deno.test("broker: a reader that goes away ends the writer", () =>
  withPair({}, async ({ spawn }) => {
    const child = await spawn({ program: "/usr/bin/yes" });
    const buffer = new Uint8Array(10);
    await child.stdout!.read(buffer);
    child.stdout!.close();
    assertEquals((await child.ended).signal, "SIGPIPE");
  }));

Deno.test("broker: a writer learns that nobody reads", () =>
  withPair({}, async ({ spawn }) => {
    const child = await spawn({ program: "/bin/true", stdin: { kind: "pipe" } });
    await child.ended;
    const error = await assertRejects(async () => {
      for (let i = 0; i < 50; i++) await child.stdin!.write(new Uint8Array(65536));
    }, HostError);
    assertEquals(error.code, "EPIPE");
  }));

Deno.test({
  name: "broker: what a program leaves of its input can be read on, whether it took some of it or none",
  ignore: !LINUX,
  fn: async () => {
    for (const wrapper of ["none", "real"] as const) {
      await withPair({ wrapper }, async ({ spawn }) => {
        for (
          const [script, taken] of [["exit 0", 0], ["dd bs=1 count=3 of=/dev/null 2>/dev/null", 3], [
            "exec 0<&-; exit 0",
            0,
          ]] as const
        ) {
          const child = await spawn({
            program: "/bin/sh",
            argv: ["sh", "-c", script],
            stdin: { kind: "pipe" },
            keepUnread: true,
          });
          const text = "0123456789".repeat(30_000);
          // More than a pipe holds: the last write waits until the rest is asked for.
          const fed = (async () => {
            await child.stdin?.write(new TextEncoder().encode(text));
            child.stdin?.close();
          })();
          await child.ended;
          const rest = await child.unread?.();
          await fed;
          if (rest) assertEquals(new TextDecoder().decode(rest), text.slice(taken));
          else assertEquals(child.stdin, undefined);
        }
      });
    }
  },
});

Deno.test({
  name: "broker: what a program leaves behind on its pipes holds up nobody, and is ended",
  ignore: !LINUX,
  fn: () =>
    withPair({}, async ({ sh }) => {
      const { out, code } = await sh("sleep 1000 & echo $!; exit 0");
      assertEquals(code, 0);
      const pid = Number(out.trim());
      await gone(pid);
    }),
});

Deno.test({
  name: "broker: the output before a program's end is whole, also if its reader is slow",
  ignore: !LINUX,
  fn: () =>
    withPair({}, async ({ spawn }) => {
      const child = await spawn({
        program: "/bin/sh",
        argv: ["sh", "-c", "head -c 1000000 /dev/zero; sleep 1000 &"],
      });
      let size = 0;
      const buffer = new Uint8Array(100_000);
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 0));
        const length = await child.stdout!.read(buffer);
        if (length === 0) break;
        size += length;
      }
      assertEquals(size, 1_000_000);
    }),
});

Deno.test({
  name: "broker ends the whole tree of a call: children, and those that ignore SIGTERM or are stopped",
  ignore: !LINUX,
  fn: () =>
    withPair({}, async ({ spawn, broker }) => {
      const child = await spawn({
        program: "/bin/sh",
        argv: ["sh", "-c", "trap '' TERM; sleep 1000 & sleep 1000 & sh -c 'echo $$; kill -STOP $$' & wait"],
      });
      const buffer = new Uint8Array(100);
      const length = await child.stdout!.read(buffer);
      const pid = Number(new TextDecoder().decode(buffer.subarray(0, length)));
      assert(isAlive(pid));
      await broker.endCall(1);
      await child.ended;
      await gone(pid);
      await gone(child.pid);
    }),
});

Deno.test("broker starts nothing for a call that was ended while its question was open", () => {
  const { promise: answer, resolve } = Promise.withResolvers<undefined>();
  return withPair({ permit: () => answer }, async ({ spawn, broker }) => {
    const spawned = assertRejects(() => spawn({ program: "/bin/true" }), HostError);
    await broker.endCall(1);
    resolve(undefined);
    assertEquals((await spawned).code, "EPERM");
    assertEquals(broker.running, 0);
  });
});

Deno.test({
  name: "broker finds and ends what has left its group, at the end of its call",
  ignore: !LINUX,
  fn: () =>
    withPair({}, async ({ sh, broker }) => {
      const { out } = await sh("setsid sh -c 'echo $$; exec sleep 1000 >/dev/null 2>&1' & exit 0");
      const pid = Number(out.trim());
      assert(isAlive(pid));
      await broker.endCall(1);
      await gone(pid);
    }),
});

Deno.test("broker hands files over: position and appending are shared with the shell", () =>
  withPair({}, async ({ spawn, open, workspace }) => {
    const path = `${workspace}/out.txt`;
    const file = await open(path, { write: true, create: true, truncate: true });
    await file.write(new TextEncoder().encode("before\n"));
    const child = await spawn({
      program: "/bin/sh",
      argv: ["sh", "-c", "echo out; echo err >&2"],
      stdout: { kind: "file", file },
      stderr: { kind: "file", file },
    });
    assertEquals((await child.ended).code, 0);
    await file.write(new TextEncoder().encode("after\n"));
    file.close();
    assertEquals(Deno.readTextFileSync(path), "before\nout\nerr\nafter\n");
  }));

Deno.test("broker hands input files over: a program that does not read takes nothing away", () =>
  withPair({}, async ({ spawn, open, workspace }) => {
    const path = `${workspace}/in.txt`;
    Deno.writeTextFileSync(path, "one\ntwo\nthree\n");
    const file = await open(path, { read: true });
    const buffer = new Uint8Array(4);
    await file.read(buffer);
    const idle = await spawn({ program: "/bin/true", stdin: { kind: "file", file } });
    await idle.ended;
    const reader = await spawn({
      program: "/bin/sh",
      argv: ["sh", "-c", "read a; echo got $a"],
      stdin: { kind: "file", file },
    });
    assertEquals(await readAll(reader.stdout), "got two\n");
    await reader.ended;
    const length = await file.read(new Uint8Array(100));
    assertEquals(length, "three\n".length);
    file.close();
  }));

Deno.test("broker pumps where a file was replaced after it was opened", () =>
  withPair({}, async ({ spawn, open, workspace }) => {
    const path = `${workspace}/out.txt`;
    const file = await open(path, { read: true, write: true, create: true, truncate: true });
    Deno.renameSync(path, `${workspace}/moved.txt`);
    Deno.writeTextFileSync(path, "other");
    const child = await spawn({
      program: "/bin/echo",
      argv: ["echo", "text"],
      stdout: { kind: "file", file },
    });
    await child.ended;
    file.close();
    assertEquals(Deno.readTextFileSync(`${workspace}/moved.txt`), "text\n");
    assertEquals(Deno.readTextFileSync(path), "other");
  }));

Deno.test({
  name: "broker under the wrapper: no network, no credentials, no environment of others, no writing outside",
  ignore: !LINUX,
  fn: () =>
    inEach({}, async ({ sh, workspace, home }) => {
      const { out } = await sh(
        `cat ${home}/.ssh/id_rsa; echo evil > ${home}/x; echo evil > /etc/x; cat /proc/${Deno.pid}/environ;` +
          ` ls /proc | grep -c '^[0-9]'; cat /proc/net/dev; ls -a ${home}; echo good > made.txt; echo t > $TMPDIR/t; cat /tmp/t`,
      );
      assert(!out.includes("CANARY"), out);
      assertMatch(out, /Read-only file system/);
      assert(!out.includes("eth0"), out);
      assertStringIncludes(out, ".ssh");
      assertStringIncludes(out, "\nt\n");
      assertEquals(Deno.readTextFileSync(`${workspace}/made.txt`), "good\n");
      assertEquals([...Deno.readDirSync(home)].map((entry) => entry.name), [".ssh"]);
    }),
});

Deno.test({
  name: "broker under the wrapper: protected places cannot be written, moved or replaced",
  ignore: !LINUX,
  fn: () =>
    inEach({}, async ({ sh, workspace }) => {
      Deno.mkdirSync(`${workspace}/.git/hooks`, { recursive: true });
      Deno.writeTextFileSync(`${workspace}/.git/config`, "[core]\n");
      const { out } = await sh(
        "echo x > .git/hooks/pre-commit; echo x >> .git/config; mv .git .git2; mv .git/hooks h; rm -rf .git/hooks; echo ok > .git/HEAD",
      );
      assertMatch(out, /Read-only file system/);
      assertEquals([...Deno.readDirSync(`${workspace}/.git/hooks`)], []);
      assertEquals(Deno.readTextFileSync(`${workspace}/.git/config`), "[core]\n");
      assertEquals(Deno.readTextFileSync(`${workspace}/.git/HEAD`), "ok\n");
    }),
});

Deno.test({
  name: "broker under the wrapper in read-only mode: the workspace cannot be written",
  ignore: !LINUX,
  fn: () =>
    inEach({ policy: { mode: "read-only" } }, async ({ sh, workspace }) => {
      const { out } = await sh("echo x > made.txt; echo t > $TMPDIR/t && echo temp");
      assertStringIncludes(out, "temp");
      assertEquals([...Deno.readDirSync(workspace)], []);
    }),
});

Deno.test({
  name: "broker under the wrapper: a program hears SIGTERM before it is killed, and nothing of it is left",
  ignore: !LINUX,
  fn: () =>
    inEach({}, async ({ spawn, broker, workspace }) => {
      const child = await spawn({
        program: "/bin/sh",
        argv: ["sh", "-c", "trap 'echo heard > heard.txt; exit 7' TERM; setsid sleep 1000 & echo up; wait"],
      });
      await child.stdout!.read(new Uint8Array(10));
      await broker.endCall(1);
      assertEquals((await child.ended).code, 7);
      assertEquals(Deno.readTextFileSync(`${workspace}/heard.txt`), "heard\n");
      await gone(child.pid);
    }),
});

/** Waits until a process is gone; the test runner's own limit ends a wait in vain. */
async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
}
