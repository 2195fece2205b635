import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { decide, withoutAnswer } from "../../src/sandbox/decide.ts";
import { defaultHiddenPaths, defaultProtectedPaths } from "../../src/sandbox/default_paths.ts";
import type { Action, Policy } from "../../src/sandbox/policy.ts";
import { parseRule, RuleError, suggestRule } from "../../src/sandbox/rules.ts";

const HOME = "/home/u";

function policy(changes: Partial<Omit<Policy, "rules">> & { rules?: Partial<Policy["rules"]> } = {}): Policy {
  const { rules, ...rest } = changes;
  return {
    mode: "workspace",
    workspace: "/home/u/ws",
    readRoots: ["/usr/include"],
    writeRoots: ["/data/out"],
    tempDir: "/tmp/myelin-1",
    home: HOME,
    protectedPaths: defaultProtectedPaths(HOME, `${HOME}/.myelin`),
    hiddenPaths: defaultHiddenPaths(HOME, `${HOME}/.myelin`),
    net: [],
    exec: "auto",
    approve: "never",
    ...rest,
    rules: { allow: [], ask: [], deny: [], ...rules },
  };
}

const read = (path: string): Action => ({ kind: "read", path });
const write = (path: string, tree?: boolean): Action => ({ kind: "write", path, ...(tree ? { tree } : {}) });
const run = (...argv: string[]): Action => ({ kind: "run", argv, cwd: "/home/u/ws" });
const external = (wrapper: string | undefined, ...argv: string[]): Action => ({
  kind: "run",
  argv,
  program: argv[0].startsWith("/") ? argv[0] : `/usr/bin/${argv[0]}`,
  cwd: "/home/u/ws",
  wrapper,
});

Deno.test("decide(): paths, by mode", () => {
  const table: [Partial<Policy>, Action, "allow" | "deny", RegExp?][] = [
    [{}, read("/home/u/ws/a"), "allow"],
    [{}, read("/home/u/ws"), "allow"],
    [{}, read("/home/u/wsx/a"), "deny", /sandbox\.readRoots/],
    [{}, read("/usr/include/stdio.h"), "allow"],
    [{}, read("/tmp/myelin-1/x"), "allow"],
    [{}, read("/etc/passwd"), "deny", /--sandbox off/],
    [{}, read("/home/u/.ssh/id_rsa"), "deny", /credentials/],
    [{}, read("/home/u/.SSH/id_rsa"), "deny", /credentials/],
    [{ workspace: HOME }, read("/home/u/.ssh/id_rsa"), "deny", /credentials/],
    [{ workspace: HOME }, read("/home/u/.bashrc"), "allow"],
    [{ workspace: HOME }, write("/home/u/.bashrc"), "deny", /protected/],
    [{}, write("/home/u/ws/a"), "allow"],
    [{}, write("/data/out/a"), "allow"],
    [{}, write("/usr/include/a"), "deny", /sandbox\.writeRoots/],
    [{}, write("/home/u/ws/.git/hooks/pre-commit"), "deny", /protected/],
    [{}, write("/home/u/ws/.git/hooks"), "deny", /protected/],
    [{}, write("/home/u/ws/.git/config"), "deny", /protected/],
    [{}, write("/home/u/ws/sub/.git/config"), "deny", /protected/],
    [{}, write("/home/u/ws/.GIT/Hooks/x"), "deny", /protected/],
    [{}, write("/home/u/ws/.git/index"), "allow"],
    [{}, write("/home/u/ws/.git", true), "deny", /protected/],
    [{}, write("/home/u/ws/.git/commondir"), "deny", /protected/],
    [{}, write("/home/u/ws/.git/modules/libs/deep/config"), "deny", /protected/],
    [{}, write("/home/u/ws/.git/modules/libs/deep/hooks/post-checkout"), "deny", /protected/],
    [{}, write("/home/u/ws/.git/worktrees/w/gitdir"), "deny", /protected/],
    [{}, write("/home/u/ws/sub/.git", true), "deny", /protected/],
    [{}, write("/home/u/ws/sub/.git/info", true), "deny", /protected/],
    [{}, write("/home/u/ws/.git/objects/ab"), "allow"],
    [{}, write("/home/u/ws/.gitignore", true), "allow"],
    [{}, write("/home/u/ws/.git"), "allow"],
    [{ workspace: HOME }, write("/home/u/.cargo", true), "deny", /credentials/],
    [{ workspace: HOME }, write("/home/u/.config", true), "deny", /credentials/],
    [{ workspace: HOME }, write("/home/u/.cargo/bin", true), "allow"],
    [{ workspace: HOME }, write("/home/u/.cargo/config.toml", true), "allow"],
    [{}, write("/home/u/ws/other", true), "allow"],
    [{}, write("/home/u/ws/.vscode/tasks.json"), "deny", /protected/],
    [{}, write("/home/u/ws/.envrc"), "deny", /protected/],
    [{}, write("/home/u/ws/.myelin/settings.jsonc"), "deny", /protected/],
    [{}, write("/tmp/myelin-1/clone/.git/config"), "allow"],
    [{ mode: "read-only" }, read("/home/u/ws/a"), "allow"],
    [{ mode: "read-only" }, write("/home/u/ws/a"), "deny", /read-only/],
    [{ mode: "read-only" }, write("/tmp/myelin-1/a"), "allow"],
    [{ mode: "off" }, read("/home/u/.ssh/id_rsa"), "allow"],
    [{ mode: "off" }, write("/etc/passwd"), "allow"],
  ];
  for (const [changes, action, wanted, reason] of table) {
    const verdict = decide(policy(changes), action);
    const label = `${JSON.stringify(changes)} ${JSON.stringify(action)}`;
    assertEquals(verdict.decision, wanted, label);
    if (reason && verdict.decision !== "allow") assertMatch(verdict.reason, reason, label);
  }
});

