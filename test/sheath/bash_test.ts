import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { isAlive } from "../sandbox/worker_pair.ts";
import { openArtifacts } from "../../src/session/mod.ts";
import { withSheath } from "./sheath_fixture.ts";

const LINUX = Deno.build.os === "linux";

/** Copies programs of the system into the workspace: by these paths they are programs, not commands of the shell. */
function putPrograms(workspace: string, ...names: string[]): void {
  Deno.mkdirSync(`${workspace}/bin`);
  for (const name of names) Deno.copyFileSync(`/usr/bin/${name}`, `${workspace}/bin/${name}`);
}

/** Policies under which every refusal must hold: with a wrapper, and without one where programs are allowed by nobody. */
const MODES = ["workspace", "read-only"] as const;

Deno.test("bash runs a script, tells its status, and keeps folder and exported variables", () =>
  withSheath({}, async ({ run, workspace }) => {
    Deno.mkdirSync(`${workspace}/sub`);
    assertEquals((await run("bash", { command: "echo hi" })).text, "hi\n");
    const failed = await run("bash", { command: "echo out; echo err >&2; exit 3" });
    assert(failed.isError);
    assertEquals(failed.text, "out\nerr\n[exit status 3]");
    await run("bash", { command: "cd sub; export KEPT=yes; GONE=no" });
    assertEquals((await run("bash", { command: "basename $PWD; echo $KEPT" })).text, "sub\nyes\n");
    assertEquals((await run("bash", { command: "basename $PWD", cwd: ".." })).text, "ws\n");
    assertEquals((await run("bash", { command: "basename $PWD" })).text, "sub\n");
  }));

Deno.test("bash lists the workspace whole, without an error for the folder above it", () =>
  withSheath({}, async ({ run }) => {
    const { text, isError } = await run("bash", { command: "ls -a; ls -la > /dev/null; cd ..; ls" });
    assertMatch(text, /^\.\n\.\.\nplain\.txt\nls: .*Not allowed/);
    assert(isError);
  }));

Deno.test("bash reads an empty stdin", () =>
  withSheath({}, async ({ run }) => {
    assertEquals((await run("bash", { command: "cat; read x; echo $?" })).text, "1\n");
  }));

Deno.test("bash starts in a folder that exists, also when the last one is gone", () =>
  withSheath({}, async ({ run }) => {
    const { text } = await run("bash", { command: "d=$(mktemp -d); cd $d; rmdir $d; echo still" });
    assertStringIncludes(text, "still");
    const next = await run("bash", { command: "basename $(pwd -P); echo here" });
    assertStringIncludes(next.text, "here");
  }));

Deno.test("bash has no terminal to take", () =>
  withSheath({}, async ({ run }) => {
    assertStringIncludes((await run("bash", { command: "read x < /dev/tty; echo got=$?" })).text, "got=1");
  }));

