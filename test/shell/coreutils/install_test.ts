import { assertEquals } from "@std/assert";
import { compareRows, inFolder, run } from "./support/run.ts";

const files = { a: "A\n", b: "B\n", "d/": "", "d/a": "old\n", "e/": "", link: "-> a", "x": "old x\n" };
const on = (...argv: string[]) => ({ argv: ["install", ...argv], files });

compareRows([
  on(),
  on("a"),
  on("a", "new"),
  on("-m", "600", "a", "new"),
  on("-m", "u=rw,go=r", "a", "new"),
  on("-m", "+x", "a", "new"),
  on("-m", "zz", "a", "new"),
  on("-v", "a", "x"),
  on("-v", "a", "b", "d"),
  on("a", "b", "missing"),
  on("a", "b", "x"),
  on("missing", "d"),
  on("missing", "b", "d"),
  on("d", "new"),
  on("d/", "new"),
  on("a", "x/"),
  on("a", "a"),
  on("a", "no/x"),
  on("-d", "p/q/r"),
  on("-dv", "p/q/s", "t/u"),
  on("-d", "-m", "700", "v/w"),
  on("-d", "-m", "700", "d"),
  on("-d"),
  on("-d", "a"),
  on("-d", "a/b"),
  on("a", "-d"),
  on("-d", "-t", "d"),
  on("-D", "a", "n/m/o"),
  on("-Dv", "a", "n/m/o"),
  on("-D", "-m", "644", "a", "n/m/o"),
  on("-D", "a", "d"),
  on("-Dv", "-t", "n/k", "a", "b"),
  on("-t", "d", "a", "b"),
  on("-t", "missing", "a"),
  on("-t", "a", "b"),
  on("-t", "d"),
  on("-T", "a", "d"),
  on("-T", "a", "b", "c"),
  on("-T", "a", "new"),
  on("-D", "a", "a/x/y"),
  on("-D", "a", "a/x"),
  on("-d", "a/b/c"),
  on("-d", "b", "new", "a/b"),
  on("-D", "-t", "a/q", "b"),
  on("-T", "-t", "d", "a"),
  on("-b", "a", "x"),
  on("-bv", "a", "x"),
  on("-bv", "a", "d"),
  on("-S", ".old", "-b", "a", "x"),
  on("--backup=numbered", "-v", "a", "x"),
  on("-C", "a", "new"),
  on("-Cv", "a", "x"),
  on("-c", "a", "new"),
  on("-p", "a", "new"),
  on("-v", "a", "d/a", "e"),
  on("a", "link"),
  on("link", "new"),
  on("-o", "nobody-here", "a", "new"),
  on("-g", "nobody-here", "a", "new"),
  on("-q", "a", "new"),
  on("/dev/null", "new"),
  { ...on("/dev/stdin", "new"), stdin: "from stdin\n" },
]);

Deno.test("install -p keeps the times, install -C leaves what is the same alone", async () => {
  await inFolder(files, async (cwd) => {
    const time = async (name: string) => (await Deno.stat(`${cwd}/${name}`)).mtime?.getTime();
    await run(["install", "-p", "a", "kept"], { cwd });
    assertEquals(await time("kept"), await time("a"));
    const before = (await Deno.stat(`${cwd}/kept`)).ino;
    await run(["install", "-C", "a", "kept"], { cwd });
    assertEquals((await Deno.stat(`${cwd}/kept`)).ino, before);
    await run(["install", "-C", "-m", "600", "a", "kept"], { cwd });
    assertEquals((await Deno.stat(`${cwd}/kept`)).mode! & 0o777, 0o600);
  });
});

Deno.test("install refuses to strip", async () => {
  await inFolder(files, async (cwd) => {
    assertEquals(await run(["install", "-s", "a", "new"], { cwd }), {
      stdout: "",
      stderr: "install: option -s is not supported here\n",
      status: 2,
    });
  });
});