Deno.test("decide(): rules open and close paths; deny before ask before allow", () => {
  const rules = {
    allow: ["read(~/notes/**)", "write(./.vscode/**)", "read(/etc/hosts)", "read(~/.ssh/config)"],
    ask: ["write(./docs/**)"],
    deny: ["read(**/.env)", "write(./docs/fixed.md)"],
  };
  const table: [Action, string, string][] = [
    [read("/home/u/notes/a/b.md"), "allow", "read(~/notes/**)"],
    [read("/home/u/notes"), "allow", "read(~/notes/**)"],
    [read("/home/u/notesx"), "deny", "roots"],
    [read("/etc/hosts"), "allow", "read(/etc/hosts)"],
    [read("/home/u/.ssh/config"), "allow", "read(~/.ssh/config)"],
    [read("/home/u/.ssh/id_rsa"), "deny", "hidden paths"],
    [read("/home/u/ws/.env"), "deny", "read(**/.env)"],
    [read("/home/u/ws/a/b/.ENV"), "deny", "read(**/.env)"],
    [read("/home/u/ws/.env.example"), "allow", "roots"],
    [write("/home/u/ws/.vscode/tasks.json"), "allow", "write(./.vscode/**)"],
    [write("/home/u/ws/docs/a.md"), "ask", "write(./docs/**)"],
    [write("/home/u/ws/docs/fixed.md"), "deny", "write(./docs/fixed.md)"],
    [write("/home/u/notes/a.md"), "deny", "roots"],
  ];
  for (const [action, decision, rule] of table) {
    const verdict = decide(policy({ rules }), action);
    assertEquals([verdict.decision, verdict.rule], [decision, rule], JSON.stringify(action));
  }
  const broad = policy({ rules: { allow: ["read(~/**)", "write(./**)", "write(**/.idea/**)"] } });
  assertEquals(decide(broad, read("/home/u/other")).decision, "allow");
  assertEquals(decide(broad, read("/home/u/.ssh/id_rsa")).decision, "deny");
  assertEquals(decide(broad, write("/home/u/ws/.git/hooks/x")).decision, "deny");
  assertEquals(decide(broad, write("/home/u/ws/.idea/x")).decision, "allow");
  const all = policy({ workspace: HOME, rules: { allow: ["write(~/**)", "read(~/**)"] } });
  assertEquals(decide(all, write("/home/u/x/.git", true)).decision, "deny");
  assertEquals(decide(all, write("/home/u/.cargo", true)).decision, "deny");
  assertEquals(decide(all, write("/home/u/x/y", true)).decision, "allow");
  const opened = policy({ workspace: HOME, rules: { allow: ["write(~/.cargo)", "write(**/.git)"] } });
  assertEquals(decide(opened, write("/home/u/.cargo", true)).decision, "allow");
  assertEquals(decide(opened, write("/home/u/x/.git", true)).decision, "allow");
  const off = policy({ mode: "off", rules });
  assertEquals(decide(off, read("/x/.env")).decision, "deny");
  const readOnly = policy({ mode: "read-only", rules });
  assertEquals(decide(readOnly, write("/home/u/ws/.vscode/tasks.json")).decision, "deny");
});

