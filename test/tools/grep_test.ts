import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { create } from "../../src/tools/grep/body.ts";
import { realFs } from "../../src/sandbox/host_real.ts";
import { Bench, call } from "../support/host_fs.ts";

Deno.test("grep shows numbered hits under the name of their file", async () => {
  using bench = new Bench();
  bench.put("a.ts", "one\nneedle 1\nthree\nneedle 2\n");
  bench.put("src/b.ts", "x needle\n");
  bench.put("c.md", "needle\n");
  const grep = create(bench.deps);
  assertEquals(
    (await call(grep, { pattern: "needle", glob: "*.ts" })).text,
    "a.ts\n2:needle 1\n4:needle 2\n\nsrc/b.ts\n1:x needle",
  );
  assertEquals((await call(grep, { pattern: "needle \\d", path: "a.ts" })).text, "2:needle 1\n4:needle 2");
  assertEquals(
    (await call(grep, { pattern: "NEEDLE", ignoreCase: true, show: "files" })).text,
    "a.ts\nc.md\nsrc/b.ts",
  );
  assertEquals((await call(grep, { pattern: "needle", show: "counts" })).text, "a.ts:2\nc.md:1\nsrc/b.ts:1");
  assertEquals((await call(grep, { pattern: "absent" })).text, "No matches in 3 files");
});

Deno.test("grep joins contexts that touch and sets others apart", async () => {
  using bench = new Bench();
  bench.put("f", "1\n2 x\n3\n4 x\n5\n6\n7\n8\n9 x\n");
  const { text } = await call(create(bench.deps), { pattern: "x", path: "f", context: 1 });
  assertEquals(text, "1-1\n2:2 x\n3-3\n4:4 x\n5-5\n--\n8-8\n9:9 x");
});

Deno.test("grep matches across lines only when asked", async () => {
  using bench = new Bench();
  bench.put("f", "begin {\r\n  x\r\n}\r\nend\n");
  const grep = create(bench.deps);
  assertEquals((await call(grep, { pattern: "begin \\{\\s+x", path: "f" })).text, "No matches in 1 file");
  assertEquals(
    (await call(grep, { pattern: "begin \\{\\s+x", path: "f", multiline: true })).text,
    "1:begin {\n2:  x",
  );
  assertEquals(
    (await call(grep, { pattern: "\\{$", path: "f" })).text,
    "1:begin {",
    "CRLF is a line end too",
  );
});

Deno.test("grep finds empty lines and does not invent one at the end", async () => {
  using bench = new Bench();
  bench.put("f", "a\n\nb\n");
  assertEquals((await call(create(bench.deps), { pattern: "^$", path: "f" })).text, "2:");
  assertEquals((await call(create(bench.deps), { pattern: "b*", path: "f", show: "counts" })).text, "f:3");
});

Deno.test("grep cuts long lines around the hit and stays within its limit", async () => {
  using bench = new Bench();
  bench.put("min.js", "🙂".repeat(50_000) + "NEEDLE" + "🙂".repeat(50_000));
  const { text } = await call(create(bench.deps), { pattern: "NEEDLE" });
  assert(text.isWellFormed());
  assert(text.length < 600);
  assertStringIncludes(text, "🙂NEEDLE🙂");
  assertStringIncludes(text, "of 200,006]");
  bench.put("many", "needle\n".repeat(200_000));
  const many = (await call(create(bench.deps), { pattern: "needle" })).text;
  assert(new TextEncoder().encode(many).length <= 32 * 1024);
  assertStringIncludes(many, "[200,000 lines in 1 files match; ");
});

Deno.test("grep skips what is ignored, hidden, binary or behind a link", async () => {
  using bench = new Bench();
  bench.put("in.txt", "needle\n");
  bench.put("out.log", "needle\n");
  bench.put(".env", "needle\n");
  bench.put("blob", "needle\0\n");
  bench.put(".gitignore", "*.log\n");
  Deno.symlinkSync("/", `${bench.dir}/root-link`);
  Deno.symlinkSync("in.txt", `${bench.dir}/inner-link`);
  const grep = create(bench.deps);
  assertEquals((await call(grep, { pattern: "needle", show: "files" })).text, "in.txt");
  assertEquals(
    (await call(grep, { pattern: "needle", path: "out.log" })).text,
    "1:needle",
    "named is searched",
  );
  assertStringIncludes((await call(grep, { pattern: "needle", path: "blob" })).text, "binary");
  assertEquals((await call(grep, { pattern: "needle", glob: ".env*", show: "files" })).text, ".env");
});

Deno.test("grep searches texts in other encodings", async () => {
  using bench = new Bench();
  bench.put("latin", Uint8Array.from([0x70, 0x72, 0xe9, 0x63, 0xe9, 0x0a]));
  bench.put("wide", Uint8Array.from([0xff, 0xfe, 0x70, 0, 0x72, 0, 0xe9, 0, 0x0a, 0]));
  assertEquals((await call(create(bench.deps), { pattern: "pré", show: "files" })).text, "latin\nwide");
});

