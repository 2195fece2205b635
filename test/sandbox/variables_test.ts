/** Variables that make programs run something else: what is told from their values, and what is not. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { decide, summarize } from "../../src/sandbox/decide.ts";
import { createApprovals } from "../../src/sandbox/permits.ts";
import type { Action, Policy, Rules } from "../../src/sandbox/policy.ts";
import { parseRule, RuleError } from "../../src/sandbox/rules.ts";
import { changedVariables } from "../../src/sandbox/variables.ts";

const BASE = { PATH: "/usr/bin", HOME: "/home/u", GIT_PAGER: "cat", XDG_CONFIG_HOME: "/home/u/.config" };

function policy(rules: Partial<Rules>): Policy {
  return {
    mode: "workspace",
    workspace: "/home/u/ws",
    readRoots: [],
    writeRoots: [],
    tempDir: "/tmp/m",
    home: "/home/u",
    protectedPaths: [],
    net: [],
    exec: "auto",
    approve: "never",
    rules: { allow: [], ask: [], deny: [], ...rules },
  };
}

function run(
  changes: Record<string, string>,
  argv: readonly string[],
  wrapper: string | undefined = "bubblewrap",
): Action {
  return {
    kind: "run",
    argv,
    program: `/usr/bin/${argv[0]}`,
    cwd: "/home/u/ws",
    wrapper,
    given: changedVariables({ ...BASE, ...changes }, BASE),
  };
}

const decision = (rules: Partial<Rules>, action: Action) => decide(policy(rules), action).decision;

Deno.test("changedVariables() names what makes programs run something else, where it differs and is more than a wish", () => {
  const names = (changes: Record<string, string>) =>
    changedVariables({ ...BASE, ...changes }, BASE).map(({ name }) => name).sort();
  assertEquals(names({ OWN: "1", LANG: "en", CI: "true" }), []);
  assertEquals(names({ LD_PRELOAD: "./x.so", GIT_PAGER: "sh -c x" }), ["GIT_PAGER", "LD_PRELOAD"]);
  assertEquals(names({ HOME: "/ws", PATH: "/q" }), ["HOME", "PATH"]);
  const wishes = {
    NODE_OPTIONS: "--max-old-space-size=4096 --no-warnings",
    PYTHONUNBUFFERED: "1",
    PYTHONWARNINGS: "ignore::DeprecationWarning",
    JAVA_TOOL_OPTIONS: "-Xmx2g",
    GIT_EDITOR: "true",
    GIT_AUTHOR_DATE: "now",
    PAGER: "",
    RUBYOPT: "-W:no-deprecated",
  };
  assertEquals(names(wishes), []);
  for (
    const [name, value] of [
      ["NODE_OPTIONS", "--require ./x.js"],
      ["NODE_OPTIONS", "--max-old-space-size=1 --import=data:text/javascript,x"],
      ["PYTHONWARNINGS", "all:0:antigravity.x:0:0"],
      ["JAVA_TOOL_OPTIONS", "-javaagent:x.jar"],
      ["RUBYOPT", "-W0 -r./x"],
      ["GIT_EDITOR", "true; git push"],
    ]
  ) assertEquals(names({ [name]: value }), [name], value);
  const { XDG_CONFIG_HOME: _gone, ...rest } = BASE;
  assertEquals(changedVariables(rest, BASE), [{ name: "XDG_CONFIG_HOME" }]);
});

Deno.test("decide(): a command in a variable is met by the rules that forbid it", () => {
  const rules = { deny: ["run(git push *)"] };
  for (
    const changes of [
      { GIT_EDITOR: "git push origin" },
      { GIT_SSH_COMMAND: "sh -c 'git push'" },
      { EDITOR: "env A=1 git -C x push" },
      { LESSOPEN: "|git push %s" },
      { GIT_EXTERNAL_DIFF: "/usr/lib/git-core/git-push" },
      { VISUAL: "true && git push" },
    ] as Record<string, string>[]
  ) assertEquals(decision(rules, run(changes, ["git", "commit"])), "deny", JSON.stringify(changes));
});

Deno.test("decide(): where a value leads is not known beforehand, so it is asked for where rules speak of commands", () => {
  const rules = { deny: ["run(git push *)"] };
  const table: readonly (readonly [Record<string, string>, string, string])[] = [
    [{ GIT_EDITOR: "./edit" }, "git commit", "ask"],
    [{ GIT_EDITOR: "$EVIL" }, "git commit", "ask"],
    [{ GIT_EDITOR: "vim" }, "git commit", "allow"],
    [{ LD_PRELOAD: "./x.so" }, "git status", "ask"],
    [{ NODE_OPTIONS: "-r ./x.js" }, "npm test", "ask"],
    [{ BASH_ENV: "./x" }, "make", "ask"],
    [{ PROMPT_COMMAND: "git push" }, "make", "ask"],
    [{ HOME: "/home/u/ws" }, "git up", "ask"],
    [{ HOME: "/home/u/ws" }, "git status", "ask"],
    [{ HOME: "/home/u/ws" }, "make", "allow"],
    [{ PYTHONPATH: "src" }, "pytest", "allow"],
    [{ PATH: "/home/u/ws/bin" }, "make", "allow"],
  ];
  for (const [changes, text, wanted] of table) {
    const action = run(changes, text.split(" "));
    assertEquals(decision(rules, action), wanted, `${JSON.stringify(changes)} ${text}`);
    // Without any rule about commands there is nothing to get around.
    assertEquals(decision({}, action), "allow", text);
  }
});

Deno.test("decide(): a rule that allows means the plain environment, and more only where it says so", () => {
  const ask = { commands: "ask" as const };
  const allow = ["run(npm test *)", "run(git log *)"];
  const evil = { NODE_OPTIONS: "-r ./x.js" };
  assertEquals(decision({ ...ask, allow }, run({}, ["npm", "test"])), "allow");
  assertEquals(decision({ ...ask, allow }, run(evil, ["npm", "test"])), "ask");
  assertEquals(
    decision({ ...ask, allow }, run({ NODE_OPTIONS: "--no-warnings" }, ["npm", "test"])),
    "allow",
  );
  const named = ["run(NODE_OPTIONS=* npm test *)"];
  assertEquals(decision({ ...ask, allow: named }, run(evil, ["npm", "test"])), "allow");
  assertEquals(
    decision({ ...ask, allow: named }, run({ ...evil, LD_PRELOAD: "x" }, ["npm", "test"])),
    "ask",
  );
  assertEquals(decision({ ...ask, allow: named }, run({}, ["npm", "test"])), "ask");
  const exact = ["run(PYTHONPATH=src pytest *)"];
  assertEquals(decision({ ...ask, allow: exact }, run({ PYTHONPATH: "src" }, ["pytest"])), "allow");
  assertEquals(decision({ ...ask, allow: exact }, run({ PYTHONPATH: "evil" }, ["pytest"])), "ask");
  // A place is nothing to a confined program that has no such settings, and everything to one that nothing confines.
  assertEquals(decision({ ...ask, allow: ["run(make *)"] }, run({ HOME: "/x" }, ["make"])), "allow");
  assertEquals(
    decision(
      { ...ask, allow: ["run(make *)"] },
      { ...run({ HOME: "/x" }, ["make"]), wrapper: undefined } as Action,
    ),
    "ask",
  );
  assertEquals(decision({ deny: ["run(LD_PRELOAD=* *)"] }, run({ LD_PRELOAD: "x" }, ["make"])), "deny");
  assertEquals(decision({ deny: ["run(LD_PRELOAD=* *)"] }, run({}, ["make"])), "allow");
});

Deno.test("parseRule() tells of a variable that no rule needs, and of a rule without a command", () => {
  const wrong = assertThrows(() => parseRule("run(CI=1 make)"), RuleError);
  assert(wrong.message.includes("CI"), wrong.message);
  assertThrows(() => parseRule("run(LD_PRELOAD=*)"), RuleError);
});

Deno.test("summarize() shows what a program is given, and a yes to one environment is none to another", () => {
  const plain = run({}, ["git", "fetch"]);
  const given = run({ GIT_SSH_COMMAND: "ssh -v" }, ["git", "fetch"]);
  assertEquals(summarize(given), "run GIT_SSH_COMMAND='ssh -v' git fetch");
  const approvals = createApprovals();
  approvals.add({ callId: "", action: plain, reason: "", summary: "", suggestion: undefined });
  assert(approvals.covers(plain, policy({})));
  assert(!approvals.covers(given, policy({})));
});

Deno.test("decide(): git runs what its settings, its aliases and its other names say", () => {
  const rules = { deny: ["run(git push *)"] };
  const table: readonly (readonly [string, string])[] = [
    ["git up", "ask"],
    ["git -C sub up", "ask"],
    ["git config alias.up !push", "ask"],
    ["git -C sub config --add alias.up push", "ask"],
    ["git config set core.editor x", "ask"],
    ["git config -f other core.sshCommand x", "ask"],
    ["git config filter.a.b.clean x", "ask"],
    ["git config rename-section mine alias", "ask"],
    ["git clone -c core.fsmonitor=x url", "ask"],
    ["git clone --template=hooks url", "ask"],
    ["git --exec-path=bin status", "ask"],
    ["git remote-ext x", "ask"],
    ["git-push origin", "deny"],
    ["git config alias.up", "allow"],
    ["git config --get core.pager", "allow"],
    ["git config user.name me", "allow"],
    ["git config core.pager cat", "allow"],
    ["git status", "allow"],
    ["git -C sub stash list", "allow"],
    ["git lfs pull", "allow"],
    ["git", "allow"],
    ["git --version", "allow"],
  ];
  for (const [text, wanted] of table) assertEquals(decision(rules, run({}, text.split(" "))), wanted, text);
});

Deno.test("decide(): assignments in the text that a foreign shell runs count like those before a command", () => {
  const rules = { deny: ["run(git push *)"] };
  const zsh = (text: string) => decision(rules, run({}, ["zsh", "-c", text]));
  assertEquals(zsh("GIT_PAGER='git push' git log"), "deny");
  assertEquals(zsh("export GIT_EDITOR='git push'; git commit"), "deny");
  assertEquals(zsh("LD_PRELOAD=./x.so make"), "ask");
  assertEquals(zsh("GIT_PAGER=$x git log"), "ask");
  assertEquals(zsh("CI=1 make"), "allow");
  assertEquals(decision(rules, run({}, ["env", "GIT_PAGER=git push", "git", "log"])), "deny");
  assertEquals(decision(rules, run({}, ["sudo", "LD_PRELOAD=x", "make"])), "ask");
});
