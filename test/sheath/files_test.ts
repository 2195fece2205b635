import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { withSheath } from "./sheath_fixture.ts";

Deno.test("sheath runs a file tool in the workspace", () =>
  withSheath({}, async ({ run, workspace }) => {
    assertStringIncludes((await run("read", { path: "plain.txt" })).text, "plain");
    const written = await run("write", { path: "deep/er/new.txt", content: "made\n" });
    assertEquals(written.isError, false, written.text);
    assertEquals(Deno.readTextFileSync(`${workspace}/deep/er/new.txt`), "made\n");
  }));

for (const mode of ["read-only", "workspace"] as const) {
  Deno.test(`sheath keeps file tools from secrets and from what links lead to (${mode})`, () =>
    withSheath({ policy: { mode } }, async ({ run, workspace, outside, home }) => {
      Deno.symlinkSync("../outside", `${workspace}/dir-link`);
      Deno.symlinkSync("../outside/secret.txt", `${workspace}/file-link`);
      Deno.symlinkSync("dir-link", `${workspace}/chain-link`);
      Deno.symlinkSync(outside, `${workspace}/abs-link`);
      Deno.symlinkSync("/proc/self/environ", `${workspace}/env-link`);
      for (
        const path of [
          `${home}/.ssh/id_rsa`,
          "~/.ssh/id_rsa",
          "../home/.ssh/id_rsa",
          `${outside}/secret.txt`,
          "file-link",
          "dir-link/secret.txt",
          "chain-link/secret.txt",
          "abs-link/secret.txt",
          "dir-link/../home/.ssh/id_rsa",
          "env-link",
          "/proc/self/environ",
          `/proc/${Deno.pid}/environ`,
          "/etc/hostname",
        ]
      ) {
        const { text, isError } = await run("read", { path });
        assert(isError, `${path}: ${text}`);
        if (!path.includes("/../")) assertMatch(text, /not allowed|outside|credentials/i, path);
        assert(!text.includes("CANARY"), `${path}: ${text}`);
      }
      assertStringIncludes((await run("read", { path: "plain.txt" })).text, "plain");
    }));
}

Deno.test("sheath off reaches what the user reaches: the control of the refusals", () =>
  withSheath({ policy: { mode: "off" } }, async ({ run, workspace, outside, home }) => {
    Deno.symlinkSync("../outside/secret.txt", `${workspace}/file-link`);
    assertStringIncludes((await run("read", { path: `${home}/.ssh/id_rsa` })).text, "CANARY-KEY");
    assertStringIncludes((await run("read", { path: "file-link" })).text, "CANARY-OUT");
    await run("write", { path: `${outside}/new.txt`, content: "x" });
    assertEquals(Deno.readTextFileSync(`${outside}/new.txt`), "x");
  }));

Deno.test("sheath keeps writes inside: links, creation through dangling links, protected places", () =>
  withSheath({}, async ({ run, workspace, outside, home }) => {
    Deno.mkdirSync(`${workspace}/src`);
    Deno.mkdirSync(`${workspace}/.git/hooks`, { recursive: true });
    Deno.symlinkSync("../outside", `${workspace}/dir-link`);
    Deno.symlinkSync("../outside/new.txt", `${workspace}/dangling-link`);
    Deno.symlinkSync("src", `${workspace}/inner-link`);
    for (
      const path of [
        "dangling-link",
        "dir-link/sub/new.txt",
        "dir-link/secret.txt",
        `${outside}/direct.txt`,
        `${home}/.bashrc`,
        ".git/hooks/pre-commit",
        ".git/config",
        "src/.git/hooks/post-checkout",
        ".envrc",
        ".vscode/tasks.json",
        ".myelin/settings.jsonc",
      ]
    ) {
      const { text, isError } = await run("write", { path, content: "evil" });
      assert(isError, `${path}: ${text}`);
    }
    assertEquals([...Deno.readDirSync(outside)].map((entry) => entry.name), ["secret.txt"]);
    assertEquals(Deno.readTextFileSync(`${outside}/secret.txt`), "CANARY-OUT\n");
    assertEquals([...Deno.readDirSync(`${workspace}/.git/hooks`)], []);
    const good = await run("write", { path: "inner-link/ok.c", content: "int y;" });
    assertEquals(good.isError, false, good.text);
    assertEquals(Deno.readTextFileSync(`${workspace}/src/ok.c`), "int y;");
  }));