Deno.test("grep says what is wrong with a pattern, and ends on a hostile one", async () => {
  using bench = new Bench();
  bench.put("f", "a".repeat(40) + "b\n");
  const grep = create(bench.deps);
  const wrong = await call(grep, { pattern: "foo(" });
  assert(wrong.isError);
  assertStringIncludes(wrong.text, "pattern: ");
  assertEquals((await call(grep, { pattern: "^(a+)+$" })).text, "No matches in 1 file");
});

Deno.test("grep searches a host that only opens files, and files too big for one step, alike", async () => {
  const lines = Array.from({ length: 60_000 }, (_, i) => `line ${i + 1}`).join("\n");
  for (const fs of [realFs, { ...realFs, readStart: undefined }]) {
    using bench = new Bench({ fs });
    bench.put("big", lines);
    bench.put("small", "line 59999\n");
    bench.put("blob", "\0line 59999\n");
    assertEquals(
      (await call(create(bench.deps), { pattern: "line 59999$" })).text,
      "big\n59999:line 59999\n\nsmall\n1:line 59999",
    );
  }
});

Deno.test("grep searches a kept output by its name", async () => {
  using bench = new Bench();
  bench.artifacts.set("7", new TextEncoder().encode("one\nneedle\n"));
  const grep = create(bench.deps);
  assertEquals((await call(grep, { pattern: "needle", path: "artifact://7" })).text, "2:needle");
  assertStringIncludes(
    (await call(grep, { pattern: "needle", path: "artifact://8" })).text,
    "no artifact://8",
  );
});

Deno.test("grep takes no time in proportion to the square of a long line", async () => {
  using bench = new Bench();
  const as = "a".repeat(1 << 20);
  bench.put("one", as);
  bench.put("two", `b\n${as}b${as}\nab\n`);
  const grep = create(bench.deps);
  assertEquals((await call(grep, { pattern: "a+b", path: "one" })).text, "No matches in 1 file");
  assertEquals((await call(grep, { pattern: "a+\\d", path: "one" })).text, "No matches in 1 file");
  assertEquals((await call(grep, { pattern: "a+b", path: "two", show: "counts" })).text, "two:2");
  const { text } = await call(grep, { pattern: "\\bab*$|b\\w*", path: "two" });
  assertMatch(text, /^1:b\n2:.*of 2,097,153\]\n3:ab$/);
});

Deno.test("grep asks for the cancel while it searches one line", async () => {
  using bench = new Bench();
  bench.put("f", "a".repeat(1 << 20));
  let polls = 0;
  const poll = () => {
    if (++polls === 20) throw new Error("stopped");
  };
  const grep = create({ ...bench.deps, poll });
  await assertRejects(() => call(grep, { pattern: "a+\\d", path: "f" }), Error, "stopped");
});

Deno.test("grep whose time is over gives what it has and says so", async () => {
  using bench = new Bench();
  bench.put("f", `needle\n${"a".repeat(1 << 20)}\n`);
  const { text, isError } = await call(create(bench.deps, 0), { pattern: "needle|a+\\d", path: "f" });
  assert(!isError);
  assertMatch(text, /\[stopped after 0 s, not everything was searched: narrow the pattern, path or glob\]$/);
});

Deno.test("grep shows what a replacement would make of the lines, and writes nothing", async () => {
  using bench = new Bench();
  bench.put("a.ts", "one\ncall(x, y); call(a, b)\nthree\n");
  const grep = create(bench.deps);
  const { text } = await call(grep, {
    pattern: "call\\((\\w), (?<second>\\w)\\)",
    replace: "run($<second>, $1) $$1 $9",
  });
  assertEquals(text, "a.ts\n2:call(x, y); call(a, b)\n2>run(y, x) $1 $9; run(b, a) $1 $9");
  assertEquals(bench.text("a.ts"), "one\ncall(x, y); call(a, b)\nthree\n");
  const spanning = await call(grep, { pattern: "one\\ncall", multiline: true, replace: "1" });
  assertEquals(spanning.text, "a.ts\n1:one\n2:call(x, y); call(a, b)\n1>1(x, y); call(a, b)");
});

Deno.test("grep searches the files of a language, by any of its names", async () => {
  using bench = new Bench();
  for (const name of ["a.ts", "b.tsx", "c.js", "d.py", "sub/e.mts"]) bench.put(name, "needle\n");
  const files = async (type: string) =>
    (await call(create(bench.deps), { pattern: "needle", type, show: "files" })).text.split("\n").sort();
  assertEquals(await files("ts"), ["a.ts", "b.tsx", "sub/e.mts"]);
  assertEquals(await files("python"), ["d.py"]);
  const both = await call(create(bench.deps), {
    pattern: "needle",
    type: "ts",
    glob: "sub/**",
    show: "files",
  });
  assertEquals(both.text, "sub/e.mts");
  const unknown = await call(create(bench.deps), { pattern: "needle", type: "tpyescript" });
  assert(unknown.isError);
  assertStringIncludes(unknown.text, 'did you mean "typescript"?');
});