Deno.test("decide(): external programs, by exec mode, with a wrapper and without", () => {
  const table: [Partial<Policy>, string | undefined, string, boolean?][] = [
    [{ exec: "auto" }, "bubblewrap", "allow", true],
    [{ exec: "auto" }, undefined, "ask"],
    [{ exec: "os" }, "bubblewrap", "allow", true],
    [{ exec: "os" }, undefined, "deny"],
    [{ exec: "ask" }, "bubblewrap", "ask"],
    [{ exec: "ask" }, undefined, "ask"],
    [{ exec: "allow" }, "bubblewrap", "allow", false],
    [{ exec: "allow" }, undefined, "allow", false],
    [{ exec: "deny" }, "bubblewrap", "deny"],
    [{ exec: "auto", mode: "read-only" }, "bubblewrap", "allow", true],
    [{ exec: "allow", mode: "read-only" }, "bubblewrap", "allow", true],
    [{ exec: "allow", mode: "read-only" }, undefined, "deny"],
    [{ exec: "auto", mode: "off" }, undefined, "allow"],
    [{ exec: "os", mode: "off" }, undefined, "allow"],
    [{ exec: "deny", mode: "off" }, undefined, "deny"],
    [{ exec: "ask", mode: "off" }, "bubblewrap", "ask"],
  ];
  for (const [changes, wrapper, wanted, wrapped] of table) {
    const verdict = decide(policy(changes), external(wrapper, "make", "all"));
    const label = `${JSON.stringify(changes)} ${wrapper}`;
    assertEquals(verdict.decision, wanted, label);
    if (verdict.decision === "allow") assertEquals(verdict.wrapped ?? undefined, wrapped, label);
  }
});

Deno.test("decide(): a run rule allows a program without a wrapper, but not what exec os and read-only refuse", () => {
  const rules = { allow: ["run(make *)"] };
  assertEquals(decide(policy({ rules }), external(undefined, "make", "all")).decision, "allow");
  assertEquals(decide(policy({ rules }), external(undefined, "cmake", "all")).decision, "ask");
  assertEquals(decide(policy({ rules, exec: "deny" }), external(undefined, "make")).decision, "allow");
  assertEquals(decide(policy({ rules, exec: "os" }), external(undefined, "make")).decision, "deny");
  assertEquals(decide(policy({ rules, mode: "read-only" }), external(undefined, "make")).decision, "deny");
});

Deno.test("decide(): a program that tools can write is not what its name says", () => {
  const rules = { allow: ["run(git log *)", "run(./scripts/test.sh *)"] };
  const own: Action = { kind: "run", argv: ["git", "log"], program: "/home/u/ws/bin/git", cwd: "/home/u/ws" };
  assertEquals(decide(policy({ rules }), own).decision, "ask");
  const script: Action = {
    kind: "run",
    argv: ["scripts/test.sh"],
    program: "/home/u/ws/scripts/test.sh",
    cwd: "/home/u/ws",
  };
  assertEquals(decide(policy({ rules }), script).decision, "allow");
  const loaded: Action = {
    kind: "run",
    argv: ["git", "log"],
    program: "/usr/bin/git",
    cwd: "/",
    given: [{ name: "LD_PRELOAD", value: "./x.so" }],
  };
  assertEquals(decide(policy({ rules }), loaded).decision, "ask");
});

