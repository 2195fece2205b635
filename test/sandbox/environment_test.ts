import { assertEquals } from "@std/assert";
import {
  changedLoaders,
  commandEnvironment,
  NON_INTERACTIVE,
  unwrappedEnvironment,
} from "../../src/sandbox/environment.ts";

const build = (names: string[], source: Record<string, string>, secretNames: string[] = []) =>
  commandEnvironment({ names, source, secretNames, tempDir: "/tmp/t" });

Deno.test("commandEnvironment() takes what is listed and nothing else", () => {
  const env = build(["PATH", "HOME"], { PATH: "/p", HOME: "/h", LD_PRELOAD: "x", OTHER: "y" });
  assertEquals([env.PATH, env.HOME, env.LD_PRELOAD, env.OTHER], ["/p", "/h", undefined, undefined]);
  assertEquals(env.TMPDIR, "/tmp/t");
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

Deno.test("changedLoaders() names what makes programs run other code, where it differs", () => {
  const base = { PATH: "/p", GIT_PAGER: "cat" };
  assertEquals(changedLoaders({ ...base, PATH: "/q", X: "1" }, base, true), []);
  assertEquals(changedLoaders({ ...base, LD_PRELOAD: "./x.so", GIT_PAGER: "sh -c x" }, base, true).sort(), [
    "GIT_PAGER",
    "LD_PRELOAD",
  ]);
});

Deno.test("changedLoaders() counts where settings and programs are found for what nothing confines", () => {
  const base = { PATH: "/p", HOME: "/h", XDG_CONFIG_HOME: "/c", LANG: "C", GIT_ASKPASS: "/bin/false" };
  const changed = (changes: Record<string, string>, wrapped: boolean) =>
    changedLoaders({ ...base, ...changes }, base, wrapped);
  for (const name of ["PATH", "HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "GCONV_PATH"]) {
    assertEquals(changed({ [name]: "/ws/x" }, false), [name]);
    assertEquals(changed({ [name]: "/ws/x" }, true), []);
  }
  assertEquals(changed({ LANG: "en", OWN: "1", PATH: "/p" }, false), []);
  const { XDG_CONFIG_HOME: _gone, ...rest } = base;
  assertEquals(changedLoaders(rest, base, false), ["XDG_CONFIG_HOME"]);
});

Deno.test("unwrappedEnvironment() tells git, and only git, to trust less", () => {
  assertEquals(unwrappedEnvironment("/usr/bin/gitk2", { A: "1" }), { A: "1" });
  assertEquals(unwrappedEnvironment("/usr/bin/git", { A: "1" }), {
    A: "1",
    GIT_CONFIG_COUNT: "2",
    GIT_CONFIG_KEY_0: "safe.bareRepository",
    GIT_CONFIG_VALUE_0: "explicit",
    GIT_CONFIG_KEY_1: "core.fsmonitor",
    GIT_CONFIG_VALUE_1: "false",
  });
  const more = unwrappedEnvironment("C:\\Git\\git.exe", {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.fsmonitor",
    GIT_CONFIG_VALUE_0: "./x",
  });
  assertEquals([more.GIT_CONFIG_COUNT, more.GIT_CONFIG_VALUE_0, more.GIT_CONFIG_VALUE_2], [
    "3",
    "./x",
    "false",
  ]);
});
