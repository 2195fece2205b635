import { assertEquals } from "@std/assert";
import { compareRows, inFolder, type Row, run } from "./support/run.ts";

const lines = (n: number) => Array.from({ length: n }, (_, i) => `line ${i + 1}\n`).join("");
const noise = Array.from({ length: 4000 }, (_, i) => String.fromCharCode(33 + (i * i * 7 + i * 13) % 90))
  .join("");

const shuf = (argv: string[], stdin = lines(30)): Row => ({
  argv: ["shuf", ...argv],
  stdin,
  files: { noise, f: lines(12), little: "ab" },
});

compareRows([
  shuf(["--random-source=noise"]),
  shuf(["--random-source=noise", "f"]),
  shuf(["--random-source=noise", "-n", "4", "f"]),
  shuf(["--random-source=noise", "-n", "4"]),
  shuf(["--random-source=noise", "-n", "40"]),
  shuf(["--random-source=noise", "-n4", "-n2", "f"]),
  shuf(["--random-source=noise", "-e", "a", "b", "c", "d"]),
  shuf(["--random-source=noise", "-ez", "a", "b", "c", "d"]),
  shuf(["--random-source=noise", "-i", "1-20"]),
  shuf(["--random-source=noise", "-i", "1000000-2000000000", "-n", "5"]),
  shuf(["--random-source=noise", "-r", "-n", "10", "-i", "0-1"]),
  shuf(["--random-source=noise", "-rn", "10", "f"]),
  shuf(["--random-source=noise", "-o", "f", "f"]),
  shuf(["--random-source=noise", "-z"], "a\0b\0c"),
  shuf(["--random-source=little", "f"]),
  shuf(["--random-source=missing", "f"]),
  shuf(["-i", "5-5"]),
  shuf(["-i", "5-4"]),
  shuf(["-i", "5-1"]),
  shuf(["-i", "x-4"]),
  shuf(["-i", "1-2", "x"]),
  shuf(["-e"]),
  shuf(["-n", "0"]),
  shuf(["-n", "x"]),
  shuf(["-e", "-i", "1-2"]),
  shuf(["a", "b"]),
  shuf(["missing"]),
  shuf(["-r", "-n", "1"], ""),
  shuf([], ""),
  shuf([], "one without an end"),
]);

Deno.test("shuf keeps every line once, in an order of its own", async () => {
  const { stdout, status } = await inFolder({}, (cwd) => run(["shuf", "-i", "1-500"], { cwd }));
  const numbers = stdout.trimEnd().split("\n").map(Number);
  assertEquals(status, 0);
  assertEquals(numbers.toSorted((a, b) => a - b), Array.from({ length: 500 }, (_, i) => i + 1));
  assertEquals(numbers.every((n, i) => n === i + 1), false);
});

const tsort = (stdin: string, ...argv: string[]): Row => ({ argv: ["tsort", ...argv], stdin });

compareRows([
  tsort("a b\nb c\n"),
  tsort("3 8\n3 10\n5 11\n7 8\n7 11\n8 9\n11 2\n11 9\n11 10\n"),
  tsort(
    "main parse_options\nmain tail_file\ntail_file pretty_name\ntail_file write_header\nwrite_header x\n",
  ),
  tsort("a a\nb b\nc a\n"),
  tsort("a b a b a c\n"),
  tsort("a b c\n"),
  tsort("a b\nb a\n"),
  tsort("a b\nb c\nc a\nd a\nc e\n"),
  tsort("a b\nb c\nc b\nc d\nd e\ne d\nx y\n"),
  tsort("p q\nq r\nr p\nr s\ns q\nz p\n"),
  tsort(""),
  tsort("", "missing"),
  tsort("", "a", "b"),
]);

const csplit = (argv: string[], text = lines(12)): Row => ({ argv: ["csplit", ...argv], files: { f: text } });