Deno.test("decide(): run rules meet the command that is meant", () => {
  const rules = {
    allow: ["run(git log*)", "run(git status*)", "run(ls*)", "run(npm test*)", "run(grep *)"],
    deny: ["run(rm -rf *)", "run(git push*)", "run(curl *)"],
  };
  const table: [string[], string][] = [
    [["git", "log", "--oneline"], "allow"],
    [["git", "log"], "allow"],
    [["git", "push"], "deny"],
    [["/usr/bin/git", "push", "origin"], "deny"],
    [["git", "--no-pager", "push"], "deny"],
    [["git", "-C", "sub", "push"], "deny"],
    [["git", "-c", "alias.x=push", "x"], "ask"],
    [["git", "commit"], "ask"],
    [["env", "FOO=1", "rm", "-rf", "x"], "deny"],
    [["timeout", "5", "git", "push"], "deny"],
    [["timeout", "-k", "3", "5", "nohup", "git", "push"], "deny"],
    [["timeout", "5", "git", "log"], "allow"],
    [["sudo", "-u", "x", "git", "push"], "deny"],
    [["xargs", "-n", "1", "rm", "-rf"], "deny"],
    [["rm", "-r", "-f", "x"], "deny"],
    [["rm", "--recursive", "--force", "x"], "deny"],
    [["rm", "-fr", "x"], "deny"],
    [["rm", "x", "-rf"], "deny"],
    [["rm", "-r", "x"], "ask"],
    [["rm", "--", "-rf"], "ask"],
    [["npm", "test"], "allow"],
    [["npm", "publish"], "ask"],
    [["grep", "-r", "git push", "."], "allow"],
    [["mywrap", "git", "push"], "ask"],
    [["curl", "http://e.invalid"], "deny"],
    [["sh", "-c", "true"], "ask"],
  ];
  for (const [argv, wanted] of table) {
    assertEquals(decide(policy({ rules }), external(undefined, ...argv)).decision, wanted, argv.join(" "));
  }
  // Inside the shell what no rule names is allowed, and what one forbids is not.
  assertEquals(decide(policy({ rules }), run("rm", "x")).decision, "allow");
  assertEquals(decide(policy({ rules }), run("rm", "-rf", "x")).decision, "deny");
  assertEquals(decide(policy({ rules: { ask: ["run(rm *)"] } }), run("rm", "x")).decision, "ask");
});

Deno.test("decide(): hosts", () => {
  assertEquals(decide(policy(), { kind: "fetch", host: "example.org" }).decision, "deny");
  const open = policy({
    net: ["*.example.org"],
    rules: { allow: ["fetch(other.net)"], deny: ["fetch(bad.example.org)"] },
  });
  assertEquals(decide(open, { kind: "fetch", host: "docs.EXAMPLE.org." }).decision, "allow");
  assertEquals(decide(open, { kind: "fetch", host: "example.org" }).decision, "deny");
  assertEquals(decide(open, { kind: "fetch", host: "other.net" }).decision, "allow");
  assertEquals(decide(open, { kind: "fetch", host: "bad.example.org" }).decision, "deny");
});

Deno.test("withoutAnswer() names every remedy", () => {
  const action = external(undefined, "curl", "x");
  const verdict = decide(policy(), action);
  assert(verdict.decision === "ask");
  const text = withoutAnswer(action, verdict.reason, policy());
  for (const remedy of ["bubblewrap", "run(curl *)", "permissions.allow", "--sandbox off", "--approve ask"]) {
    assertStringIncludes(text, remedy);
  }
});