for (const mode of MODES) {
  Deno.test(`bash cannot reach secrets or what lies outside (${mode}): builtins, redirections, coreutils`, () =>
    withSheath({ policy: { mode } }, async ({ run, workspace, outside, home }) => {
      Deno.symlinkSync("../outside", `${workspace}/dir-link`);
      Deno.symlinkSync("../outside/secret.txt", `${workspace}/file-link`);
      Deno.symlinkSync("../outside/new.txt", `${workspace}/dangling-link`);
      Deno.symlinkSync("/proc/self/environ", `${workspace}/env-link`);
      Deno.symlinkSync("/", `${workspace}/root-link`);
      const attempts = [
        `cat ${home}/.ssh/id_rsa`,
        `cat < ${home}/.ssh/id_rsa`,
        `echo "$(< ${home}/.ssh/id_rsa)"`,
        `while read line; do echo $line; done < ${home}/.ssh/id_rsa`,
        `source ${home}/.ssh/id_rsa`,
        `cat ~/.ssh/id_rsa`,
        `cd ${home}/.ssh && cat id_rsa`,
        `head ../home/.ssh/id_rsa; tail ../home/.ssh/id_rsa; sort ../home/.ssh/id_rsa; grep . ../home/.ssh/id_rsa`,
        `cp ${home}/.ssh/id_rsa stolen; cat stolen`,
        `mv ${home}/.ssh/id_rsa stolen; cat stolen`,
        `ln ${home}/.ssh/id_rsa stolen; cat stolen`,
        `ln -s ${home}/.ssh/id_rsa stolen2; cat stolen2`,
        `cat file-link dir-link/secret.txt root-link${outside}/secret.txt`,
        `cat env-link /proc/self/environ /proc/$$/environ /proc/$PPID/environ /proc/${Deno.pid}/environ`,
        `env; echo $CANARY_TOKEN; set; export -p; printenv CANARY_TOKEN`,
        `find . -follow -name '*.txt' -exec cat {} +`,
        `find root-link${outside} -type f | xargs cat`,
        `sed -n p ${outside}/secret.txt; wc ${outside}/secret.txt; tee < ${outside}/secret.txt`,
        `sh -c 'cat ${outside}/secret.txt'; bash -c 'cat ${outside}/secret.txt'; eval 'cat ${outside}/secret.txt'`,
        `exec 3<${outside}/secret.txt; cat <&3`,
        `mapfile a < ${outside}/secret.txt; echo "\${a[@]}"`,
        `echo evil > ${outside}/evil; echo evil >> file-link; echo evil > dangling-link; echo evil > dir-link/evil`,
        `cp plain.txt dir-link/; tee dir-link/evil < plain.txt; touch ${outside}/evil; mkdir ${outside}/d`,
        `ln -sf ../outside l2 && echo y > l2/z`,
        `rm ${outside}/secret.txt; rm -r dir-link/; truncate -s 0 file-link; sed -i s/C/X/ file-link`,
        `mv plain.txt ${outside}/moved; chmod 777 ${outside}/secret.txt; touch -t 200001010000 ${outside}/secret.txt`,
        `trap 'echo evil > ${outside}/evil' EXIT`,
        `f() { echo evil > ${outside}/evil; }; f; (f); f & wait; f | cat`,
        `echo evil > ${home}/.bashrc; echo evil > .git/hooks/pre-commit; mkdir -p .git/hooks && echo evil > .git/hooks/x`,
      ];
      for (const command of attempts) {
        const { text } = await run("bash", { command });
        assert(!text.includes("CANARY"), `${command}\n${text}`);
        assert(!/evil$/m.test([...Deno.readDirSync(outside)].map((entry) => entry.name).join("\n")), command);
      }
      assertEquals([...Deno.readDirSync(outside)].map((entry) => entry.name), ["secret.txt"]);
      assertEquals(Deno.readTextFileSync(`${outside}/secret.txt`), "CANARY-OUT\n");
      assertEquals(Deno.readTextFileSync(`${home}/.ssh/id_rsa`), "CANARY-KEY\n");
      assertEquals([...Deno.readDirSync(home)].map((entry) => entry.name), [".ssh"]);
      const hooks = await run("bash", { command: "ls .git/hooks 2>/dev/null; cat plain.txt" });
      assertStringIncludes(hooks.text, "plain");
    }));
}

Deno.test("bash with the sandbox off does what the attempts wanted: the control", () =>
  withSheath({ policy: { mode: "off" } }, async ({ run, workspace, outside, home }) => {
    Deno.symlinkSync("../outside/secret.txt", `${workspace}/file-link`);
    const { text } = await run("bash", {
      command: `cat ${home}/.ssh/id_rsa file-link; echo made > ${outside}/new`,
    });
    assertStringIncludes(text, "CANARY-KEY\nCANARY-OUT");
    assertEquals(Deno.readTextFileSync(`${outside}/new`), "made\n");
  }));

Deno.test("bash: honest links and pipes in the workspace work", () =>
  withSheath({}, async ({ run, workspace }) => {
    Deno.mkdirSync(`${workspace}/src`);
    const { text, isError } = await run("bash", {
      command:
        `ln -s src in && echo 'int y;' > in/ok.c && cat src/ok.c | tr a-z A-Z > up.txt; cat up.txt; ln plain.txt hard; cat hard; mv hard h2; rm h2; seq 3 | xargs -n1 echo`,
    });
    assertEquals(text, "INT Y;\nplain\n1\n2\n3\n");
    assert(!isError);
  }));

