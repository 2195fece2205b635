/** Forms that are seldom asked for: chunks by number, scripts of differences, lists of packed files, names with NULs behind them. */
import { assertEquals } from "@std/assert";
import { decodeBytes, encodeBytes } from "../../../src/lib/text/bytes.ts";
import { compareRows, run } from "./support/run.ts";

const lines = (n: number) => Array.from({ length: n }, (_, i) => `line ${i + 1}\n`).join("");
const on = (argv: string[], files: Record<string, string> = {}, stdin = "") => ({ argv, files, stdin });

async function packed(text: string): Promise<string> {
  const stream = new Blob([encodeBytes(text) as Uint8Array<ArrayBuffer>]).stream();
  const bytes = await new Response(stream.pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
  return decodeBytes(new Uint8Array(bytes));
}

/** The same with a name in the header. */
async function named(text: string, name: string): Promise<string> {
  const bytes = encodeBytes(await packed(text));
  const out = new Uint8Array(bytes.length + name.length + 1);
  out.set(bytes.subarray(0, 10));
  out[3] |= 8;
  out.set(encodeBytes(name + "\0"), 10);
  out.set(bytes.subarray(10), 11 + name.length);
  return decodeBytes(out);
}

const files = { f: lines(10), open: "a\nb\nc", none: "" };
const old = "1\n2\n3\n4\n5\n6\n7\n8\n";
const texts = {
  old,
  new: "0\n1\nzwei\n.\n3\n5\n6\n.\n.\n7\n8\n9\n",
  less: "1\n8\n",
  open: "1\n2\n3\n4\n5\n6\n7\n8\nnine",
  "p/a": "1\n",
  "p/b": "1\n",
  "q/a": "2\n",
  "q/b": "1\n",
};
const names = { "b c": "1", "sub/x": "2", "two\nlines": "3", a: "4", link: "-> a" };
const gz = {
  "f.gz": await packed(lines(200)),
  "named.gz": await named("1\n", "named"),
  "none.gz": await packed(""),
  plain: "no gzip",
};

const bytes = {
  text: "héllo\0\x01\x07\b\t\n\v\f\r~\x7f and a line\n that is longer",
  same: "a".repeat(70) + "b".repeat(96) + "\0".repeat(40),
  none: "",
};

compareRows([
  on(["split", "-n", "2/3", "f"], files),
  on(["split", "-n", "3/3", "f"], files),
  on(["split", "-n", "l/2/3", "f"], files),
  on(["split", "-n", "l/3/3", "open"], files),
  on(["split", "-n", "l/4", "open"], files),
  on(["split", "-n", "r/3", "f"], files),
  on(["split", "-n", "r/3", "open"], files),
  on(["split", "-n", "r/2/3", "f"], files),
  on(["split", "-n", "r/5", "open"], files),
  on(["split", "-e", "-n", "r/5", "open"], files),
  on(["split", "-n", "r/2", "none"], files),
  on(["split", "-n", "4/3", "f"], files),
  on(["split", "-n", "0/3", "f"], files),
  on(["split", "-n", "l/x/3", "f"], files),
  on(["split", "-n", "r/2", "-t", "e", "f"], files),
  ...["-e", "-n"].flatMap((form) => [
    on(["diff", form, "old", "new"], texts),
    on(["diff", form, "new", "old"], texts),
    on(["diff", form, "old", "less"], texts),
    on(["diff", form, "less", "old"], texts),
    on(["diff", form, "old", "open"], texts),
    on(["diff", form, "open", "less"], texts),
    on(["diff", form, "old", "old"], texts),
    on(["diff", form, "-r", "p", "q"], texts),
  ]),
  on(["diff", "--ed", "old", "new"], texts),
  on(["diff", "--rcs", "old", "new"], texts),
  on(["ls", "--zero"], names),
  on(["ls", "--zero", "-a", "sub", "a"], names),
  on(["ls", "--zero", "-R"], names),
  on(["ls", "--zero", "-F", "--color"], names),
  on(["ls", "-C", "--zero", "-r"], names),
  on(["gzip", "-l", "f.gz"], gz),
  on(["gzip", "-l", "f"], gz),
  on(["gzip", "-l", "f.gz", "named.gz", "none.gz"], gz),
  on(["gzip", "-ql", "named.gz"], gz),
  on(["gzip", "-l", "plain"], gz),
  on(["gzip", "-l", "missing"], gz),
  on(["gunzip", "-l", "f.gz", "plain", "none.gz"], gz),
  on(["id", "no-such-user"]),
  ...["-C", "-b", "-c", "-d", "-o", "-x", "-v"].flatMap((form) => [
    on(["hexdump", form, "text"], bytes),
    on(["hexdump", form, "same"], bytes),
    on(["hexdump", form], {}, "standard input"),
  ]),
  on(["hexdump", "text"], bytes),
  on(["hexdump", "none"], bytes),
  on(["hexdump", "-Cv", "same", "text"], bytes),
  on(["hexdump", "-C", "missing", "text"], bytes),
  on(["hexdump", "missing"], bytes),
  on(["hexdump", "-C", "-n", "20", "-s", "3", "text"], bytes),
  on(["hexdump", "-n", "0x11", "text"], bytes),
  on(["hexdump", "-n", "1k", "same"], bytes),
]);

Deno.test("ls --zero keeps the columns of the long form", async () => {
  const cwd = Deno.makeTempDirSync();
  try {
    Deno.writeTextFileSync(`${cwd}/one\nname`, "");
    const { stdout } = await run(["ls", "-l", "--zero"], { cwd });
    assertEquals(stdout.split("\0").map((line) => line.replace(/^-.* /, "- ")), [
      "total 0",
      "- one\nname",
      "",
    ]);
  } finally {
    Deno.removeSync(cwd, { recursive: true });
  }
});