Deno.test("parseRule() refuses what it cannot read, with the right forms", () => {
  for (const text of ["git log", "run()", "exec(x)", "run(x", "read x"]) {
    const error = assertThrows(() => parseRule(text), RuleError);
    assertStringIncludes(error.message, text);
    assertStringIncludes(error.hint ?? "", "run(git log *)");
  }
});

Deno.test("suggestRule() is narrow", () => {
  const p = policy();
  assertEquals(suggestRule(run("git", "push", "origin"), p), "run(git push *)");
  assertEquals(suggestRule(run("make", "-j4"), p), "run(make *)");
  assertEquals(suggestRule(write("/home/u/ws/.envrc"), p), "write(./.envrc)");
  assertEquals(suggestRule(read("/home/u/x"), p), "read(~/x)");
  // What it says has to work: a program of the workspace is allowed by its place only.
  const own: Action = {
    kind: "run",
    argv: ["bin/tool", "x1"],
    program: "/home/u/ws/bin/tool",
    cwd: "/home/u/ws",
  };
  assertEquals(suggestRule(own, p), "run(./bin/tool x1 *)");
  for (
    const action of [own, external(undefined, "git", "push"), external(undefined, "/usr/bin/make", "all")]
  ) {
    assertEquals(decide(policy({ rules: { allow: [suggestRule(action, p)!] } }), action).decision, "allow");
  }
});

Deno.test("decide(): tools of servers are asked for, unless a rule knows them", () => {
  const call = (server: string, tool: string): Action => ({ kind: "mcp", server, tool });
  const rules = {
    allow: ["mcp(docs/*)", "mcp(mail/list)"],
    ask: ["mcp(docs/publish)"],
    deny: ["mcp(Mail/send*)"],
  };
  const table: [Action, string][] = [
    [call("docs", "search"), "allow"],
    [call("docs", "publish"), "ask"],
    [call("mail", "list"), "allow"],
    [call("mail", "send_now"), "deny"],
    [call("mail", "delete"), "ask"],
    [call("docs2", "search"), "ask"],
  ];
  for (const [action, wanted] of table) {
    assertEquals(decide(policy({ rules }), action).decision, wanted, JSON.stringify(action));
  }
  assertEquals(decide(policy({ rules: { allow: ["mcp(docs)"] } }), call("docs", "x")).decision, "allow");
  assertEquals(decide(policy({ mode: "off" }), call("any", "x")).decision, "allow");
  assertEquals(suggestRule(call("docs", "x"), policy()), "mcp(docs/x)");
});