Deno.test("bash: a rule that denies holds for commands of the shell, wherever they stand", () =>
  withSheath({ policy: { rules: { deny: ["run(rm *)", "run(git push*)"] } } }, async ({ run, workspace }) => {
    for (
      const command of [
        "rm plain.txt",
        "true && rm plain.txt",
        "echo $(rm plain.txt)",
        "f() { rm plain.txt; }; f",
        "env A=1 rm plain.txt",
        "sh -c 'rm plain.txt'",
        "echo plain.txt | xargs rm",
        "find . -name plain.txt -exec rm {} +",
        "x=rm; $x plain.txt",
        "command rm plain.txt",
        "eval 'r''m plain.txt'",
        "(rm plain.txt) & wait",
      ]
    ) {
      const { text } = await run("bash", { command });
      assertStringIncludes(text, "permissions.deny", command);
    }
    assertEquals(Deno.readTextFileSync(`${workspace}/plain.txt`), "plain\n");
    assertEquals(
      (await run("bash", { command: "echo 'rm plain.txt' # rm plain.txt" })).text,
      "rm plain.txt\n",
    );
  }));

Deno.test("bash: a question waits in the middle of a script, and its answer decides", () => {
  const asked: string[] = [];
  return withSheath({
    policy: { approve: "ask", rules: { ask: ["run(touch *)"] } },
    sheath: {
      approve(request) {
        asked.push(request.summary);
        return Promise.resolve(
          request.summary.includes("bad") ? { allow: false, reason: "not that one" } : { allow: true },
        );
      },
    },
  }, async ({ run, workspace }) => {
    const { text } = await run("bash", { command: "echo before; touch good; touch bad; echo after" });
    assertMatch(text, /^before\n.*not that one.*\nafter\n$/);
    assertEquals(asked, ["run touch good", "run touch bad"]);
    const names = [...Deno.readDirSync(workspace)].map((entry) => entry.name).sort();
    assertEquals(names, ["good", "plain.txt"]);
  });
});

Deno.test({
  name: "bash runs programs under the wrapper: they work in the workspace and reach nothing else",
  ignore: !LINUX,
  fn: () =>
    withSheath({}, async ({ run, workspace, home }) => {
      putPrograms(workspace, "env", "cat", "touch", "id");
      const { text } = await run("bash", {
        command:
          `bin/id -u; bin/env; bin/cat ${home}/.ssh/id_rsa /proc/${Deno.pid}/environ; bin/touch made; bin/touch ${home}/evil`,
      });
      assertMatch(text, /^\d+\n/);
      assertStringIncludes(text, "GIT_TERMINAL_PROMPT=0");
      assertStringIncludes(text, "id_rsa: No such file");
      assert(!text.includes("CANARY"), text);
      assert([...Deno.readDirSync(workspace)].some((entry) => entry.name === "made"));
      assertEquals([...Deno.readDirSync(home)].map((entry) => entry.name), [".ssh"]);
    }),
});

Deno.test("bash without permission for programs says what can be done", () =>
  withSheath({ policy: { exec: "ask" } }, async ({ run, workspace }) => {
    putPrograms(workspace, "id");
    const { text, result } = await run("bash", { command: "bin/id" });
    for (const remedy of ["run(./bin/id *)", "--sandbox off", "--approve ask"]) {
      assertStringIncludes(text, remedy);
    }
    assertStringIncludes(result.denied ?? "", "id is an external program");
  }));

Deno.test({
  name: "bash: programs and the shell share files and pipes",
  ignore: !LINUX,
  fn: () =>
    withSheath({}, async ({ run, workspace }) => {
      putPrograms(workspace, "sort", "echo", "true", "cat", "yes");
      const { text } = await run("bash", {
        command:
          `printf 'b\\na\\n' | bin/sort | tr a-z A-Z; { echo one; bin/echo two; echo three; } > f; cat f
          while read x; do bin/true; echo got $x; done < f; bin/cat < f | head -1; bin/yes | head -2`,
      });
      assertEquals(text, "A\nB\none\ntwo\nthree\ngot one\ngot two\ngot three\none\ny\ny\n");
    }),
});

