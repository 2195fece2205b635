import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createConfinedHost } from "../../src/sandbox/confined_host.ts";
import { createRealHost } from "../../src/sandbox/host_real.ts";
import { preparePolicy, removeTemp } from "../../src/sandbox/os/mod.ts";
import type { PolicySettings } from "../../src/sandbox/os/mod.ts";
import { createShell } from "../../src/shell/mod.ts";

interface Ground {
  readonly root: string;
  /** What the user was told. */
  readonly notices: readonly string[];
  sh(script: string): Promise<{ text: string; status: number }>;
}

async function withShell(
  settings: Partial<PolicySettings>,
  work: (ground: Ground) => Promise<void>,
): Promise<void> {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "confined-test-" }));
  for (const folder of ["ws", "ws/bin", "outside", "home"]) Deno.mkdirSync(`${root}/${folder}`);
  Deno.writeTextFileSync(`${root}/outside/secret.txt`, "CANARY\n");
  Deno.copyFileSync("/bin/cat", `${root}/ws/bin/cat`);
  const policy = preparePolicy({
    mode: "workspace",
    workspace: `${root}/ws`,
    approve: "never",
    home: `${root}/home`,
    ownFolder: `${root}/home/.myelin`,
    ...settings,
  });
  const env = { PATH: "/usr/bin:/bin", HOME: `${root}/home` };
  const notices: string[] = [];
  const { host, gate, close } = createConfinedHost({
    policy,
    env,
    host: createRealHost(),
    notice: (text) => void notices.push(text),
  });
  const quiet = { write() {}, close() {} };
  const shell = createShell({ host, gate, env, cwd: policy.workspace, stdout: quiet, stderr: quiet });
  try {
    await work({
      root,
      notices,
      async sh(script) {
        let text = "";
        const sink = {
          write: (bytes: Uint8Array) => void (text += new TextDecoder().decode(bytes)),
          close() {},
        };
        const { status } = await shell.run(script, { stdout: sink, stderr: sink });
        return { text, status };
      },
    });
  } finally {
    shell.close();
    await close();
    removeTemp(policy);
    Deno.removeSync(root, { recursive: true });
  }
}

Deno.test({
  name: "confined host: a shell in this isolate is bound by files, rules and wrapper",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withShell({ rules: { deny: ["run(rm *)"] } }, async ({ root, sh }) => {
      for (
        const script of [
          `cat ${root}/outside/secret.txt`,
          `bin/cat ${root}/outside/secret.txt`,
          `cat < ../outside/secret.txt`,
          `echo x > ${root}/outside/new`,
          `rm bin/cat`,
        ]
      ) {
        const { text, status } = await sh(script);
        assert(status !== 0 && !text.includes("CANARY"), `${script}: ${text}`);
      }
      assertEquals([...Deno.readDirSync(`${root}/outside`)].length, 1);
      const honest = await sh(
        "echo one > f; bin/cat f > g; bin/cat < /dev/null; cat g; bin/cat g | tr a-z A-Z",
      );
      assertEquals(honest, { text: "one\nONE\n", status: 0 });
    }),
});

Deno.test({
  name: "confined host: a library of the workspace is loaded into the program, never into what confines it",
  ignore: Deno.build.os !== "linux" || !isFile("/usr/bin/cc"),
  fn: () =>
    withShell({}, async ({ root, sh }) => {
      const source = `#include <stdio.h>
        static void mark(const char *path) { FILE *f = fopen(path, "w"); if (f) fclose(f); }
        __attribute__((constructor)) static void loaded(void) { mark("${root}/outside/mark"); mark("${root}/ws/mark"); }`;
      Deno.writeTextFileSync(`${root}/own.c`, source);
      const cc = new Deno.Command("/usr/bin/cc", {
        args: ["-shared", "-fPIC", "-o", `${root}/ws/own.so`, `${root}/own.c`],
      }).outputSync();
      assert(cc.success, new TextDecoder().decode(cc.stderr));
      assertEquals(await sh("echo one > f; LD_PRELOAD=$PWD/own.so bin/cat f"), { text: "one\n", status: 0 });
      assert(isFile(`${root}/ws/mark`), "it was loaded into the program");
      assert(!isFile(`${root}/outside/mark`), "it was loaded outside of the sandbox");
    }),
});

Deno.test("confined host: what needs permission is refused with the remedies", () =>
  withShell({ exec: "ask" }, async ({ sh }) => {
    const { text, status } = await sh("bin/cat bin/cat");
    assertEquals(status, 126);
    assertStringIncludes(text, 'add "run(./bin/cat *)" to permissions.allow');
  }));

Deno.test("confined host with the sandbox off: the control", () =>
  withShell({ mode: "off" }, async ({ root, sh }) => {
    assertEquals((await sh(`bin/cat ${root}/outside/secret.txt`)).text, "CANARY\n");
  }));

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

Deno.test({
  name: "confined host: what a program makes for git to run is moved aside, what an editor would run is told",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withShell({}, async ({ root, sh, notices }) => {
      Deno.mkdirSync(`${root}/ws/.git`);
      const script = "touch .envrc .git/commondir; while [ -e .git/commondir ]; do :; done";
      // Under its own name it would be run by the shell itself.
      Deno.copyFileSync("/bin/sh", `${root}/ws/bin/other`);
      const made = await sh(`bin/other -c '${script}'`);
      assertEquals(made.text, "");
      assertStringIncludes(notices.join("\n"), `${root}/ws/.envrc`);
      const left = [...Deno.readDirSync(`${root}/ws/.git`)].map(({ name }) => name);
      assert(left.length === 1 && left[0].startsWith("commondir.set-aside-"), left.join());
    }),
});