Deno.test("decide(): what foreign programs run is looked into; what cannot be told asks where rules speak of commands", () => {
  const rules = { allow: ["run(git status *)"], deny: ["run(git push *)", "run(rm -rf *)"] };
  const table: [string[], string][] = [
    [["zsh", "-c", "ls; git push"], "deny"],
    [["sudo", "zsh", "-lc", "cd x && rm -r -f y"], "deny"],
    [["zsh", "-c", "echo 'git push' # git push"], "allow"],
    [["zsh", "-c", "git $VERB"], "ask"],
    [["zsh", "script.zsh"], "ask"],
    [["zsh", "-c", "if"], "ask"],
    [["fish", "-c", "zsh -c 'git push'"], "deny"],
    [["busybox", "rm", "-rf", "x"], "deny"],
    [["busybox", "sh", "-c", "git push"], "deny"],
    [["flock", "lock", "git", "push"], "deny"],
    [["watch", "-n", "1", "git", "push"], "deny"],
    [["watch", "git push"], "deny"],
    [["split", "--filter=git push", "x"], "deny"],
    [["split", "--filter", "git push", "x"], "deny"],
    [["split", "-b", "1k", "x"], "allow"],
    [["split", "--filt=git push", "x"], "deny"],
    [["tar", "cf", "x", "--checkpoint-act=exec=git push", "y"], "deny"],
    [["tar", "cf", "x", "--checkpoint-action", "exec=git push", "y"], "deny"],
    [["tar", "cf", "x", "--checkpoint=1", "--checkpoint-action=dot", "y"], "allow"],
    [["tar", "--use-compress-prog", "git push", "-cf", "x", "y"], "deny"],
    [["tar", "cIf", "git push", "x", "y"], "deny"],
    [["tar", "-cvfI", "x", "git push", "y"], "deny"],
    [["zip", "x.zip", "y", "-T", "-TT", "git push"], "deny"],
    [["rsync", "-ae", "git push", "a", "b"], "deny"],
    [["setarch", "--addr-no-randomize", "git", "push"], "deny"],
    [["setarch", "x86_64", "-R", "git", "push"], "deny"],
    [["ld.so", "--preload", "./x.so", "/usr/bin/git", "push"], "deny"],
    [["/lib64/ld-linux-x86-64.so.2", "/usr/bin/git", "push"], "deny"],
    [["logsave", "log", "git", "push"], "deny"],
    [["run-parts", "."], "ask"],
    [["script", "-qecgit push", "/dev/null"], "deny"],
    [["script", "-q", "--comm=git push"], "deny"],
    [["script", "-q", "log"], "allow"],
    [["tar", "cf", "x", "--checkpoint-action=exec=git push", "y"], "deny"],
    [["tar", "-I", "git push", "-cf", "x", "y"], "deny"],
    [["tar", "-cf", "x", "y"], "allow"],
    [["sort", "--compress-program=$X", "y"], "ask"],
    [["su", "-c", "rm -rf x"], "deny"],
    [["script", "-qc", "git push"], "deny"],
    [["flock", "f", "-c", "git push"], "deny"],
    [["flock", "-w", "3", "f", "git", "push"], "deny"],
    [["flock", "f", "sh", "-c", "git push"], "deny"],
    [["flock", "f", "-c", "git log"], "allow"],
    [["ssh", "-o", "ProxyCommand=git push", "x"], "deny"],
    [["ssh", "-oLocalCommand git push", "x"], "deny"],
    [["linux64", "git", "push"], "deny"],
    [["perf", "stat", "-e", "cycles", "git", "push"], "deny"],
    [["gdb", "-ex", "run", "--args", "git", "push"], "deny"],
    [["valgrind", "--tool=none", "env", "A=1", "git", "push"], "deny"],
    [["valgrind", "git", "log"], "allow"],
    [["firejail", "--quiet", "--", "git", "push"], "deny"],
    [["sg", "root", "-c", "git push"], "deny"],
    [["sg", "root", "git push"], "deny"],
    [["hyperfine", "git push"], "deny"],
    [["fd", "-e", "txt", "-x", "git", "push"], "deny"],
    [["fd", "push", "git"], "allow"],
    [["rg", "--pre", "git push", "x"], "deny"],
    [["rg", "--pretty", "git push", "x"], "allow"],
    [["start-stop-daemon", "--start", "--exec", "/usr/bin/git", "--", "push"], "ask"],
    [["bwrap", "--dev-bind", "/", "/", "git", "push"], "ask"],
    [["prlimit", "--nofile=9", "git", "push"], "deny"],
    [["choom", "-n", "0", "git", "push"], "deny"],
    [["uclampset", "-m", "0", "git", "push"], "deny"],
    [["nsenter", "-t", "1", "-m", "git", "push"], "deny"],
    [["find", ".", "-exec", "git", "push", ";"], "deny"],
    [["find", ".", "-execdir", "zsh", "-c", "git push", "{}", "+"], "deny"],
    [["git", "-c", "alias.x=!git push", "x"], "ask"],
    [["git", "-c", "core.sshCommand=git push #", "fetch"], "ask"],
    [["git", "-c", "core.fsmonitor=git push #", "status"], "ask"],
    [["git", "-c", "diff.x.textconv=git push #", "diff"], "ask"],
    [["git", "-c", "core.pager=cat", "-c", "core.fsmonitor=false", "-c", "user.name=a", "log"], "allow"],
    [["git", "ls-remote", "--upload-pack=git push #", "."], "ask"],
    [["git", "grep", "-Oless", "x"], "ask"],
    [["git", "difftool", "-x", "git push #"], "ask"],
    [["git", "grep", "x", "--", "a"], "allow"],
    [["git", "submodule", "foreach", "git push"], "ask"],
    [["git", "bisect", "run", "./x"], "ask"],
    [["env", "-S", "git push"], "ask"],
    [["python3", "-c", "print('git push')"], "allow"],
    [["git", "status", "-s"], "allow"],
  ];
  for (const [argv, wanted] of table) {
    assertEquals(decide(policy({ rules }), external("bubblewrap", ...argv)).decision, wanted, argv.join(" "));
  }
  // Where no rule speaks of commands there is nothing to be afraid of.
  assertEquals(decide(policy(), external("bubblewrap", "zsh", "x.zsh")).decision, "allow");
  // What allows a program is no leave for what else a debugger does with it.
  const ask = { allow: ["run(git log *)"], commands: "ask" } as const;
  assertEquals(
    decide(policy({ rules: ask }), external("bubblewrap", "nice", "git", "log")).decision,
    "allow",
  );
  const debugged = external("bubblewrap", "gdb", "-ex", "shell rm x", "--args", "git", "log");
  assertEquals(decide(policy({ rules: ask }), debugged).decision, "ask");
});

