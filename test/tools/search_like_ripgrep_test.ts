/**
 * glob and grep beside ripgrep, on generated trees full of ignore rules: the
 * same files, always. Skipped (and said so) where ripgrep is not installed.
 */
import { assertEquals } from "@std/assert";
import { create as createGlob } from "../../src/tools/glob/body.ts";
import { create as createGrep } from "../../src/tools/grep/body.ts";
import { Bench, call } from "../support/host_fs.ts";

const hasRipgrep = await installed("rg");

/** A small generator of numbers that repeats for a seed. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1664525 + 1013904223) >>> 0;
    return Math.floor(state / 4294967296 * below);
  };
}

const NAMES = [
  "a",
  "b",
  "lib",
  "src",
  "foo",
  "foo.txt",
  "a.log",
  "b.log",
  "x.ts",
  ".env",
  "build",
  "dist",
  "a b",
  "[x]",
  "temp~",
  "foo.d.ts",
];
const RULES = [
  "*.log",
  "!a.log",
  "build",
  "build/",
  "/build",
  "foo*",
  "!foo.txt",
  "src/*.ts",
  "**/lib",
  "lib/**",
  "a/**/b",
  "/a/b",
  "*~",
  "a b",
  "[ab].log",
  "[!a]*.ts",
  "\\[x\\]",
  ".env",
  "!.env",
  "# not a rule",
  "",
  "dist/  ",
  "**/foo/*.ts",
  "?.ts",
  "foo/",
  "!foo/",
  "src/foo",
  "*",
  "!*/",
  "!*.ts",
  "/*",
  "!/src",
  "b/",
  "**",
  "*.d.ts",
];

function grow(bench: Bench, seed: number): void {
  const next = random(seed);
  const folders = [""];
  const files: string[] = [];
  for (let i = 0; i < 14; i++) {
    const path = `${folders[next(folders.length)]}${NAMES[next(NAMES.length)]}`;
    if (!files.includes(path) && !folders.includes(path + "/")) folders.push(path + "/");
  }
  for (let i = 0; i < 60; i++) {
    const path = `${folders[next(folders.length)]}${NAMES[next(NAMES.length)]}`;
    if (folders.includes(path + "/") || files.includes(path)) continue;
    files.push(path);
    bench.put(path, next(3) === 0 ? "needle\n" : "straw\n");
  }
  for (const folder of folders) {
    if (next(3) !== 0 && folder !== "") continue;
    const rules = Array.from({ length: 1 + next(4) }, () => RULES[next(RULES.length)]);
    bench.put(`${folder}${next(4) === 0 ? ".ignore" : ".gitignore"}`, rules.join("\n") + "\n");
  }
  // A repository inside: what git's rules say outside does not bind it.
  if (next(3) === 0) Deno.mkdirSync(`${bench.dir}/${folders[next(folders.length)]}.git`, { recursive: true });
  if (next(4) === 0) bench.put(".git/info/exclude", RULES[next(RULES.length)] + "\n");
  Deno.mkdirSync(`${bench.dir}/.git`, { recursive: true });
}

async function ripgrep(bench: Bench, ...args: string[]): Promise<string[]> {
  const { stdout } = await new Deno.Command("rg", {
    args: ["--no-config", "--no-ignore-global", "--no-ignore-parent", ...args],
    cwd: bench.dir,
    stdin: "null",
  }).output();
  // A rule such as "!*" makes ripgrep list git's own folder; here that is never searched.
  return new TextDecoder().decode(stdout).split("\n")
    .filter((line) => line !== "" && !/(^|\/)\.git\//.test(line)).sort();
}

Deno.test({
  name: "glob and grep find the files that ripgrep finds",
  ignore: !hasRipgrep,
  async fn() {
    for (let seed = 1; seed <= 150; seed++) {
      using bench = new Bench();
      grow(bench, seed);
      const globbed = (await call(createGlob(bench.deps), { pattern: "**/*" })).text;
      assertEquals(list(globbed), await ripgrep(bench, "--files"), `--files, seed ${seed}`);
      const grepped = (await call(createGrep(bench.deps), { pattern: "needle", show: "files" })).text;
      assertEquals(list(grepped), await ripgrep(bench, "-l", "needle"), `-l, seed ${seed}`);
    }
  },
});

function list(text: string): string[] {
  return text.split("\n").filter((line) => !line.startsWith("No ")).sort();
}

async function installed(program: string): Promise<boolean> {
  try {
    await new Deno.Command(program, { args: ["--version"], stdout: "null" }).output();
    return true;
  } catch {
    return false;
  }
}
