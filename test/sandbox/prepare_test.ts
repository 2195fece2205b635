import { assert, assertEquals, assertThrows } from "@std/assert";
import { preparePolicy, removeTemp } from "../../src/sandbox/os/mod.ts";
import type { PolicySettings } from "../../src/sandbox/os/mod.ts";
import { RuleError } from "../../src/sandbox/rules.ts";
import type { Policy } from "../../src/sandbox/policy.ts";

function withPolicy(
  settings: (root: string) => Partial<PolicySettings>,
  work: (policy: Policy, root: string) => void,
): void {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "prepare-test-" }));
  for (const folder of ["ws", "ws/lib", "home", "other"]) Deno.mkdirSync(`${root}/${folder}`);
  Deno.symlinkSync("other", `${root}/named`);
  let policy: Policy | undefined;
  try {
    policy = preparePolicy({
      mode: "workspace",
      workspace: `${root}/ws`,
      approve: "never",
      home: `${root}/home`,
      ownFolder: `${root}/home/.myelin`,
      ...settings(root),
    });
    work(policy, root);
  } finally {
    if (policy) removeTemp(policy);
    Deno.removeSync(root, { recursive: true });
  }
}

Deno.test("preparePolicy() resolves roots: links, ~, relative ones; drops what is not there", () =>
  withPolicy((root) => ({
    readRoots: [`${root}/named`, "lib", "~/nothing", "~"],
    writeRoots: [`${root}/other/`],
  }), (policy, root) => {
    assertEquals(policy.readRoots, [`${root}/other`, `${root}/ws/lib`, `${root}/home`]);
    assertEquals(policy.writeRoots, [`${root}/other`]);
    assert(policy.aliases!.some(([name, target]) => name === `${root}/named` && target === `${root}/other`));
  }));

Deno.test("preparePolicy() makes a private temporary folder for this user alone", () =>
  withPolicy(() => ({}), (policy) => {
    const info = Deno.statSync(policy.tempDir);
    assert(info.isDirectory);
    if (Deno.build.os !== "windows") assertEquals((info.mode ?? 0) & 0o077, 0);
  }));

Deno.test("preparePolicy() leaves a workspace usable that stands in a place with care", () =>
  withPolicy((root) => ({ ownFolder: root }), (policy, root) => {
    assert(!policy.hiddenPaths!.includes(root));
    assert(!policy.protectedPaths.includes(root));
    assert(policy.hiddenPaths!.includes(`${root}/home/.ssh`));
  }));

Deno.test("preparePolicy() says at once that a rule cannot be read", () => {
  assertThrows(
    () => withPolicy(() => ({ rules: { deny: ["git push"] } }), () => {}),
    RuleError,
    'Cannot read the rule "git push"',
  );
});

Deno.test("preparePolicy() hides and protects also what such places lead to as links", () =>
  withPolicy((root) => {
    Deno.mkdirSync(`${root}/home/dot/ssh`, { recursive: true });
    Deno.mkdirSync(`${root}/ws/tools/hooks`, { recursive: true });
    Deno.mkdirSync(`${root}/ws/.git`);
    Deno.writeTextFileSync(`${root}/home/dot/rc`, "");
    Deno.symlinkSync("dot/ssh", `${root}/home/.ssh`);
    Deno.symlinkSync("dot/rc", `${root}/home/.bashrc`);
    Deno.symlinkSync("nothing", `${root}/home/.aws`);
    Deno.symlinkSync("../tools/hooks", `${root}/ws/.git/hooks`);
    return {};
  }, (policy, root) => {
    for (const path of ["home/.ssh", "home/dot/ssh", "home/.aws"]) {
      assert(policy.hiddenPaths!.includes(`${root}/${path}`), path);
    }
    for (const path of ["home/.bashrc", "home/dot/rc", "ws/tools/hooks"]) {
      assert(policy.protectedPaths.includes(`${root}/${path}`), path);
    }
    assert(!policy.hiddenPaths!.includes(`${root}/home/nothing`));
  }));

Deno.test("preparePolicy() protects the git folder that a .git file names, and the one that shares its configuration", () =>
  withPolicy((root) => {
    Deno.mkdirSync(`${root}/ws/store/worktrees/one`, { recursive: true });
    Deno.writeTextFileSync(`${root}/ws/store/worktrees/one/commondir`, "../..\n");
    Deno.writeTextFileSync(`${root}/ws/.git`, "gitdir: store/worktrees/one\n");
    Deno.mkdirSync(`${root}/other/gd`);
    Deno.symlinkSync("gd", `${root}/other/.git`);
    return { writeRoots: [`${root}/other`] };
  }, (policy, root) => {
    for (const folder of ["ws/store/worktrees/one", "ws/store", "other/gd"]) {
      for (const name of ["hooks", "config", "commondir"]) {
        assert(policy.protectedPaths.includes(`${root}/${folder}/${name}`), `${folder}/${name}`);
      }
    }
  }));

Deno.test("preparePolicy() protects what git's configuration includes, and the hooks that it names", () =>
  withPolicy((root) => {
    Deno.mkdirSync(`${root}/ws/.git`);
    Deno.writeTextFileSync(
      `${root}/ws/.git/config`,
      [
        "[core]",
        "\tbare = false",
        "\thooksPath = .husky/_",
        '[remote "path"] ; path = no',
        "\turl = x",
        "[include]",
        '\tpath = "../.gitconfig" # ours',
        '[includeIf "gitdir:~/"] path = ~/more',
        "[alias]",
        "\tpath = ../alias",
      ].join("\n"),
    );
    return {};
  }, (policy, root) => {
    for (const path of ["ws/.husky/_", "ws/.gitconfig", "home/more"]) {
      assert(policy.protectedPaths.includes(`${root}/${path}`), path);
    }
    for (const path of ["ws/alias", "ws/.git/no", "ws/x"]) {
      assert(!policy.protectedPaths.includes(`${root}/${path}`), path);
    }
  }));

Deno.test("preparePolicy() leaves a workspace usable whose hooks are said to lie in its top folder", () =>
  withPolicy((root) => {
    Deno.mkdirSync(`${root}/ws/.git`);
    Deno.writeTextFileSync(`${root}/ws/.git/config`, "[core]\nhooksPath = .\n");
    return {};
  }, (policy, root) => assert(!policy.protectedPaths.includes(`${root}/ws`))));

Deno.test("removeTemp() removes what programs have closed, and follows no link", () =>
  withPolicy(() => ({}), ({ tempDir, ...policy }, root) => {
    Deno.writeTextFileSync(`${root}/other/kept`, "");
    Deno.mkdirSync(`${tempDir}/closed/deep`, { recursive: true });
    Deno.symlinkSync(`${root}/other`, `${tempDir}/closed/link`);
    Deno.writeTextFileSync(`${tempDir}/closed/deep/file`, "");
    if (Deno.build.os !== "windows") {
      Deno.chmodSync(`${tempDir}/closed/deep`, 0);
      Deno.chmodSync(`${tempDir}/closed`, 0o500);
    }
    removeTemp({ ...policy, tempDir });
    assertThrows(() => Deno.lstatSync(tempDir), Deno.errors.NotFound);
    assert(Deno.statSync(`${root}/other/kept`).isFile);
  }));