Deno.test("decide(): commands that a script puts into git's environment are asked for where rules speak of commands", () => {
  const given = (name: string, ...argv: string[]): Action => ({
    ...external("bubblewrap", ...argv) as Extract<Action, { kind: "run" }>,
    given: [{ name, value: "value" }],
  });
  const rules = { deny: ["run(git push *)"] };
  for (const name of ["GIT_CONFIG_COUNT", "GIT_EXEC_PATH", "GIT_ALLOW_PROTOCOL", "GIT_CONFIG_GLOBAL"]) {
    assertEquals(decide(policy({ rules }), given(name, "git", "fetch")).decision, "ask", name);
    assertEquals(decide(policy({ rules }), given(name, "env", "git", "fetch")).decision, "ask", name);
    assertEquals(decide(policy(), given(name, "git", "fetch")).decision, "allow", name);
    assertEquals(decide(policy({ rules }), given(name, "make")).decision, "allow", name);
  }
  for (const name of ["GIT_AUTHOR_NAME", "GIT_DIR", "GIT_CONFIG_NOSYSTEM", "PYTHONPATH"]) {
    assertEquals(decide(policy({ rules }), given(name, "git", "fetch")).decision, "allow", name);
  }
});

Deno.test("decide(): a rule that allows a program does not mean its dangerous uses", () => {
  const rules = {
    allow: ["run(find *)", "run(git log *)", "run(rg *)", "run(env *)", "run(env CI=1 make *)"],
  };
  const table: [string[], string][] = [
    [["find", ".", "-name", "x"], "allow"],
    [["find", ".", "-delete"], "ask"],
    [["find", ".", "-fprint", "x"], "ask"],
    [["git", "log", "-p"], "allow"],
    [["git", "log", "--output=/etc/x"], "ask"],
    [["git", "log", "--ext-diff"], "ask"],
    [["rg", "--pre", "sh", "x"], "ask"],
    [["env", "make"], "ask"],
    [["env", "CI=1", "make", "all"], "allow"],
    [["env"], "allow"],
  ];
  for (const [argv, wanted] of table) {
    assertEquals(decide(policy({ rules }), external(undefined, ...argv)).decision, wanted, argv.join(" "));
  }
  const named = policy({ rules: { allow: ["run(find . -delete)"] } });
  assertEquals(decide(named, external(undefined, "find", ".", "-delete")).decision, "allow");
});