compareRows([
  csplit(["f", "4"]),
  csplit(["f", "4", "8"]),
  csplit(["f", "1"]),
  csplit(["f", "3", "{2}"]),
  csplit(["f", "3", "{*}"]),
  csplit(["-k", "f", "3", "{*}"]),
  csplit(["f", "13"]),
  csplit(["f", "12"]),
  csplit(["f", "40"]),
  csplit(["-k", "f", "40"]),
  csplit(["f", "4", "4"]),
  csplit(["f", "8", "4"]),
  csplit(["f", "0"]),
  csplit(["f", "/5/"]),
  csplit(["f", "/1/"]),
  csplit(["f", "/1/", "{1}"]),
  csplit(["f", "/1/", "{*}"]),
  csplit(["-z", "f", "/1/", "{*}"]),
  csplit(["-z", "f", "/1/", "{*}", "/2/"]),
  csplit(["f", "/1/", "{9}"]),
  csplit(["-k", "f", "/1/", "{9}"]),
  csplit(["f", "/5/+2"]),
  csplit(["f", "/5/-2"]),
  csplit(["f", "/5/-2", "/7/"]),
  csplit(["f", "/2/-1", "{1}"]),
  csplit(["f", "/5/+20"]),
  csplit(["f", "/1$/-3"]),
  csplit(["f", "%5%"]),
  csplit(["f", "%5%+1", "/8/"]),
  csplit(["f", "%nothing%"]),
  csplit(["f", "%1%", "{*}"]),
  csplit(["f", "/nothing/"]),
  csplit(["f", "/nothing/", "{*}"]),
  csplit(["f", "/3/", "6", "/9/"]),
  csplit(["--suppress-matched", "f", "/1/", "{*}"]),
  csplit(["--suppress-matched", "f", "4", "8"]),
  csplit(["-s", "f", "4"]),
  csplit(["-n", "4", "f", "4"]),
  csplit(["-f", "part-", "-b", "%03d.txt", "f", "4"]),
  csplit(["-b", "%q", "f", "4"]),
  csplit(["-b", "%d%d", "f", "4"]),
  csplit(["-b", "x", "f", "4"]),
  csplit(["f", "x"]),
  csplit(["f", "/x"]),
  csplit(["f", "/x/y"]),
  csplit(["f", "3", "{x}"]),
  csplit(["f", "3", "{2"]),
  csplit(["f"]),
  csplit([]),
  csplit(["missing", "3"]),
  csplit(["f", "2"], "a\nb"),
  csplit(["f", "/b/"], "a\nb"),
  { argv: ["csplit", "-", "/b/"], stdin: "a\nb\nc\n" },
]);

const words =
  "Lorem ipsum dolor sit amet, consectetur adipiscing elit. Sed do eiusmod (tempor incididunt) ut labore et " +
  'dolore magna aliqua. Ut enim ad minim veniam, quis nostrud exercitation ullamco.  Duis aute irure "dolor" in x.\n';
const fmt = (argv: string[], stdin: string): Row => ({ argv: ["fmt", ...argv], stdin });

compareRows([
  fmt([], words),
  fmt([], words + "\n" + words + words),
  fmt(["-w", "40"], words),
  fmt(["-40"], words),
  fmt(["-w", "20"], words),
  fmt(["-w", "1"], words),
  fmt(["-w", "60", "-g", "50"], words),
  fmt(["-g", "50"], words),
  fmt(["-w", "x"], words),
  fmt(["-w", "3000"], words),
  fmt(["-w", "60", "-g", "70"], words),
  fmt(["-u"], "a   b  c.  d.   e\nf\n"),
  fmt([], "a   b  c.  d.   e\nf\n"),
  fmt(["-s", "-w", "30"], words + "short\nlines\nstay\n"),
  fmt(["-c", "-w", "30"], "   " + words + " and\n more " + words),
  fmt(["-t", "-w", "30"], "tag " + words + "   and\n   more " + words + "\nnext\n"),
  fmt(["-w", "30"], "  indented text that goes\n  on for a while here\nand then not\n"),
  fmt(["-w", "30"], "\tindented text that goes\n\ton for a while here\n"),
  fmt(
    ["-p", "# ", "-w", "30"],
    "# a comment that goes on and on and on\n# more of it\ncode stays as it is, however long\n",
  ),
  fmt(["-p", "//"], "x\n  // one\n  // two\n//\ny"),
  fmt([], "no end"),
  fmt([], "\n\n\na\n\n\n b\n"),
  fmt([], ""),
  fmt([], words.repeat(60).replaceAll("\n", " ") + "\n"),
  fmt([], "x".repeat(6000) + " " + words),
  fmt([], "(a) b. c? 'd!' e: f; g\n".repeat(20)),
  fmt([], "eins zwei drei vier fünf sechs sieben acht neun zehn ölf zwölf dreizehn vierzehn fünfzehn\n"),
  fmt(["missing", "-"], words),
  fmt(["-x"], words),
]);
