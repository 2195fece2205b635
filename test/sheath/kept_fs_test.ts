/** What is kept before a change: found without asking for the whole way of each path again, and never from memory alone. */
import { assert, assertEquals } from "@std/assert";
import { realFs } from "../../src/sandbox/host_real.ts";
import type { GuardedFs } from "../../src/sandbox/mod.ts";
import { createKeptFs } from "../../src/sheath/kept_fs.ts";

interface Watched {
  readonly root: string;
  readonly fs: GuardedFs;
  readonly kept: string[];
  /** How often the system was asked for a whole way. */
  ways(): number;
}

function withKept(work: (watched: Watched) => void): void {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "kept-test-" }));
  const kept: string[] = [];
  let ways = 0;
  const fs = createKeptFs({
    fs: {
      ...realFs,
      realPath(path) {
        ways++;
        return realFs.realPath(path);
      },
      forget() {},
      opened: () => undefined,
    },
    call: () => ({ number: 1, open: true }),
    keep: (_call, path) => kept.push(path),
  });
  try {
    work({ root, fs, kept, ways: () => ways });
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}

Deno.test("createKeptFs() keeps each level of a deep tree by few looks at whole ways", () => {
  withKept(({ root, fs, kept, ways }) => {
    const levels = Array.from({ length: 200 }, (_, i) => root + "/d".repeat(i + 1));
    for (const path of levels) fs.mkdir(path, 0o755);
    assertEquals(kept, levels);
    for (const path of levels.toReversed()) fs.rmdir(path);
    assert(ways() < 10, `${ways()} looks`);
  });
});

Deno.test("createKeptFs() removes a deep tree that it has not seen by few looks at whole ways", () => {
  withKept(({ root, fs, kept, ways }) => {
    const levels = Array.from({ length: 200 }, (_, i) => root + "/d".repeat(i + 1)).toReversed();
    Deno.mkdirSync(levels[0], { recursive: true });
    for (const path of levels) fs.rmdir(path);
    assertEquals(kept, levels);
    assert(ways() < 10, `${ways()} looks`);
  });
});

Deno.test("createKeptFs() keeps the file where a folder leads by now, not where it led before", () => {
  withKept(({ root, fs, kept }) => {
    for (const name of ["one", "two"]) Deno.mkdirSync(`${root}/${name}`);
    Deno.symlinkSync("one", `${root}/way`);
    fs.mkdir(`${root}/way/a`, 0o755);
    Deno.removeSync(`${root}/way`);
    Deno.symlinkSync("two", `${root}/way`);
    fs.mkdir(`${root}/way/a`, 0o755);
    fs.mkdir(`${root}/way/b`, 0o755);
    Deno.renameSync(`${root}/two`, `${root}/three`);
    Deno.removeSync(`${root}/way`);
    Deno.renameSync(`${root}/three`, `${root}/way`);
    fs.mkdir(`${root}/way/c`, 0o755);
    assertEquals(kept.map((path) => path.slice(root.length)), ["/one/a", "/two/a", "/two/b", "/way/c"]);
  });
});