Deno.test("decide(): a person may be asked about a protected place and a host; a general yes does not cover the first", () => {
  const hook = write("/home/u/ws/.git/hooks/x");
  assertEquals(decide(policy({ approve: "ask" }), hook).decision, "ask");
  for (const approve of ["always", "never", "auto"] as const) {
    assertEquals(decide(policy({ approve }), hook).decision, "deny");
  }
  const host: Action = { kind: "fetch", host: "example.org" };
  assertEquals(decide(policy({ approve: "ask" }), host).decision, "ask");
  assertEquals(decide(policy({ approve: "always" }), host).decision, "deny");
});

Deno.test("decide(): permissions.commands ask leaves only what rules allow and what concerns the shell itself", () => {
  const p = policy({ rules: { allow: ["run(ls *)"], commands: "ask" } });
  for (const argv of [["ls", "-l"], ["cd", ".."], ["[", "x", "]"], ["sh", "-c", "x"]]) {
    assertEquals(decide(p, run(...argv)).decision, "allow", argv.join(" "));
  }
  for (const argv of [["head"], ["source", "x"], ["sh", "x.sh"]]) {
    assertEquals(decide(p, run(...argv)).decision, "ask", argv.join(" "));
  }
  assertEquals(decide(p, external("bubblewrap", "make")).decision, "ask");
  assertEquals(decide({ ...p, mode: "off" }, external(undefined, "make")).decision, "ask");
});

Deno.test("suggestRule() never suggests a rule for everything", () => {
  const p = policy();
  const table: [string[], string | undefined][] = [
    [["python3", "-c", "x"], undefined],
    [["python3"], undefined],
    [["python3", "scripts/x.py", "1"], "run(python3 scripts/x.py *)"],
    [["python3", "-m", "pytest", "-q"], "run(python3 -m pytest *)"],
    [["node", "-e", "x"], undefined],
    [["deno", "task", "test"], "run(deno task test *)"],
    [["npm", "run", "build"], "run(npm run build *)"],
    [["npm", "test"], "run(npm test *)"],
    [["npx", "thing"], undefined],
    [["sudo", "make"], undefined],
    [["env", "A=1", "make"], undefined],
    [["zsh", "-c", "ls"], undefined],
    [["git", "-c", "core.pager=x", "log"], undefined],
    [["git", "log", "--output=x"], undefined],
    [["find", ".", "-delete"], undefined],
    [["make", "*"], "run(make *)"],
    [["make"], "run(make)"],
    [["git"], "run(git)"],
  ];
  for (const [argv, wanted] of table) {
    assertEquals(suggestRule(external("b", ...argv), p), wanted, argv.join(" "));
  }
  assertEquals(suggestRule(write("/home/u/ws/a*b"), p), undefined);
  assertEquals(suggestRule(write("/home/u/ws/a "), p), undefined);
});

Deno.test("decide(): a single file outside of the roots that is opened for writing can be asked for, by a person only", () => {
  const open = (path: string): Action => ({ kind: "write", path, tree: true, opens: true });
  const at = (approve: Policy["approve"], path: string, more: Partial<Policy> = {}) =>
    decide(policy({ approve, ...more }), open(path));
  assertEquals(at("ask", "/srv/x").decision, "ask");
  assertEquals(at("ask", "/home/u/.bashrc").decision, "ask");
  const later = at("ask", "/home/u/.bashrc");
  assert(later.decision === "ask" && later.reason.includes("run code"));
  for (const approve of ["never", "always", "auto"] as const) {
    assertEquals(at(approve, "/srv/x").decision, "deny", approve);
  }
  assertEquals(at("ask", "/home/u/.ssh/config").decision, "deny");
  assertEquals(at("ask", "/srv/x", { mode: "read-only" }).decision, "deny");
  assertEquals(
    at("ask", "/srv/x", { rules: { allow: [], ask: [], deny: ["write(/srv/**)"] } }).decision,
    "deny",
  );
  assertEquals(
    decide(policy({ approve: "ask" }), { kind: "write", path: "/srv/x", tree: true }).decision,
    "deny",
  );
  assertEquals(decide(policy({ approve: "ask" }), { kind: "read", path: "/srv/x" }).decision, "deny");
});