Deno.test({
  name: "bash: a cancel ends loops of the shell and trees of programs",
  ignore: !LINUX,
  fn: () =>
    withSheath({}, async ({ run, notices, workspace }) => {
      putPrograms(workspace, "sleep", "yes");
      for (
        const command of [
          "echo up; while :; do :; done",
          "echo up; bin/yes > /dev/null",
          "echo up; for i in 1 2 3; do (bin/sleep 300 & sleep 300) & done; wait",
          "echo up; sleep 300",
          "echo up; cat /dev/zero | wc -c",
        ]
      ) {
        const abort = new AbortController();
        const { isError, text } = await run("bash", { command }, {
          signal: abort.signal,
          output: () => setTimeout(() => abort.abort(), 0),
        });
        assert(isError, command);
        assertStringIncludes(text, "[cancelled]", command);
      }
      assertEquals(notices, []);
      assertEquals((await run("bash", { command: "echo alive" })).text, "alive\n");
    }),
});

Deno.test("bash tells the model when a command failed for want of network", async () => {
  const command = "echo 'curl: (6) Could not resolve host: example.org' >&2; exit 6";
  await withSheath({}, async ({ run }) => {
    assertStringIncludes((await run("bash", { command })).text, "[programs have no network here");
    assert(!(await run("bash", { command: "echo could not resolve" })).text.includes("["));
  });
  await withSheath({ policy: { net: ["*"] } }, async ({ run }) => {
    assert(!(await run("bash", { command })).text.includes("no network"));
  });
});

