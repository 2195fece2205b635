import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readChecks } from "../../src/tools/verify/read_checks.ts";
import { withSheath } from "../sheath/sheath_fixture.ts";

Deno.test("verify runs the project's checks apart from each other, and shows what is red", async () => {
  await withSheath({}, async ({ workspace, run }) => {
    assertStringIncludes((await run("verify", {})).text, "There is no .myelin/verify.json");
    Deno.mkdirSync(`${workspace}/.myelin`);
    Deno.mkdirSync(`${workspace}/sub`);
    const put = (value: unknown) =>
      Deno.writeTextFileSync(`${workspace}/.myelin/verify.json`, JSON.stringify(value));
    put({
      checks: [
        { name: "folder", run: "cd /; x=1; echo quiet" },
        { name: "types", run: 'echo "a.ts:3: wrong $x"\nfalse' },
        { name: "inner", run: "pwd; exit 3", cwd: "sub" },
      ],
    });
    const { text, isError } = await run("verify", {});
    assert(isError);
    assertStringIncludes(text, "1 of 3 checks are green\n✓ folder");
    assertStringIncludes(text, '--- types: echo "a.ts:3: wrong $x"');
    assertStringIncludes(text, "a.ts:3: wrong \n[exit status 1]");
    assertStringIncludes(text, `${workspace}/sub\n[exit status 3]`);
    assert(!text.includes("quiet"));
    assert(!(await run("verify", { only: ["folder"] })).isError);
    assertStringIncludes((await run("verify", { only: ["other"] })).text, "There are: folder, types, inner");
    assertStringIncludes((await run("bash", { command: "pwd" })).text, workspace);
  });
});

Deno.test("a check that takes too long is ended, and the others are not run", async () => {
  await withSheath({}, async ({ workspace, run }) => {
    Deno.mkdirSync(`${workspace}/.myelin`);
    Deno.writeTextFileSync(
      `${workspace}/.myelin/verify.json`,
      JSON.stringify({ checks: [{ run: "sleep 1000", timeout: "100ms" }, "touch ran"] }),
    );
    const { text, isError } = await run("verify", {});
    assert(isError);
    assertStringIncludes(text, "0 of 2 checks are green");
    assertStringIncludes(text, "ended after its time limit of 0.1 s");
    assert(!Array.from(Deno.readDirSync(workspace)).some((entry) => entry.name === "ran"));
  });
});

Deno.test("readChecks() takes the three forms and names mistakes", () => {
  const names = (text: string) => {
    const read = readChecks(text);
    return read.ok ? read.checks.map((check) => [check.name, check.run]) : read.problem;
  };
  assertEquals(names('["make"]'), [["make", "make"]]);
  assertEquals(names('{"types": "tsc", "tests": {"run": "npm test"}}'), [["types", "tsc"], [
    "tests",
    "npm test",
  ]]);
  assertEquals(names('{"checks": [{"name": "a", "run": "x", "timeout": "2m"}]}'), [["a", "x"]]);
  assertEquals(names('{"checks": [{"name": "a"}]}'), 'check 1: "run" has to be a command');
  assertEquals(names('["x", "x"]'), 'two checks are called "x"');
  assertEquals(names('[{"run": "x", "timeout": 3}]'), 'check 1: "timeout" has to be such as "90s"');
  assertEquals(names("[]"), "it holds no checks");
  assertStringIncludes(String(names("{")), "not JSON");
});
