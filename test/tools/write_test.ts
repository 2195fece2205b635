import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { create as createRead } from "../../src/tools/read/body.ts";
import { create } from "../../src/tools/write/body.ts";
import { HostError } from "../../src/sandbox/mod.ts";
import { realFs } from "../../src/sandbox/host_real.ts";
import { Bench, call } from "../support/host_fs.ts";

Deno.test("write makes a file with its folders and says what it wrote", async () => {
  using bench = new Bench();
  const result = await call(create(bench.deps), { path: "a/b/c.txt", content: "one\ntwo\n" });
  assertEquals(result.text, "Wrote a/b/c.txt: 2 lines, 8 bytes (new)");
  assertEquals(bench.text("a/b/c.txt"), "one\ntwo\n");
  assert(result.view?.type === "diff");
  assertEquals(result.view.added, 2);
  assertEquals([...Deno.readDirSync(`${bench.dir}/a/b`)].map((entry) => entry.name), ["c.txt"]);
});

Deno.test("write refuses an existing file that was not read, or has changed since", async () => {
  using bench = new Bench();
  const write = create(bench.deps);
  bench.put("f", "old\n");
  const refused = await call(write, { path: "f", content: "new\n" });
  assert(refused.isError);
  assertStringIncludes(refused.text, "read it first");
  assertEquals(bench.text("f"), "old\n");
  await call(createRead(bench.deps), { path: "f" });
  assert(!(await call(write, { path: "f", content: "new\n" })).isError);
  assert(!(await call(write, { path: "f", content: "newer\n" })).isError, "what it wrote itself is known");
  bench.put("f", "somebody else's\n");
  assertStringIncludes((await call(write, { path: "f", content: "x" })).text, "changed since");
});

Deno.test("write keeps byte order mark, encoding and line ends of what it replaces", async () => {
  using bench = new Bench();
  const cases: [number[], string, number[]][] = [
    [[0xef, 0xbb, 0xbf, 0x61, 0x0d, 0x0a], "b\nc\n", [0xef, 0xbb, 0xbf, 0x62, 0x0d, 0x0a, 0x63, 0x0d, 0x0a]],
    [[0x61, 0x0a], "b\r\nc\r\n", [0x62, 0x0a, 0x63, 0x0a]],
    [[0xff, 0xfe, 0x61, 0, 0x0a, 0], "é\n", [0xff, 0xfe, 0xe9, 0, 0x0a, 0]],
    [[0x70, 0x72, 0xe9, 0x63, 0x0a], "é!\n", [0xe9, 0x21, 0x0a]],
    // Mixed: lines that stay keep their ends.
    [[0x61, 0x0a, 0x62, 0x0d, 0x0a, 0x63, 0x0d, 0x0a], "a\nB\nc\n", [
      0x61,
      0x0a,
      0x42,
      0x0d,
      0x0a,
      0x63,
      0x0d,
      0x0a,
    ]],
  ];
  for (const [before, content, after] of cases) {
    bench.put("f", Uint8Array.from(before));
    await call(createRead(bench.deps), { path: "f" });
    const result = await call(create(bench.deps), { path: "f", content });
    assert(!result.isError, result.text);
    assertEquals([...bench.bytes("f")], after, content);
  }
});

Deno.test("write goes through links, also through one that leads nowhere yet, and keeps the mode", async () => {
  using bench = new Bench();
  const write = create(bench.deps);
  Deno.chmodSync(bench.put("real", "x"), 0o640);
  Deno.symlinkSync("real", `${bench.dir}/link`);
  Deno.symlinkSync("later", `${bench.dir}/dangling`);
  await call(createRead(bench.deps), { path: "link" });
  await call(write, { path: "link", content: "y" });
  assertEquals(bench.text("real"), "y");
  assertEquals(Deno.statSync(`${bench.dir}/real`).mode! & 0o777, 0o640);
  await call(write, { path: "dangling", content: "z" });
  assertEquals(bench.text("later"), "z");
  assert(Deno.lstatSync(`${bench.dir}/dangling`).isSymlink);
  Deno.symlinkSync("loop-a", `${bench.dir}/loop-b`);
  Deno.symlinkSync("loop-b", `${bench.dir}/loop-a`);
  assert((await call(write, { path: "loop-a", content: "x" })).isError);
});

Deno.test("write leaves nothing behind when it fails, and passes a refusal on", async () => {
  using bench = new Bench({
    fs: {
      ...realFs,
      rename: (from) => {
        throw new HostError("EDENIED", from, "write is not allowed here: the workspace is read-only");
      },
    },
  });
  const result = await call(create(bench.deps), { path: "f", content: "x" });
  assert(result.isError);
  assertStringIncludes(result.denied ?? "", "read-only");
  assertEquals([...Deno.readDirSync(bench.dir)], []);
  assertStringIncludes((await call(create(bench.deps), { path: ".", content: "x" })).text, "Is a directory");
});

Deno.test("write never puts half a character on disk", async () => {
  using bench = new Bench();
  await call(create(bench.deps), { path: "f", content: "a\ud83d" });
  assertEquals(bench.text("f"), "a\ufffd");
});
