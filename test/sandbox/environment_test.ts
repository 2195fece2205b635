import { assertEquals } from "@std/assert";
import { commandEnvironment, NON_INTERACTIVE, unwrappedEnvironment } from "../../src/sandbox/environment.ts";

const build = (names: string[], source: Record<string, string>, secretNames: string[] = []) =>
  commandEnvironment({ names, source, secretNames, tempDir: "/tmp/t" });

Deno.test("commandEnvironment() takes what is listed and nothing else", () => {
  const env = build(["PATH", "HOME"], { PATH: "/p", HOME: "/h", LD_PRELOAD: "x", OTHER: "y" });
  assertEquals([env.PATH, env.HOME, env.LD_PRELOAD, env.OTHER], ["/p", "/h", undefined, undefined]);
  assertEquals(env.TMPDIR, "/tmp/t");
});

Deno.test("commandEnvironment() has package managers try once where no host is reached, unless the user said otherwise", () => {
  const source = { PATH: "/p", PIP_RETRIES: "2" };
  const options = { names: ["PATH", "PIP_*"], source, tempDir: "/tmp/t" };
  const offline = commandEnvironment({ ...options, offline: true });
  assertEquals([offline.npm_config_fetch_retries, offline.CARGO_NET_RETRY, offline.PIP_RETRIES], [
    "0",
    "0",
    "2",
  ]);
  const online = commandEnvironment(options);
  assertEquals([online.npm_config_fetch_retries, online.CARGO_NET_RETRY], [undefined, undefined]);
});

Deno.test("commandEnvironment() leaves secrets out of what a pattern takes, keeps those that are named, never providers' keys", () => {
  const source = {
    MY_A: "1",
    MY_API_KEY: "k",
    MY_TOKEN: "t",
    MY_PASSWORD: "p",
    OPENAI_API_KEY: "sk",
    MINE: "m",
  };
  const env = build(["MY_*", "MY_TOKEN", "OPENAI_API_KEY", "MINE"], source, ["MINE"]);
  assertEquals([env.MY_A, env.MY_API_KEY, env.MY_TOKEN, env.MY_PASSWORD, env.OPENAI_API_KEY, env.MINE], [
    "1",
    undefined,
    "t",
    undefined,
    undefined,
    undefined,
  ]);
});

Deno.test("commandEnvironment() lets nothing wait for a person, unless the user says so", () => {
  const env = build(["PATH"], { PATH: "/p", EDITOR: "vi", GIT_PAGER: "less" });
  for (const [name, value] of Object.entries(NON_INTERACTIVE)) assertEquals(env[name], value, name);
  assertEquals(build(["EDITOR"], { EDITOR: "vi" }).EDITOR, "vi");
});

Deno.test("commandEnvironment() gives Go a place for its cache where the home cannot be written", () => {
  const options = { names: ["PATH"], source: { PATH: "/p" }, tempDir: "/tmp/t" };
  assertEquals(commandEnvironment({ ...options, confined: true }).GOCACHE, "/tmp/t/go-build");
  assertEquals(commandEnvironment(options).GOCACHE, undefined);
});

Deno.test("unwrappedEnvironment() tells git, and only git, to trust less", () => {
  assertEquals(unwrappedEnvironment("/usr/bin/gitk2", { A: "1" }), { A: "1" });
  assertEquals(unwrappedEnvironment("/usr/bin/git", { A: "1" }), {
    A: "1",
    GIT_CONFIG_COUNT: "3",
    GIT_CONFIG_KEY_0: "safe.bareRepository",
    GIT_CONFIG_VALUE_0: "explicit",
    GIT_CONFIG_KEY_1: "core.fsmonitor",
    GIT_CONFIG_VALUE_1: "false",
    GIT_CONFIG_KEY_2: "core.hooksPath",
    GIT_CONFIG_VALUE_2: ".git/hooks",
  });
  const more = unwrappedEnvironment("C:\\Git\\git.exe", {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.fsmonitor",
    GIT_CONFIG_VALUE_0: "./x",
  });
  assertEquals([more.GIT_CONFIG_COUNT, more.GIT_CONFIG_VALUE_0, more.GIT_CONFIG_VALUE_2], [
    "4",
    "./x",
    "false",
  ]);
});

Deno.test({
  name:
    "unwrappedEnvironment() keeps git from hooks in the workspace and from a folder made to look like a repository",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const dir = await Deno.realPath(await Deno.makeTempDir({ prefix: "unwrapped-git-" }));
    const plain: Record<string, string> = {
      PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
      HOME: dir,
      GIT_AUTHOR_NAME: "t",
      GIT_AUTHOR_EMAIL: "t@example.org",
      GIT_COMMITTER_NAME: "t",
      GIT_COMMITTER_EMAIL: "t@example.org",
    };
    const git = (env: Readonly<Record<string, string>>, cwd: string, ...args: string[]) =>
      new Deno.Command("git", { args, cwd, env: { ...env }, clearEnv: true, stderr: "null", stdout: "null" })
        .output();
    const script = (name: string) => `#!/bin/sh\necho ${name} >> ${dir}/ran\n`;
    const ran = () => Deno.readTextFile(`${dir}/ran`).catch(() => "");
    await git(plain, dir, "init", "-q", "work");
    const work = `${dir}/work`;
    await Deno.mkdir(`${work}/.husky`);
    await Deno.writeTextFile(`${work}/.husky/pre-commit`, script("workspace-hook"), { mode: 0o755 });
    await Deno.writeTextFile(`${work}/.git/hooks/pre-commit`, script("own-hook"), { mode: 0o755 });
    await git(plain, work, "config", "core.hooksPath", ".husky");
    // A folder of the workspace with the layout of a bare repository, whose configuration names a watcher.
    await git(plain, dir, "init", "-q", "--bare", "work/sub");
    await Deno.writeTextFile(`${work}/sub/watch`, script("watcher"), { mode: 0o755 });
    await git(plain, `${work}/sub`, "config", "core.fsmonitor", `${work}/sub/watch`);
    await git(plain, `${work}/sub`, "config", "core.bare", "false");
    await git(plain, `${work}/sub`, "config", "core.worktree", work);
    await git(plain, `${work}/sub`, "status");
    await git(plain, work, "commit", "-q", "--allow-empty", "-m", "x");
    assertEquals(await ran(), "watcher\nworkspace-hook\n", "the attack works without it");
    await Deno.remove(`${dir}/ran`);
    const safe = unwrappedEnvironment("/usr/bin/git", plain);
    await git(safe, `${work}/sub`, "status");
    await git(safe, work, "commit", "-q", "--allow-empty", "-m", "y");
    assertEquals(await ran(), "own-hook\n");
    await Deno.remove(dir, { recursive: true });
  },
});
