import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { create } from "../../src/tools/edit/body.ts";
import { create as createRead } from "../../src/tools/read/body.ts";
import { Bench, call } from "../support/host_fs.ts";

type Edit = { oldText: string; newText: string; replaceAll?: boolean };

/** Reads a file with `content`, makes the edits; what was said and the bytes afterwards, as hex where not text. */
async function edited(content: string | Uint8Array, ...edits: Edit[]) {
  using bench = new Bench();
  bench.put("f", content);
  await call(createRead(bench.deps), { path: "f" });
  const result = await call(create(bench.deps), { path: "f", edits });
  const after = bench.bytes("f");
  return { ...result, after, string: new TextDecoder("utf-8", { ignoreBOM: true }).decode(after) };
}

async function becomes(content: string, oldText: string, newText: string, expected: string): Promise<string> {
  const result = await edited(content, { oldText, newText });
  assert(!result.isError, result.text);
  assertEquals(result.string, expected);
  return result.text;
}

function bytes(...values: (number | string)[]): Uint8Array {
  return Uint8Array.from(
    values.flatMap((value) => typeof value === "number" ? [value] : [...new TextEncoder().encode(value)]),
  );
}

Deno.test("edit keeps line ends, each line its own", async () => {
  await becomes(
    "a = 1\r\nb = 2\r\nc = 3\r\n",
    "a = 1\nb = 2\n",
    "a = 1\nx = 0\nb = 3\n",
    "a = 1\r\nx = 0\r\nb = 3\r\nc = 3\r\n",
  );
  await becomes("one\r\ntwo\nthree\r\n", "one\ntwo\nthree", "one\ntwo!\nthree", "one\r\ntwo!\nthree\r\n");
  await becomes("one\r\ntwo\r\n", "two", "two\nand more", "one\r\ntwo\r\nand more\r\n");
  await becomes("1\r2\r3\nresult: 1\n", "result: 1", "result: 2", "1\r2\r3\nresult: 2\n");
  await becomes("one\ntwo\n", "two\r\n", "three\r\n", "one\nthree\n");
});

Deno.test("edit adds no final newline and takes none away", async () => {
  await becomes("one\ntwo", "two", "2", "one\n2");
  await becomes("one\ntwo", "two\n", "2\n", "one\n2");
  await becomes("one\ntwo\nthree\n", "two\n", "", "one\nthree\n");
});

Deno.test("edit splices every encoding and leaves the other bytes alone", async () => {
  const cases: [Uint8Array, string, string, Uint8Array][] = [
    [bytes(0xef, 0xbb, 0xbf, "é = 1\r\n"), "= 1", "= 2", bytes(0xef, 0xbb, 0xbf, "é = 2\r\n")],
    [
      bytes("// pr", 0xe9, "c\nint a = 1;\n// d", 0xe9, "j\n"),
      "a = 1",
      "é = 2",
      bytes("// pr", 0xe9, "c\nint ", 0xe9, " = 2;\n// d", 0xe9, "j\n"),
    ],
    [bytes("ok: é\nraw: ", 0xe9, "\nn=1\n"), "n=1", "n=2", bytes("ok: é\nraw: ", 0xe9, "\nn=2\n")],
    [
      bytes("ok: é\nraw: ", 0xe9, "\nn=1\n"),
      "raw: ⟨E9⟩\nn=1",
      "raw: ⟨E9⟩!\nn=2",
      bytes("ok: é\nraw: ", 0xe9, "!\nn=2\n"),
    ],
    [
      bytes(0xff, 0xfe, 0x61, 0, 0x3d, 0, 0x31, 0, 0x0d, 0, 0x0a, 0),
      "a=1",
      "a=ß",
      bytes(0xff, 0xfe, 0x61, 0, 0x3d, 0, 0xdf, 0, 0x0d, 0, 0x0a, 0),
    ],
    [bytes(0, 0x61, 0, 0x3d, 0, 0x31, 0, 0x0a), "a=1", "a=2", bytes(0, 0x61, 0, 0x3d, 0, 0x32, 0, 0x0a)],
    [
      bytes("# ", 0x90, 0xdd, 0x92, 0xe8, 0x83, 0x74, 0x83, 0x40, "\nn=1\n"),
      "設定ファ\nn=1",
      "設定\nn=定",
      bytes("# ", 0x90, 0xdd, 0x92, 0xe8, "\nn=", 0x92, 0xe8, "\n"),
    ],
    [
      bytes("-- ", 0xc5, 0xe4, 0xd6, 0xc3, "\nn=1\n"),
      "n=1",
      "n=置",
      bytes("-- ", 0xc5, 0xe4, 0xd6, 0xc3, "\nn=", 0xd6, 0xc3, "\n"),
    ],
  ];
  for (const [content, oldText, newText, expected] of cases) {
    const result = await edited(content, { oldText, newText });
    assert(!result.isError, result.text);
    assertEquals(result.after, expected, oldText);
  }
});