Deno.test("sheath keeps git's ways to a configuration closed, and the folders around credentials in place", () =>
  withSheath({}, async ({ run, workspace }) => {
    Deno.mkdirSync(`${workspace}/.git`);
    Deno.mkdirSync(`${workspace}/sub`);
    Deno.mkdirSync(`${workspace}/wt`);
    Deno.writeTextFileSync(`${workspace}/wt/.git`, "gitdir: ../.git/worktrees/wt\n");
    for (
      const command of [
        "echo 'gitdir: x' > sub/.git",
        "echo 'gitdir: x' >> sub/.git",
        "cp plain.txt sub/.git",
        "mv plain.txt sub/.git",
        "ln -s x sub/.git",
        "echo 'gitdir: x' > wt/.git",
        "rm wt/.git",
        "mv wt/.git wt/g",
        "echo ../evil > .git/commondir",
        "mkdir -p .git/modules/a/b/hooks",
        "mkdir -p .git/worktrees/x",
      ]
    ) {
      const { text } = await run("bash", { command: `${command}; echo "code $?"` });
      assert(!text.includes("code 0"), `${command}: ${text}`);
      assertMatch(text, /protected/, command);
    }
    assertEquals([...Deno.readDirSync(`${workspace}/sub`)], []);
    assertEquals([...Deno.readDirSync(`${workspace}/.git`)], []);
    assertEquals(Deno.readTextFileSync(`${workspace}/wt/.git`), "gitdir: ../.git/worktrees/wt\n");
    const fine = await run("bash", {
      command: "echo x > .gitignore && mkdir new && echo y > new/a && rm -r new",
    });
    assertEquals(fine.isError, false, fine.text);
  }));

Deno.test("sheath in a workspace that is the home folder: credentials stay hidden behind links and moves", async () => {
  const home = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sheath-home-" }));
  try {
    Deno.mkdirSync(`${home}/.cargo`);
    Deno.writeTextFileSync(`${home}/.cargo/credentials.toml`, "CANARY-CARGO");
    Deno.mkdirSync(`${home}/dot/ssh`, { recursive: true });
    Deno.writeTextFileSync(`${home}/dot/ssh/id_rsa`, "CANARY-KEY");
    Deno.symlinkSync("dot/ssh", `${home}/.ssh`);
    const policy = { workspace: home, home, ownFolder: `${home}/.myelin` };
    await withSheath({ policy }, async ({ run }) => {
      for (
        const command of [
          "mv .cargo x; cat x/credentials.toml",
          "cp -r .cargo y; cat y/credentials.toml",
          "ln -s .cargo z; cat z/credentials.toml",
          "cat .ssh/id_rsa dot/ssh/id_rsa",
          "mv dot d; cat d/ssh/id_rsa",
          "mv .ssh s; cat s/id_rsa",
        ]
      ) {
        const { text } = await run("bash", { command });
        assert(!text.includes("CANARY"), `${command}: ${text}`);
        assertMatch(text, /credentials/, command);
      }
    });
    assertEquals(Deno.readTextFileSync(`${home}/.cargo/credentials.toml`), "CANARY-CARGO");
  } finally {
    Deno.removeSync(home, { recursive: true });
  }
});

Deno.test("sheath in read-only mode writes nothing", () =>
  withSheath({ policy: { mode: "read-only" } }, async ({ run, workspace }) => {
    const { text, isError } = await run("write", { path: "new.txt", content: "x" });
    assert(isError);
    assertMatch(text, /read-only/);
    assertEquals([...Deno.readDirSync(workspace)].map((entry) => entry.name), ["plain.txt"]);
  }));

Deno.test("sheath writes outside the workspace where a rule says so, and reads nothing there", () =>
  withSheath(
    { policy: { rules: { allow: ["write(~/notes/**)", "write(~/one.txt)"] } } },
    async ({ run, home }) => {
      Deno.mkdirSync(`${home}/notes`);
      Deno.writeTextFileSync(`${home}/notes/old.txt`, "CANARY-NOTES");
      for (const path of ["notes/new.txt", "notes/a/b.txt", "one.txt"]) {
        const { text } = await run("write", { path: `${home}/${path}`, content: "mine\n" });
        assertMatch(text, /^Wrote/, text);
        assertEquals(Deno.readTextFileSync(`${home}/${path}`), "mine\n");
      }
      const made = await run("bash", {
        command: `mkdir -p ~/notes/c/d && touch ~/notes/e && rm ~/notes/e && echo ok`,
      });
      assertEquals(made.text.trim(), "ok");
      for (
        const command of [
          "cat ~/notes/old.txt",
          "cp ~/notes/old.txt x",
          "ls ~/notes",
          "ls ~",
          "cat < ~/notes/old.txt",
        ]
      ) {
        const { text } = await run("bash", { command });
        assertMatch(text, /Not allowed/, command);
        assert(!text.includes("CANARY"), command);
      }
      const refused = await run("write", { path: `${home}/two.txt`, content: "x" });
      assertMatch(refused.text, /sandbox\.writeRoots/);
    },
  ));

