/** `myelin sandbox explain` and `myelin trust`, as a user meets them. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { startChatServer } from "../support/chat_script.ts";
import { createProject } from "../support/program.ts";

const POSIX = { ignore: Deno.build.os === "windows" };

Deno.test({
  name: "sandbox explain: a table of who is bound by what, and the same as JSON",
  ...POSIX,
  fn: async () => {
    await using project = await createProject();
    const table = await project.run(["sandbox", "explain"], { env: { SECRET_TOKEN: "CANARY-1" } });
    assertEquals(table.code, 0, table.stderr);
    for (const who of ["file tools", "shell", "programs", "fetch", "MCP"]) {
      assertStringIncludes(table.stdout, who);
    }
    assertStringIncludes(table.stdout, `${project.dir}, /tmp (private)`);
    assert(!table.stdout.includes("CANARY"));
    const json = await project.run(["sandbox", "explain", "--json", "--sandbox", "read-only"]);
    const value = JSON.parse(json.stdout);
    assertEquals([value.mode, value.workspace, value.subject], ["read-only", project.dir, null]);
    assertEquals(value.roots.write, ["/tmp (private)"]);
    assertEquals(value.bound.map(({ who }: { who: string }) => who)[2], "programs");
  },
});

Deno.test({
  name: "sandbox explain: the decision for a path or a command, with the rule",
  ...POSIX,
  fn: async () => {
    await using project = await createProject({
      settings: {
        permissions: { deny: ["run(git push *)"], ask: ["write(./docs/**)"] },
        sandbox: { exec: "ask" },
      },
    });
    await Deno.mkdir(`${project.dir}/.git`);
    await Deno.symlink("/etc", `${project.dir}/link`);
    await project.write("here.txt", "x");
    const table: [string[], string, string[]][] = [
      [["here.txt"], "allow allow", ["roots", "roots"]],
      [["./link/passwd"], "deny deny", ["roots", "roots"]],
      [["~/.ssh/id_rsa"], "deny deny", ["hidden paths", "hidden paths"]],
      [["docs/new.md"], "allow", ["commands of the shell"]],
      [["--path", "docs/new.md"], "allow ask", ["roots", "write(./docs/**)"]],
      [["./.git/config"], "allow ask", ["roots", "protected paths"]],
      [["git", "push", "--force"], "deny", ["run(git push *)"]],
      [["ls && env A=1 git push # why"], "allow deny", ["commands of the shell", "run(git push *)"]],
      [["echo 'git push'"], "allow", ["commands of the shell"]],
      [["echo x > .git/hooks/pre-commit"], "allow ask", ["commands of the shell", "protected paths"]],
      ...(Deno.build.os === "linux"
        ? [[["echo x > /srv/stamp"], "allow ask", ["commands of the shell", "roots"]]] as [
          string[],
          string,
          string[],
        ][]
        : []),
      [["sh -c 'git push'"], "allow deny", ["commands of the shell", "run(git push *)"]],
      [["x=push; git $x"], "deny", ["run(git push *)"]],
      [["$(echo git) push"], "allow deny", ["commands of the shell", "run(git push *)"]],
      [["for x in log push; do git $x; done"], "ask deny", ["sandbox.exec ask", "run(git push *)"]],
      [["f() { git push; }; f"], "deny allow", ["run(git push *)", "commands of the shell"]],
    ];
    for (const [words, decisions, rules] of table) {
      const ended = await project.run(["sandbox", "explain", "--json", ...words]);
      assertEquals(ended.code, 0, ended.stderr);
      const { subject } = JSON.parse(ended.stdout);
      const judged: { decision: string; rule: string }[] = subject.judged;
      assertEquals(judged.map(({ decision }) => decision).join(" "), decisions, words.join(" "));
      assertEquals(judged.map(({ rule }) => rule), rules, words.join(" "));
    }
    const text = await project.run(["sandbox", "explain", "git", "push"]);
    assertMatch(text.stdout, /→ denied/);
    assertStringIncludes(text.stdout, 'the rule "run(git push *)" in permissions.deny forbids it');
    assert(!text.stdout.includes("a rule for permissions.allow"), "it would not be heard");
    const tried = await project.run([
      "sandbox",
      "explain",
      "x=made3; echo $x > $x; touch $x; $(echo git) push",
    ]);
    assertMatch(tried.stdout, /denied +run git push\n.*\(worked out from the script\)/);
    const nothing = await project.run(["sandbox", "explain", "git push; touch made; echo x > made2"]);
    assertEquals(nothing.code, 0);
    assertEquals([...Deno.readDirSync(project.dir)].filter(({ name }) => name.startsWith("made")), []);
  },
});

Deno.test({
  name: "sandbox: wrong usage says what there is",
  fn: async () => {
    await using project = await createProject();
    for (
      const args of [["sandbox"], ["sandbox", "x"], ["sandbox", "explain", "--nope"], [
        "sandbox",
        "explain",
        "--path",
      ]]
    ) {
      const ended = await project.run(args);
      assertEquals(ended.code, 2, args.join(" "));
      assertStringIncludes(ended.stderr, "explain");
    }
  },
});

Deno.test({
  name: "trust: what a project wants is said in one notice; trust lets it, until the file changes",
  ...POSIX,
  fn: async () => {
    const server = startChatServer({ turns: [{ text: "hi" }], repeatLast: true });
    await using project = await createProject({ url: server.url });
    const wants = (rule: string) =>
      JSON.stringify({ permissions: { allow: [rule] }, sandbox: { net: ["*"] }, limits: { maxSteps: 99 } });
    await project.write(".myelin/settings.json", wants("run(make *)"));
    const notices = async () =>
      (await project.run(["run", "-o", "stream-json", "hello"])).lines.filter(({ type }) => type === "notice")
        .map(({ text }) => String(text)).filter((text) => /trust/.test(text));
    const [first, ...others] = await notices();
    assertEquals(others, []);
    for (const part of ["sandbox.net", "permissions.allow", "limits.maxSteps", "myelin trust"]) {
      assertStringIncludes(first, part);
    }
    const show = await project.run(["trust", "--show"]);
    assertStringIncludes(show.stdout, ".myelin/settings.json");
    assertEquals((await notices()).length, 1);
    assertEquals((await project.run(["trust"])).code, 0);
    assertEquals(await notices(), []);
    await project.write(".myelin/settings.json", wants("run(*)"));
    const changed = await notices();
    assertStringIncludes(changed.join("\n"), "not trusted any more");
    assertStringIncludes(changed.join("\n"), "permissions.allow");
    await project.run(["trust"]);
    assertStringIncludes((await project.run(["trust", "--list"])).stdout, project.dir);
    await project.run(["trust", "--forget"]);
    assertEquals((await notices()).length, 1);
    await server.close();
  },
});