Deno.test("edit refuses what an encoding cannot hold, and binary files, leaving them untouched", async () => {
  const latin = bytes("pr", 0xe9, "c\nn=1\n");
  const refused = await edited(latin, { oldText: "n=1", newText: "n=★" });
  assert(refused.isError);
  assertStringIncludes(refused.text, 'Latin-1 has no character "★" (U+2605)');
  assertEquals(refused.after, latin);
  const binary = bytes("head", 0, 1, "limit=10\n");
  const no = await edited(binary, { oldText: "limit=10", newText: "limit=20" });
  assert(no.isError);
  assertEquals(no.after, binary);
});

Deno.test("edit takes tabs for spaces and indentation that is off, and writes the file's own", async () => {
  await becomes(
    "func f() {\n\tif a {\n\t\treturn 1\n\t}\n}\n",
    "    if a {\n        return 1\n    }",
    "    if a {\n        b()\n        if c {\n            d()\n        }\n        return 2\n    }",
    "func f() {\n\tif a {\n\t\tb()\n\t\tif c {\n\t\t\td()\n\t\t}\n\t\treturn 2\n\t}\n}\n",
  );
  await becomes(
    "class A:\n    def f(self):\n        return 1\n",
    "   def f(self):\n       return 1",
    "   def f(self):\n       x = 1\n       if x:\n           return x\n",
    "class A:\n    def f(self):\n        x = 1\n        if x:\n            return x\n\n",
  );
  await becomes(
    "def f():\n  if a:\n    b()\n",
    "    if a:\n        b()",
    "    if a:\n        b()\n        c()",
    "def f():\n  if a:\n    b()\n    c()\n",
  );
  await becomes(
    "\t\tx = 1\n\t\ty = 2\n",
    "x = 1\ny = 2",
    "x = 1\ny = 3\nz = 4",
    "\t\tx = 1\n\t\ty = 3\n\t\tz = 4\n",
  );
});

Deno.test("edit indents added lines like the one they stand by, also where the edit has too little", async () => {
  await becomes(
    "if a:\n        b()\n",
    "    b()",
    "    b()\n    if c:\n        d()",
    "if a:\n        b()\n        if c:\n            d()\n",
  );
  await becomes("  x = 1\n", "x = 1", "x = 2\ny", "  x = 2\ny\n");
});

Deno.test("edit takes line numbers for what they are", async () => {
  await becomes("a\nb\nc\n", "2\tb\n3\tc", "2\tB\n3\tc", "a\nB\nc\n");
  await becomes("1\tx\n", "1\tx", "1\ty", "1\ty\n");
});

Deno.test("edit takes look-alike characters and keeps those that it does not change", async () => {
  await becomes(
    "He said “yes” — ok.\u00a0Fine.\n",
    'He said "yes" - ok. Fine.',
    'He said "no" - ok. Fine.',
    "He said “no” — ok.\u00a0Fine.\n",
  );
  await becomes('print("a")\n', "print(“a”)", "print(“b”)\nprint(“c”)", 'print("b")\nprint("c")\n');
  const said = await becomes("a  =  1;\n", "a = 1;", "a = 2;", "a  =  2;\n");
  assertStringIncludes(said, "white space differed");
});

Deno.test("edit never uses a loose match that is not the only one, nor one inside a word", async () => {
  const twice = await edited("\tfoo()\n\tbar()\n  foo()\n", { oldText: "    foo()", newText: "    baz()" });
  assert(twice.isError);
  assertMatch(twice.text, /lines 1, 3/);
  const inside = await edited("xfoo =  1\n", { oldText: "foo = 1", newText: "foo = 2" });
  assert(inside.isError);
  const joined = await edited("a\n\nb\n", { oldText: "a b", newText: "c" });
  assert(joined.isError, "a line feed is not white space to be folded");
});

Deno.test("edit names the places of several matches, and replaces all when told", async () => {
  const content = "  foo();\nif (x) {\n  foo();\n}\n";
  const refused = await edited(content, { oldText: "  foo();", newText: "  bar();" });
  assert(refused.isError);
  assertStringIncludes(refused.text, "2 places (lines 1, 3)");
  assertEquals(refused.string, content);
  const all = await edited(content, { oldText: "foo", newText: "bar", replaceAll: true });
  assertEquals(all.string, "  bar();\nif (x) {\n  bar();\n}\n");
});