Deno.test("bash: the time limit ends a busy loop, and the result says so", () =>
  withSheath({}, async ({ run, notices }) => {
    const { text, isError } = await run("bash", { command: "echo up; while :; do :; done", timeout: 0.2 });
    assert(isError);
    assertMatch(text, /^up\n\[ended after the time limit of 0\.2 s/);
    assertEquals(notices, []);
  }));

Deno.test({
  name: "bash returns while jobs run on, lists them, and they end with the session",
  ignore: !LINUX,
  fn: async () => {
    let pid = 0;
    await withSheath({ policy: { exec: "allow" } }, async ({ run, workspace }) => {
      putPrograms(workspace, "sleep", "ps");
      const { text } = await run("bash", { command: "bin/sleep 3456 & echo started" });
      assertMatch(
        text,
        /^started\n\[1 job still running as sh1 \(bash_output, kill_shell\): \[1\] bin\/sleep 3456; ended with the session\]$/,
      );
      const found = await run("bash", { command: "bin/ps -eo pid,args | grep '[s]leep 3456'" });
      pid = Number(/^\s*(\d+)/.exec(found.text)?.[1]);
      assert(isAlive(pid), found.text);
    });
    while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
  },
});

Deno.test("bash: background shells are started, looked at and ended", () =>
  withSheath({}, async ({ run }) => {
    const started = await run("bash", {
      command: "echo first; while :; do sleep 0.01; done",
      background: true,
    });
    const id = /sh\d+/.exec(started.text)![0];
    let seen = "";
    while (!seen.includes("first")) seen += (await run("bash_output", { id })).text;
    assertStringIncludes(seen, "still running");
    assertStringIncludes((await run("kill_shell", { id })).text, "ended");
    assertMatch((await run("bash_output", { id })).text, /ended with status/);
    assert((await run("bash_output", { id: "other" })).isError);
  }));

Deno.test("bash keeps the whole of a long output in an artifact", () => {
  const kept: Uint8Array[] = [];
  return withSheath({
    sheath: {
      artifacts: {
        create: () =>
          Promise.resolve({
            id: 1,
            path: "/session/1.txt",
            write: (bytes) => Promise.resolve(void kept.push(bytes)),
            close: () => Promise.resolve(),
          }),
        read: () => Promise.resolve(undefined),
      },
    },
  }, async ({ run }) => {
    const { text } = await run("bash", { command: "seq 100000" });
    assertStringIncludes(text, "artifact://1");
    assertMatch(text, /^1\n2\n3\n/);
    assertMatch(text, /\n99999\n100000\n$/);
    assertEquals(kept.reduce((sum, chunk) => sum + chunk.length, 0), 588895);
  });
});

Deno.test("bash: a flood passes through a pipe without growing", () =>
  withSheath({}, async ({ run }) => {
    assertEquals((await run("bash", { command: "yes | head -c 20000000 | tail -c 4" })).text, "y\ny\n");
  }));

Deno.test({
  name: "bash: programs in a loop take nothing of the loop's input that they do not read",
  ignore: !LINUX,
  fn: async () => {
    for (const wrapper of ["none", "auto"] as const) {
      const policy = wrapper === "none" ? { exec: "allow" as const } : {};
      await withSheath({ policy }, async ({ run, workspace }) => {
        putPrograms(workspace, "true", "head", "cat", "seq");
        const lines = await run("bash", {
          command: `
            seq 1 40 | while read l; do bin/true; echo "$l"; done | wc -l
            bin/seq 1 40 | while read l; do bin/true; echo "$l"; done | tail -1
            seq 1 5 | { bin/true; read a; echo "first $a"; bin/cat; }
            printf 'a\\nb\\n' | { bin/cat; read x || echo nothing left; }`,
        });
        assertEquals(lines.text, "40\n40\nfirst 1\n2\n3\n4\n5\na\nb\nnothing left\n");
      });
    }
  },
});

Deno.test("bash says so where the workspace is gone", () =>
  withSheath({}, async ({ run, workspace }) => {
    await run("bash", { command: "true" });
    Deno.renameSync(workspace, `${workspace}.away`);
    try {
      const { text, isError } = await run("bash", { command: "echo no" });
      assert(isError);
      assertStringIncludes(text, `The workspace ${workspace} is not there any more`);
    } finally {
      Deno.renameSync(`${workspace}.away`, workspace);
    }
    assertEquals((await run("bash", { command: "echo again" })).text, "again\n");
  }));

Deno.test("bash ends functions that fork without end with an error", () =>
  withSheath({}, async ({ run }) => {
    const { text, isError } = await run("bash", { command: "f(){ f | f; }; f; echo no" });
    assert(isError);
    assertStringIncludes(text, "fork: Resource temporarily unavailable\n[exit status 254]");
    assertEquals((await run("bash", { command: "echo on | cat" })).text, "on\n");
  }));

Deno.test("what a command leaves running is listed, tells what it prints, and can be ended", async () => {
  await withSheath({}, async ({ run }) => {
    const { text } = await run("bash", {
      command: "(while :; do echo tick; sleep 0.01; done) & sleep 0.05; echo front",
    });
    assertMatch(text, /front\n\[1 job still running as sh1 /);
    let seen = "";
    while (!seen.includes("tick")) seen += (await run("bash_output", { id: "sh1" })).text;
    assertStringIncludes(seen, "[sh1: still running]");
    assertStringIncludes((await run("kill_shell", { id: "sh1" })).text, "sh1 has ended");
    assertStringIncludes((await run("bash_output", { id: "sh1" })).text, "[sh1: ended]");
  });
});

Deno.test("commands run in the project's development shell: its variables, and its programs first", async () => {
  const bin = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    Deno.writeTextFileSync(`${bin}/only-here`, "#!/bin/sh\necho from the dev shell\n", { mode: 0o755 });
    const devShell = (env: Readonly<Record<string, string>>) =>
      Promise.resolve({ CC: "gcc-of-the-project", PATH: `${bin}:${env.PATH}` });
    await withSheath({ policy: { mode: "off" }, sheath: { devShell } }, async ({ run }) => {
      assertEquals(
        (await run("bash", { command: "echo $CC; only-here" })).text,
        "gcc-of-the-project\nfrom the dev shell\n",
      );
    });
  } finally {
    Deno.removeSync(bin, { recursive: true });
  }
});

Deno.test("a background shell's whole output is kept, whatever was looked at", async () => {
  const dir = Deno.makeTempDirSync();
  try {
    await withSheath(
      { sheath: { artifacts: openArtifacts(() => Promise.resolve(dir)) } },
      async ({ run }) => {
        const { text } = await run("bash", { command: "seq 200000; echo end", background: true });
        assertMatch(text, /^Running in the background as sh1\..* Its whole output: artifact:\/\/1 \(/);
        let seen = "";
        while (!seen.includes("ended with status 0")) seen += (await run("bash_output", { id: "sh1" })).text;
        const lines = (await run("grep", { path: "artifact://1", pattern: "^(1|100000|200000|end)$" })).text;
        assertEquals(lines, "1:1\n100000:100000\n200000:200000\n200001:end");
      },
    );
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});
