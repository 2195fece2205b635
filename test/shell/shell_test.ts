/** The shell as a library: state between scripts, the gate, jobs, cancelling, streams. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { GateRequest } from "../../src/shell/mod.ts";
import { runScript, withShell } from "./support/shell.ts";

Deno.test("run() keeps folder, variables and functions from script to script", async () => {
  await withShell(async (shell) => {
    await shell.sh("mkdir sub && cd sub; x=5; f() { echo f$x; }");
    assertEquals((await shell.sh("f; pwd")).stdout, `f5\n${shell.dir}/sub\n`);
    assertEquals(shell.cwd(), `${shell.dir}/sub`);
  });
});

Deno.test("run() tells that the script called exit", async () => {
  await withShell(async (shell) => {
    assertEquals(await shell.run("exit 3; echo no"), { status: 3, exited: true });
    assertEquals(await shell.run("false"), { status: 1, exited: false });
  });
});

Deno.test("run() reports a subscript that cannot be read as an error of the command", async () => {
  const { stderr, status } = await runScript("a=(1 2); unset 'a[$(]'");
  assertEquals(stderr, "bash: line 1: unexpected EOF while looking for matching `)'\n");
  assertEquals(status, 1);
});

Deno.test("main() lets what reads from the shell end before it does", async () => {
  await withShell(async (shell) => {
    const status = await shell.main([
      "-c",
      "trap 'echo bye' EXIT; exec > >(sleep 0.05; sed 's/^/x /' > log); echo a; exit 3",
    ]);
    assertEquals(status, 3);
    assertEquals(Deno.readTextFileSync(`${shell.dir}/log`), "x a\nx bye\n");
  });
});

Deno.test("getopts copes with other arguments than at its last call", async () => {
  const { stdout, status } = await runScript(
    "getopts abcd o -abcd; getopts abcd o -abcd; getopts ab o -b; echo $o",
  );
  assertEquals([stdout, status], ["b\n", 0]);
});

Deno.test("run() runs the EXIT trap at the end", async () => {
  assertEquals((await runScript("trap 'echo bye $?' EXIT; exit 4")).stdout, "bye 4\n");
});

Deno.test("gate sees the final arguments of each simple command and may wait", async () => {
  const seen: GateRequest[] = [];
  const { stdout, stderr, status } = await runScript(
    "x=*.txt; touch a.txt b.txt\necho $x; rm -f a.txt; ls; eval 'rm b.txt'",
    {
      gate: async (request) => {
        seen.push(request);
        await Promise.resolve();
        return request.argv[0] === "rm"
          ? { allow: false, reason: "Not allowed: no removing" }
          : { allow: true };
      },
    },
  );
  assertEquals(stdout, "a.txt b.txt\na.txt\nb.txt\n");
  assertStringIncludes(stderr, "bash: line 2: rm: Not allowed: no removing\n");
  assertEquals(status, 126);
  assertEquals(seen.filter((r) => r.argv[0] === "echo").map((r) => r.argv), [["echo", "a.txt", "b.txt"]]);
  assertEquals(seen.filter((r) => r.argv[0] === "rm").map((r) => r.argv), [["rm", "-f", "a.txt"], [
    "rm",
    "b.txt",
  ]]);
});

Deno.test("gate refuses a command before its redirections are opened", async () => {
  await withShell(async (shell) => {
    await shell.sh("echo keep > file");
    const { stdout } = await shell.sh("denied > file; cat file");
    assertEquals(stdout, "keep\n");
  }, { gate: ({ argv }) => argv[0] === "denied" ? { allow: false, reason: "no" } : { allow: true } });
});

Deno.test("gate is asked about redirections of compound commands", async () => {
  const { stdout } = await runScript("{ echo x; } > secret; echo $?; ls", {
    gate: ({ redirects }) =>
      redirects.some((r) => r.write && r.path.endsWith("/secret"))
        ? { allow: false, reason: "no" }
        : { allow: true },
  });
  assertEquals(stdout, "126\n");
});

Deno.test("gate sees what shells in the shell run", async () => {
  const seen: string[] = [];
  await runScript("bash -c 'echo inner'; printf 'echo script' > s; chmod +x s; ./s", {
    gate: ({ argv }) => {
      seen.push(argv.join(" "));
      return { allow: true };
    },
  });
  assertEquals(seen.includes("echo inner") && seen.includes("echo script"), true, seen.join("\n"));
});

Deno.test("a script's end does not wait for its jobs", async () => {
  await withShell(async (shell) => {
    const { stdout } = await shell.sh("sleep 1000 & echo front");
    assertEquals(stdout, "front\n");
    assertEquals(shell.jobs().map((j) => j.command), ["sleep 1000"]);
    assertEquals(shell.killJob(1), true);
    assertEquals((await shell.sh("wait %1; echo $?")).stdout, "143\n");
    assertEquals(shell.jobs(), []);
  });
});

Deno.test("an endless writer ends with its reader", async () => {
  assertEquals((await runScript("yes | head -n 1; echo ${PIPESTATUS[@]}")).stdout, "y\n141 0\n");
  assertEquals(
    (await runScript("while :; do echo y; done | head -n 2; echo ${PIPESTATUS[@]}")).stdout,
    "y\ny\n141 0\n",
  );
});

Deno.test("a cancelled run ends with 130, whatever it does", async () => {
  for (
    const script of [
      "while :; do :; done",
      "for ((;;)); do x=1; done",
      "sleep 1000",
      "yes > /dev/null",
      "cat <(sleep 1000)",
      "sleep 1000 | cat",
    ]
  ) {
    let cancelled = false;
    await withShell(async (shell) => {
      const run = shell.run(script);
      setTimeout(() => cancelled = true, 30);
      assertEquals((await run).status, 130, script);
    }, { changeHost: (host) => Object.assign(Object.create(host), { cancelled: () => cancelled }) });
  }
});

Deno.test("endless recursion is an error of the script", async () => {
  const { stderr, stdout } = await runScript("f() { f; }; f\necho still");
  assertMatch(stderr, /f: maximum function nesting level exceeded/);
  assertEquals(stdout, "still\n");
  assertEquals((await runScript("f() { eval f; }; f\necho still")).stdout, "still\n");
  assertEquals((await runScript("x=x; echo $((x))\necho still")).stdout, "still\n");
});

Deno.test("external programs get the descriptors of the shell", async () => {
  await withShell(async (shell) => {
    const { stdout } = await shell.sh(
      "env -i /bin/sh -c 'true'; printf 'b\\na\\n' > in; python3 -c 'import sys; print(sys.stdin.read().upper(), end=\"\")' < in | cat; python3 -c 'print(1)' > out; cat out",
    );
    assertEquals(stdout, "B\nA\n1\n");
  });
});

Deno.test("external: false runs no program of the host", async () => {
  const { status, stderr } = await runScript("python3 -c 'print(1)'", { external: false });
  assertEquals(status, 126);
  assertStringIncludes(stderr, "external programs are not available here");
});

Deno.test("a pipe carries bytes that are not text", async () => {
  const { stdout } = await runScript("printf '\\377\\376\\0x' | cat | od -An -tx1");
  assertEquals(stdout.trim(), "ff fe 00 78");
});

Deno.test("a program leaves to the loop around it what it does not read", async () => {
  const { stdout } = await runScript(
    "seq 1 5 | while read l; do python3 -c 'pass'; echo $l; done; seq 1 3 | { python3 -c 'import os; os.read(0, 2)'; cat; }",
  );
  assertEquals(stdout, "1\n2\n3\n4\n5\n2\n3\n");
});

Deno.test("a named pipe joins two commands of the shell", async () => {
  const { stdout } = await runScript(
    "mkfifo p; echo there > p & cat p; wait; (cat < p > copy &); echo back > p; until [ -s copy ]; do sleep 0.01; done; cat copy",
  );
  assertEquals(stdout, "there\nback\n");
});

Deno.test("functions that fork without end are an error of the script, and the shell goes on", async () => {
  for (const script of ["f(){ f | f; }; f\necho still", "f(){ f|f& }; f; wait\n:|:; sleep 1000"]) {
    await withShell(async (shell) => {
      const { status, stdout, stderr } = await shell.sh(script);
      assertEquals([status, stdout], [254, ""]);
      assertMatch(stderr, /^\w+: fork: Resource temporarily unavailable\n$/, "it is said once");
      assertEquals((await shell.sh("echo on | cat")).stdout, "on\n");
    }, { limits: { processes: 200 } });
  }
});

Deno.test("functions that call each other without end let a timer's cancel through", async () => {
  const scripts = [
    "f(){ : $(f) $(f); }; f",
    "f(){ (( $1 > 60 )) || { f $(($1 + 1)); f $(($1 + 1)); }; }; f 0",
    "f(){ (( $1 > 60 )) || { (f $(($1 + 1))); f $(($1 + 1)); }; }; f 0",
  ];
  for (const script of scripts) {
    let cancelled = false;
    await withShell(async (shell) => {
      const run = shell.run(script);
      setTimeout(() => cancelled = true, 30);
      assertEquals((await run).status, 130, script);
    }, { changeHost: (host) => Object.assign(Object.create(host), { cancelled: () => cancelled }) });
  }
});

Deno.test("functions that fork without end ask for the cancel", async () => {
  for (const script of ["f(){ f | f; }; f", "f(){ f|f& }; f; wait; : | :"]) {
    let polls = 0;
    await withShell(async (shell) => {
      assertEquals((await shell.run(script)).status, 130, script);
    }, { changeHost: (host) => Object.assign(Object.create(host), { cancelled: () => ++polls > 100 }) });
  }
});

Deno.test("a text beyond what can be held ends the script with an error", async () => {
  const { status, stdout, stderr } = await runScript(
    'a=aaaaaaaaaaaaaaaa; for ((i = 0; i < 40; i++)); do a="$a$a"; done\necho no',
  );
  assertEquals([status, stdout], [2, ""]);
  assertEquals(stderr, "bash: line 1: xrealloc: cannot allocate memory\n");
  const inner = await runScript(
    '( a=aaaaaaaaaaaaaaaa; for ((i = 0; i < 40; i++)); do a="$a$a"; done ); echo $?',
  );
  assertEquals(inner.stdout, "2\n", "of a subshell, that one");
});

Deno.test("a script whose first line is read by env -S runs in this process; one that env has more to do for does not", async () => {
  const kinds: Record<string, string> = {};
  const lines = [
    "-S dash -e",
    "-S bash",
    "--split-string=sh -eu",
    "bash",
    "-S A=1 bash",
    "-S -i bash",
    "-S bash '-e'",
  ];
  const script = lines.map((line, i) =>
    `printf '%s\\n' "#!/usr/bin/env ${line}" : > s${i}; chmod +x s${i}; ./s${i}`
  );
  await runScript(script.join("\n"), {
    gate: (request) => {
      const name = request.argv[0];
      if (name.startsWith("./s")) kinds[lines[Number(name.slice(3))]] = request.kind;
      return { allow: true };
    },
  });
  assertEquals(Object.entries(kinds), lines.map((line, i) => [line, i < 4 ? "shell" : "external"]));
});

Deno.test("an editor that would wait for keys is told off at once; one that is told what to do, or given keys, runs", async () => {
  // Whatever the program is: by its name it would take the screen.
  const { stdout, stderr } = await runScript(
    'ln -s "$(command -v git)" vi; PATH=$PWD:$PATH\n' +
      "vi f < /dev/null; echo $?; ./vi +3 -R f < /dev/null; echo $?\n" +
      "vi --version < /dev/null | cut -c1-11; printf ':q' | vi f 2> /dev/null; echo $?",
  );
  assertEquals(stdout, "1\n1\ngit version\n1\n");
  assertEquals(stderr.match(/this editor needs a terminal/g)?.length, 2);
});