Deno.test("edit makes all edits or none, against the file as it is", async () => {
  const content = "one\ntwo\nthree\n";
  const both = await edited(content, { oldText: "one", newText: "two" }, { oldText: "two", newText: "2" });
  assertEquals(both.string, "two\n2\nthree\n");
  const none = await edited(content, { oldText: "one", newText: "1" }, { oldText: "four", newText: "4" });
  assert(none.isError);
  assertStringIncludes(none.text, "edit 2 of 2: oldText not found");
  assertEquals(none.string, content);
  const overlap = await edited(content, { oldText: "one\ntwo", newText: "1" }, {
    oldText: "two",
    newText: "2",
  });
  assertStringIncludes(overlap.text, "edits 1 and 2 overlap");
});

Deno.test("edit shows the closest place where it finds nothing", async () => {
  const result = await edited("a\nfunction total(list) {\n  return sum(list);\n}\n", {
    oldText: "function total(list) {\n  return add(list);\n}",
    newText: "x",
  });
  assert(result.isError);
  assertStringIncludes(result.text, "Closest is lines 2 to 4");
  assertStringIncludes(result.text, "-  return add(list);\n+  return sum(list);");
});

Deno.test("edit reports a unified diff, to the model and as a view", async () => {
  const result = await edited("a\nb\nc\nd\ne\nf\n", { oldText: "c\n", newText: "c\nx\n" });
  assertEquals(result.text, "Edited f: +1 -0\n@@ -3,2 +3,3 @@\n c\n+x\n d");
  assert(result.view?.type === "diff");
  assertStringIncludes(result.view.diff, "--- f\n+++ f\n@@ -1,6 +1,7 @@\n");
});

Deno.test("edit refuses a file that was not read, or has changed since", async () => {
  using bench = new Bench();
  const edit = create(bench.deps);
  const read = createRead(bench.deps);
  bench.put("f", "one\n");
  const change = { path: "f", edits: [{ oldText: "one", newText: "two" }] };
  assertStringIncludes((await call(edit, change)).text, "not read it yet");
  await call(read, { path: "f" });
  bench.put("f", "one or more\n");
  assertStringIncludes((await call(edit, change)).text, "changed since you read it");
  await call(read, { path: "f" });
  assert(!(await call(edit, change)).isError);
  // Its own change is known: no second reading needed.
  assert(!(await call(edit, { path: "f", edits: { oldText: "two", newText: "three" } })).isError);
  assertEquals(bench.text("f"), "three or more\n");
});

Deno.test("edit takes a single edit that is written without its list", async () => {
  using bench = new Bench();
  bench.put("f", "one\n");
  await call(createRead(bench.deps), { path: "f" });
  const result = await call(create(bench.deps), { path: "f", oldText: "one", newText: "two" });
  assert(!result.isError, result.text);
  assertEquals(bench.text("f"), "two\n");
});

Deno.test("edit keeps mode, links and other names of a file", async () => {
  using bench = new Bench();
  const path = bench.put("real/script.sh", "echo one\n");
  Deno.chmodSync(path, 0o750);
  Deno.symlinkSync("real/script.sh", `${bench.dir}/link`);
  Deno.linkSync(path, `${bench.dir}/second`);
  await call(createRead(bench.deps), { path: "link" });
  const result = await call(create(bench.deps), {
    path: "link",
    edits: [{ oldText: "one", newText: "two" }],
  });
  assert(!result.isError, result.text);
  assert(Deno.lstatSync(`${bench.dir}/link`).isSymlink);
  assertEquals(Deno.statSync(path).mode! & 0o777, 0o750);
  assertEquals(bench.text("second"), "echo two\n");
  assertEquals([...Deno.readDirSync(`${bench.dir}/real`)].length, 1);
});

Deno.test("edit replaces very many places, on lines of their own and on one line, and says how many", async () => {
  const count = 200_000;
  for (const end of ["\n", " "]) {
    const result = await edited(`old${end}`.repeat(count), {
      oldText: "old",
      newText: "newer",
      replaceAll: true,
    });
    assert(!result.isError, result.text.slice(0, 200));
    assert(result.string === `newer${end}`.repeat(count), "every place, and nothing else, has changed");
    const lines = end === "\n" ? count : 1;
    assertStringIncludes(result.text, `+${lines} -${lines}`);
    assertStringIncludes(result.text, "[200,000 places changed; the diff shows the first 50]");
  }
});

Deno.test("edit that is cancelled among its many places leaves the file alone", async () => {
  using bench = new Bench();
  const content = "old\n".repeat(200_000);
  bench.put("f", content);
  await call(createRead(bench.deps), { path: "f" });
  let polls = 0;
  const poll = () => {
    if (++polls === 50) throw new Error("stopped");
  };
  const edit = create({ ...bench.deps, poll });
  const edits = [{ oldText: "old", newText: "new", replaceAll: true }];
  await assertRejects(() => call(edit, { path: "f", edits }), Error, "stopped");
  assert(new TextDecoder().decode(bench.bytes("f")) === content);
});
