import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { create } from "../../src/tools/read/body.ts";
import { Bench, call } from "../support/host_fs.ts";

function bytes(...values: (number | string)[]): Uint8Array {
  return Uint8Array.from(
    values.flatMap((value) => typeof value === "number" ? [value] : [...new TextEncoder().encode(value)]),
  );
}

Deno.test("read numbers the lines from the offset and says how to go on", async () => {
  using bench = new Bench();
  bench.put("a.txt", "one\n\ttwo\nthree\nfour\n");
  const read = create(bench.deps);
  assertEquals((await call(read, { path: "a.txt" })).text, "1\tone\n2\t\ttwo\n3\tthree\n4\tfour");
  assertEquals(
    (await call(read, { path: "a.txt", offset: 2, limit: 2 })).text,
    "2\t\ttwo\n3\tthree\n[lines 2 to 3 of 4; go on with offset 4]",
  );
  const past = await call(read, { path: "a.txt", offset: 9 });
  assert(past.isError);
  assertStringIncludes(past.text, "there are 4 lines");
});

Deno.test("read names encodings and line ends that are not plain", async () => {
  using bench = new Bench();
  const read = create(bench.deps);
  const cases: [string, Uint8Array, RegExp][] = [
    ["crlf", bytes("a\r\nb\r\n"), /^1\ta\n2\tb\n\[CRLF line ends\]$/],
    ["mixed", bytes("a\nb\r\n"), /mixed line ends: 1 CRLF, 1 LF/],
    ["bom", bytes(0xef, 0xbb, 0xbf, "é\n"), /^1\té\n\[UTF-8 with BOM\]$/],
    [
      "le",
      bytes(0xff, 0xfe, 0x41, 0, 0xdf, 0, 0x0d, 0, 0x0a, 0),
      /^1\tAß\n\[UTF-16LE with BOM; CRLF line ends\]$/,
    ],
    ["be", bytes(0, 0x61, 0, 0x62, 0, 0x0a), /^1\tab\n\[UTF-16BE\]$/],
    ["latin", bytes("pr", 0xe9, "c", 0xe9, "dent\n"), /^1\tprécédent\n\[Latin-1\]$/],
    ["sjis", bytes("# ", 0x90, 0xdd, 0x92, 0xe8, 0x83, 0x74, "\n"), /^1\t# 設定フ\n\[Shift-JIS\]$/],
    ["gbk", bytes("-- ", 0xc5, 0xe4, 0xd6, 0xc3, "\n"), /^1\t-- 配置\n\[GBK\]$/],
    ["stray", bytes("utf8: é\nlatin: ", 0xe9, "\n"), /latin: ⟨E9⟩\n\[UTF-8 with invalid bytes\]$/],
    ["end", bytes("a\nb"), /2\tb\n\[no newline at the end\]$/],
    ["cr", bytes("a\rb\n"), /^1\ta␍b$/],
    ["empty", bytes(), /^\[empty file\]$/],
    ["bin", bytes("head", 0, 1, "x\n"), /^bin: binary, 8 bytes$/],
  ];
  for (const [name, content, expected] of cases) {
    bench.put(name, content);
    assertMatch((await call(read, { path: name })).text, expected, name);
  }
});

Deno.test("read cuts a huge line between characters and reads on by column", async () => {
  using bench = new Bench();
  const read = create(bench.deps);
  bench.put("emoji", "🙂".repeat(100_000));
  const first = await call(read, { path: "emoji" });
  assert(first.text.isWellFormed());
  assert(new TextEncoder().encode(first.text).length <= 32 * 1024);
  const next = /limit 1, column (\d+)/.exec(first.text);
  assert(next !== null, first.text.slice(-300));
  const second = await call(read, { path: "emoji", offset: 1, limit: 1, column: Number(next[1]) });
  assert(second.text.startsWith("1\t🙂🙂"));
  assert(second.text.isWellFormed());
  bench.put("many", `${"x".repeat(5000)}\nshort\n`);
  const many = await call(read, { path: "many" });
  assertStringIncludes(many.text, "2\tshort");
  assertStringIncludes(many.text, "[line 1 cut: characters 1 to 2,000 of 5,000 characters; go on with");
});

Deno.test("read stays within its limit for a million lines, with right numbers", async () => {
  using bench = new Bench();
  const read = create(bench.deps);
  bench.put("big", Array.from({ length: 1_000_000 }, (_, i) => `line ${i + 1}`).join("\n") + "\n");
  const late = await call(read, { path: "big", offset: 999_999 });
  assertEquals(late.text, "999999\tline 999999\n1000000\tline 1000000");
  const first = await call(read, { path: "big" });
  assert(new TextEncoder().encode(first.text).length <= 32 * 1024);
  assertStringIncludes(first.text, "[lines 1 to 2,000 of 1,000,000; go on with offset 2001]");
  const bounded = await call(read, { path: "big", limit: 100_000 });
  assert(new TextEncoder().encode(bounded.text).length <= 32 * 1024);
  const on = /lines 1 to ([\d,]+) of/.exec(bounded.text)![1].replace(",", "");
  assertStringIncludes(bounded.text, `go on with offset ${Number(on) + 1}`);
});

Deno.test("read shows control sequences instead of passing them on", async () => {
  using bench = new Bench();
  bench.put("esc", "\x1b[2J\x1b]0;owned\x07\u202eevil\u202c\x9b31m\n");
  const { text } = await call(create(bench.deps), { path: "esc" });
  assertEquals(text, "1\t␛[2J␛]0;owned␇⟨U+202E⟩evil⟨U+202C⟩⟨U+009B⟩31m");
});

Deno.test("read lists folders, suggests near names, and refuses what could block", async () => {
  using bench = new Bench();
  const read = create(bench.deps);
  bench.put("src/main.ts", "x");
  bench.put("src/lib/a.ts", "x");
  assertEquals((await call(read, { path: "src" })).text, "lib/\nmain.ts");
  const near = await call(read, { path: "src/mian.ts" });
  assert(near.isError);
  assertStringIncludes(near.text, "No such file or directory. Did you mean src/main.ts?");
  assertStringIncludes((await call(read, { path: "scr/lib/a.ts" })).text, "Did you mean src?");
  assertStringIncludes((await call(read, { path: "a.ts" })).text, "Did you mean src/lib/a.ts?");
  await new Deno.Command("mkfifo", { args: [`${bench.dir}/pipe`] }).output();
  const pipe = await call(read, { path: "pipe" });
  assert(pipe.isError);
  assertStringIncludes(pipe.text, "named pipe");
  assertStringIncludes((await call(read, { path: "/dev/zero" })).text, "device");
});

Deno.test("read returns pictures as pictures, and artifacts by their name", async () => {
  using bench = new Bench();
  const read = create(bench.deps);
  const chunk = (type: string, ...data: number[]) => [0, 0, 0, data.length, type, ...data, 0, 0, 0, 0];
  const png = (side: number) =>
    bytes(
      0x89,
      "PNG\r\n",
      0x1a,
      "\n",
      ...chunk("IHDR", 0, 0, side >> 8, side & 255, 0, 0, 0, 1, 8, 2, 0, 0, 0),
      ...chunk("IEND"),
    );
  bench.put("dot.png", png(3));
  const image = await call(read, { path: "dot.png" });
  assertEquals(image.text, "dot.png: image/png, 3 × 1, 45 bytes");
  assertEquals(image.parts[1].type, "image");
  bench.put("cut.png", png(3).subarray(0, 40));
  assertEquals((await call(read, { path: "cut.png" })).text, "cut.png: a broken picture, 40 bytes");
  bench.put("wide.png", png(9000));
  assertStringIncludes(
    (await call(read, { path: "wide.png" })).text,
    "9000 × 1, 45 bytes: it cannot be read",
  );
  bench.put("dot.gif", bytes("GIF89a", 2, 0, 5, 0, 0, 0, 0, 0x3b));
  assertStringIncludes((await call(read, { path: "dot.gif" })).text, "image/gif, 2 × 5");
  bench.put(
    "dot.jpg",
    bytes(0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 11, 8, 0, 7, 0, 6, 1, 1, 17, 0, 0xff, 0xd9),
  );
  assertStringIncludes((await call(read, { path: "dot.jpg" })).text, "image/jpeg, 6 × 7");
  bench.artifacts.set("3", bytes("one\ntwo\n"));
  assertEquals((await call(read, { path: "artifact://3", offset: 2 })).text, "2\ttwo");
  assert((await call(read, { path: "artifact://4" })).isError);
});

Deno.test("read remembers what it has shown", async () => {
  using bench = new Bench();
  const path = bench.put("a.txt", "one\n");
  await call(create(bench.deps), { path: "a.txt" });
  assertEquals(bench.deps.ledger.get(path)?.size, 4);
});