Deno.test("sheath reads outside the workspace where a rule says so, and only there", () =>
  withSheath({ policy: { rules: { allow: ["read(~/notes/**)"] } } }, async ({ run, home }) => {
    Deno.mkdirSync(`${home}/notes`);
    Deno.writeTextFileSync(`${home}/notes/a.txt`, "noted\n");
    Deno.symlinkSync("../.ssh/id_rsa", `${home}/notes/link`);
    assertStringIncludes((await run("read", { path: "~/notes/a.txt" })).text, "noted");
    assert((await run("read", { path: "~/notes/link" })).isError);
    assert((await run("read", { path: "~/other.txt" })).isError);
  }));

Deno.test("sheath answers an unknown tool with an error result", () =>
  withSheath({}, async ({ run }) => {
    const { text, isError } = await run("nothing", {});
    assert(isError);
    assertStringIncludes(text, "nothing");
  }));

Deno.test("sheath asks once, by its own name, before a tool writes a file that needs a question", async () => {
  const asked: string[] = [];
  await withSheath({
    policy: { approve: "ask" },
    sheath: {
      approve: ({ summary }) => {
        asked.push(summary);
        return Promise.resolve({ allow: true });
      },
    },
  }, async ({ run, workspace }) => {
    Deno.mkdirSync(`${workspace}/.git/hooks`, { recursive: true });
    const path = `${workspace}/.git/hooks/pre-commit`;
    const made = await run("write", { path, content: "one\n" });
    assertEquals(made.isError, false, made.text);
    assertEquals(asked.splice(0), [`write ${path}`]);
    const edited = await run("edit", { path, edits: [{ oldText: "one", newText: "two" }] });
    assertEquals(edited.isError, false, edited.text);
    assertEquals(asked.splice(0), [`write ${path}`]);
    assertEquals(Deno.readTextFileSync(path), "two\n");
    assertEquals([...Deno.readDirSync(`${workspace}/.git/hooks`)].map(({ name }) => name), ["pre-commit"]);
  });
});

Deno.test("sheath: the rule that a refusal names is enough, for a file that is there and for a new one", () =>
  withSheath(
    { policy: { rules: { allow: ["write(./.git/hooks/pre-commit)"] } } },
    async ({ run, workspace }) => {
      Deno.mkdirSync(`${workspace}/.git/hooks`, { recursive: true });
      for (const content of ["one\n", "two\n"]) {
        const { text, isError } = await run("write", { path: ".git/hooks/pre-commit", content });
        assertEquals(isError, false, text);
        assertEquals(Deno.readTextFileSync(`${workspace}/.git/hooks/pre-commit`), content);
      }
      assert((await run("write", { path: ".git/hooks/post-commit", content: "x" })).isError);
    },
  ));

Deno.test("sheath: what was said with a no reaches the model, also where a new folder was asked for", () =>
  withSheath({
    policy: { approve: "ask" },
    sheath: {
      approve: () => Promise.resolve({ allow: false, reason: "put it beside the others – “später”" }),
    },
  }, async ({ run, workspace }) => {
    for (const path of [".vscode/settings.json", ".envrc"]) {
      const { text, isError } = await run("write", { path, content: "x" });
      assert(isError, path);
      assertStringIncludes(text, "put it beside the others – “später”", path);
    }
    assertEquals([...Deno.readDirSync(workspace)].map(({ name }) => name), ["plain.txt"]);
  }));

Deno.test("sheath: the model is told that nobody finds what it writes to /tmp", () =>
  withSheath({}, async ({ run }) => {
    const { text } = await run("write", { path: "/tmp/report.txt", content: "x\n" });
    assertStringIncludes(text, "Wrote /tmp/report.txt");
    assertStringIncludes(text, "only this session sees it");
    assert(!(await run("write", { path: "report.txt", content: "x\n" })).text.includes("session"));
    assertEquals((await run("bash", { command: "cat /tmp/report.txt" })).text, "x\n");
  }));
