/**
 * glob and grep beside ripgrep, on generated trees full of ignore rules: the
 * same files, always. Skipped (and said so) where ripgrep is not installed.
 */
import { assert, assertEquals } from "@std/assert";
import { create as createGlob } from "../../src/tools/glob/body.ts";
import { create as createGrep } from "../../src/tools/grep/body.ts";
import { walkFiles } from "../../src/tools/shared/walk.ts";
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

async function ripgrep(bench: { readonly dir: string }, ...args: string[]): Promise<string[]> {
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
      const grepped =
        (await call(createGrep(bench.deps, Infinity), { pattern: "needle", show: "files" })).text;
      assertEquals(list(grepped), await ripgrep(bench, "-l", "needle"), `-l, seed ${seed}`);
    }
  },
});

/** What is not ASCII is left out: here other encodings are searched as texts, too. */
const PATTERNS = ["TODO", "[A-Z]{3}_[0-9]+"];

Deno.test({
  name: "glob and grep find the files that ripgrep finds, on three large trees",
  ignore: !hasRipgrep,
  async fn() {
    using grown = new Bench();
    growLarge(grown);
    const trees = [
      await packageCache(),
      new URL("../..", import.meta.url).pathname.replace(/\/$/, ""),
      grown.dir,
    ];
    for (const root of trees) {
      if (root === undefined) continue;
      using bench = new Bench({ outputBytes: 1 << 30 });
      const deps = { ...bench.deps, workspace: root, cwd: () => root };
      const walked = Array.from(walkFiles({ ...deps, root, hidden: false }), (file) => file.path).sort();
      assert(walked.length > 500, root);
      assertEquals(walked, await ripgrep({ dir: root }, "--files"), root);
      for (const pattern of PATTERNS) {
        const found = (await call(createGrep(deps, Infinity), { pattern, show: "files" })).text;
        assertEquals(list(found), await ripgrep({ dir: root }, "-l", pattern), `${root}: ${pattern}`);
      }
    }
  },
});

/** 5,000 files in 200 folders, with rules in every tenth. */
function growLarge(bench: Bench): void {
  const next = random(7);
  for (let i = 0; i < 200; i++) {
    const folder = `p${i % 20}/${NAMES[i % 5]}${i % 50}/s${i}`;
    for (let k = 0; k < 25; k++) {
      const name = `${k}${NAMES[next(NAMES.length)].replace("/", "")}`;
      bench.put(`${folder}/${name}`, next(9) === 0 ? "// TODO ABC_12\nreturn x;\n" : "import a from b\n");
    }
    if (i % 10 !== 0) continue;
    const rules = Array.from({ length: 3 }, () => RULES[next(RULES.length)]).filter((rule) =>
      !/^[/!]?\*+$/.test(rule)
    );
    bench.put(`p${i % 20}/${i % 4 === 0 ? ".ignore" : ".gitignore"}`, rules.join("\n") + "\n");
  }
  Deno.mkdirSync(`${bench.dir}/.git`);
}

/** The packages that the runtime keeps; undefined where it keeps none. */
async function packageCache(): Promise<string | undefined> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  const { npmCache } = JSON.parse(new TextDecoder().decode(stdout));
  try {
    return Deno.realPathSync(npmCache);
  } catch {
    return undefined;
  }
}

function list(text: string): string[] {
  return text.split("\n").filter((line) => !/^(No |\[\d)/.test(line)).sort();
}

async function installed(program: string): Promise<boolean> {
  try {
    await new Deno.Command(program, { args: ["--version"], stdout: "null" }).output();
    return true;
  } catch {
    return false;
  }
}
