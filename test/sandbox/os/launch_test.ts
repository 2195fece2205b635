import { assert, assertEquals } from "@std/assert";
import { launch, type LaunchOptions } from "../../../src/sandbox/os/launch.ts";

const ignore = Deno.build.os === "windows";
const TOOLS = { env: "/usr/bin/env", printf: "/usr/bin/printf", sh: "/bin/sh" };

async function run(
  program: string,
  args: readonly string[],
  env: Record<string, string>,
  options?: LaunchOptions,
): Promise<string> {
  const made = launch({ program, argv: ["name", ...args], cwd: "/", env }, options);
  const { stdout, stderr } = await new Deno.Command(made.argv[0], {
    args: made.argv.slice(1),
    env: made.env,
    clearEnv: true,
  }).output();
  return new TextDecoder().decode(stderr) + new TextDecoder().decode(stdout);
}

const sorted = (text: string) => text.split("\0").filter((line) => line !== "" && !/^PWD=/.test(line)).sort();

Deno.test({
  name: "launch() gives a program its environment to the letter, and nothing beside it",
  ignore,
  async fn() {
    const plain = { PATH: "/x", A: 'it\'s "$HOME" `id` \\ \n end', LC_ALL: "C", myelin_0: "own", EMPTY: "" };
    assertEquals(
      sorted(await run(TOOLS.env, ["-0"], plain)),
      Object.entries(plain).map((entry) => entry.join("=")).sort(),
    );
    // No shell takes these for names of its own variables.
    const odd = {
      "a.b": "$(id)",
      "npm_//host/:_x": "1",
      SHLVL: "7",
      PPID: "8",
      IFS: "x",
      OPTIND: "q",
      _: "u",
    };
    assertEquals(
      sorted(await run(TOOLS.env, ["-0"], { ...plain, ...odd })),
      Object.entries({ ...plain, ...odd }).map((entry) => entry.join("=")).sort(),
    );
  },
});

Deno.test({
  name: "launch() carries arguments of every kind, very many too, with odd variables or without",
  ignore,
  async fn() {
    const words = ["", "a b", "'", '"', "$HOME", "`id`", "\\", "\n", "-n", "ä漢", "x".repeat(40_000)];
    for (const env of [{}, { "a.b": "1" }] as Record<string, string>[]) {
      assertEquals(await run(TOOLS.printf, ["%s|", ...words], env), words.map((word) => `${word}|`).join(""));
      const many = Array.from(
        { length: 12_000 },
        (_, i) => i % 7 === 0 ? words[i % words.length] : `word '${i}'`,
      )
        .map((word) => word.slice(0, 100));
      assertEquals(await run(TOOLS.printf, ["%s|", ...many], env), many.map((word) => `${word}|`).join(""));
    }
  },
});

Deno.test({
  name: "launch() starts a program with a = in its path, variables or not",
  ignore,
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(`${folder}/a=b`, '#!/bin/sh\necho "$# $1"\n', { mode: 0o755 });
      for (const env of [{ PATH: "/bin" }, { "a.b": "1" }] as Record<string, string>[]) {
        assertEquals(await run(`${folder}/a=b`, ["x y", "z"], env), "2 x y\n");
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name:
    "launch() closes what a program must not inherit, and adds its number to the variable that is numbered",
  ignore,
  async fn() {
    const made = launch({
      program: TOOLS.sh,
      argv: ["sh", "-c", 'echo "$M $$"; (echo open >&7) 2>/dev/null || echo closed'],
      cwd: "/",
      env: { M: "mark." },
    }, { close: [7], numbered: "M" });
    const { stdout } = await new Deno.Command("/bin/sh", {
      args: ["-c", 'exec "$0" "$@" 7>&1', ...made.argv],
      env: made.env,
      clearEnv: true,
    }).output();
    const [, number, pid, state] = /^mark\.(\d+) (\d+)\n(\w+)/.exec(new TextDecoder().decode(stdout)) ?? [];
    assert(number !== undefined && number === pid);
    assertEquals(state, "closed");
  },
});

Deno.test({
  name: "launch() starts nothing where a mount is not what was meant",
  ignore: Deno.build.os !== "linux",
  async fn() {
    assertEquals(await run(TOOLS.printf, ["ran"], { "a.b": "1" }, { mounted: [" /proc "] }), "ran");
    const text = await run(TOOLS.printf, ["ran"], {}, { mounted: [" /proc ", " /it's*/not /there "] });
    assertEquals(text, "myelin: a folder was swapped while the sandbox was being made; not started\n");
  },
});

Deno.test({
  name: "launch() carries bytes that are no text",
  ignore,
  async fn() {
    const words = ["a\udcff\udc80'b\n", "\udce4", "é\u{1f600}\udcf0", "plain"];
    const made = launch({
      program: TOOLS.printf,
      argv: ["printf", "%s|", ...words],
      cwd: "/",
      env: { A: "1" },
    });
    const { stdout } = await new Deno.Command(made.argv[0], {
      args: made.argv.slice(1),
      env: made.env,
      clearEnv: true,
    }).output();
    const text = (part: string) => [...new TextEncoder().encode(part)];
    assertEquals([...stdout], [
      ...[...text("a"), 0xff, 0x80, ...text("'b\n|"), 0xe4, ...text("|")],
      ...[...text("é\u{1f600}"), 0xf0, ...text("|plain|")],
    ]);
  },
});
