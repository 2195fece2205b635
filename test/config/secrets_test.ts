import { assert, assertEquals, assertRejects } from "@std/assert";
import { ConfigError } from "../../src/config/errors.ts";
import { envName, keySource, parseDotEnv } from "../../src/config/secrets.ts";

const env = (name: string) => ({ SET: "from-env" } as Record<string, string>)[name];

Deno.test("keySource() takes a literal, a variable, a command, or nothing", async () => {
  const rows = [["sk-1", "literal"], ["$SET", "env"], ["${SET}", "env"], ["!printf ' out\\n'", "command"], [
    undefined,
    "none",
  ]] as const;
  const keys = [];
  for (const [spec, kind] of rows) {
    const source = keySource(spec, env);
    assertEquals(source.kind, kind);
    keys.push([source.present(), await source.get()]);
  }
  assertEquals(keys, [[true, "sk-1"], [true, "from-env"], [true, "from-env"], [true, "out"], [
    false,
    undefined,
  ]]);
});

Deno.test("keySource() of a variable that is not set has no key, and says its name", async () => {
  const source = keySource("$UNSET", env);
  assertEquals([source.present(), await source.get(), source.name], [false, undefined, "UNSET"]);
});

Deno.test("keySource() runs a command when the key is asked for, once", async () => {
  const file = await Deno.makeTempFile();
  try {
    const source = keySource(`!echo x >> '${file}'; echo key`, env);
    assertEquals(await Deno.readTextFile(file), "");
    assertEquals(await Promise.all([source.get(), source.get()]), ["key", "key"]);
    assertEquals(await source.get(), "key");
    assertEquals(await Deno.readTextFile(file), "x\n");
  } finally {
    await Deno.remove(file);
  }
});

for (const command of ["echo sk-secret; exit 3", "echo sk-secret >&2", "no-such-program-sk-secret"]) {
  Deno.test(`keySource() tells that "${command}" failed, without what it said, and tries again`, async () => {
    const source = keySource(`!${command}`, env);
    for (let i = 0; i < 2; i++) {
      const error = await assertRejects(() => source.get(), ConfigError);
      assertEquals(error.code, "secret");
      assert(!`${error.message}${error.hint}`.includes("sk-secret"));
    }
  });
}

Deno.test("envName() is the name of a value that is a variable as a whole", () => {
  assertEquals(["$A_1", "${A}", "$", "$A b", "x$A", "$1", "A"].map(envName), [
    "A_1",
    "A",
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

Deno.test("parseDotEnv() reads names, quotes, comments and exports", () => {
  const text = [
    "# comment",
    "PLAIN=one # said",
    "  export SPACED =  two  ",
    'DOUBLE="a # b\\n\\"c\\"" # said',
    "SINGLE='a\\n$X'",
    "EMPTY=",
    "HASH=a#b",
    "not a line",
    "PLAIN=three\r",
  ].join("\n");
  assertEquals(Object.fromEntries(parseDotEnv(new TextEncoder().encode(text))), {
    PLAIN: "three",
    SPACED: "two",
    DOUBLE: 'a # b\n"c"',
    SINGLE: "a\\n$X",
    HASH: "a#b",
  });
  assertEquals(parseDotEnv(undefined).size, 0);
});
