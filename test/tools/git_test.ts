/** The git tools on real repositories, whose configuration does what it can to disturb. Skipped where git is not installed. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { create as createCommit } from "../../src/tools/git/commit.ts";
import { create as createDiff } from "../../src/tools/git/diff.ts";
import { create as createLog } from "../../src/tools/git/log.ts";
import { parseStatus } from "../../src/tools/git/parse_status.ts";
import { create as createStatus } from "../../src/tools/git/status.ts";
import { Bench, call } from "../support/host_fs.ts";

const ignore = !await installed();

async function installed(): Promise<boolean> {
  try {
    return (await new Deno.Command("git", { args: ["--version"], stdout: "null" }).output()).success;
  } catch {
    return false;
  }
}

async function git(bench: Bench, ...args: string[]): Promise<string> {
  const { stdout, stderr, success } = await new Deno.Command("git", {
    args: ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", ...args],
    cwd: bench.dir,
    env: { HOME: bench.dir, GIT_CONFIG_NOSYSTEM: "1" },
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

async function repository(): Promise<Bench> {
  const bench = new Bench();
  await git(bench, "init", "-q", "-b", "main", ".");
  bench.put(".gitconfig", "[user]\n\tname = Ann\n\temail = ann@example.org\n");
  bench.put(".git/info/exclude", ".gitconfig\nran-*\n");
  bench.put("one.txt", "one\n");
  bench.put("two words.txt", "two\n");
  await git(bench, "add", ".");
  await git(bench, "commit", "-qm", "First: äöü");
  return bench;
}

Deno.test({
  name: "git_status lists staged, changed, new, deleted and renamed files by what happened to them",
  ignore,
  async fn() {
    using bench = await repository();
    const status = createStatus(bench.deps);
    assertStringIncludes((await call(status, {})).text, "On main at ");
    assertStringIncludes((await call(status, {})).text, "the working tree is clean");
    await git(bench, "mv", "two words.txt", "zwei.txt");
    bench.put("one.txt", "uno\n");
    bench.put("new/file.txt", "new\n");
    const { text, view } = await call(status, {});
    assertStringIncludes(text, "Staged:\n  renamed two words.txt -> zwei.txt");
    assertStringIncludes(text, "Changed, not staged:\n  modified one.txt");
    assertStringIncludes(text, "Not tracked:\n  new/");
    assert(view?.type === "files");
    assertEquals(view.paths.toSorted(), ["new/", "one.txt", "zwei.txt"]);
  },
});

Deno.test("parseStatus() reads conflicts, distances and names with spaces", () => {
  const text = [
    "# branch.oid 0123456789abcdef",
    "# branch.head main",
    "# branch.upstream origin/main",
    "# branch.ab +2 -1",
    "# stash 3",
    "u UU N... 100644 100644 100644 100644 a b c my file",
    "1 MM N... 100644 100644 100644 a b both.txt",
    "? a b",
    "",
  ].join("\0");
  const status = parseStatus(text);
  assertEquals([status.ahead, status.behind, status.stashes, status.upstream], [2, 1, 3, "origin/main"]);
  assertEquals(status.files, [
    { place: "conflict", what: "both changed", path: "my file" },
    { place: "staged", what: "modified", path: "both.txt" },
    { place: "changed", what: "modified", path: "both.txt" },
    { place: "untracked", path: "a b" },
  ]);
});

Deno.test({
  name: "git_diff shows what is changed, staged, or between commits, and refuses options as names",
  ignore,
  async fn() {
    using bench = await repository();
    const diff = createDiff(bench.deps);
    assertStringIncludes((await call(diff, {})).text, "No changes that are not staged");
    bench.put("one.txt", "uno\n");
    const { text, view } = await call(diff, {});
    assertStringIncludes(text, "1 file changed, +1 -1\n  one.txt +1 -1");
    assertStringIncludes(text, "--- a/one.txt\n+++ b/one.txt\n@@ -1 +1 @@\n-one\n+uno");
    assert(view?.type === "diff" && view.added === 1);
    await git(bench, "commit", "-qam", "Second");
    assertStringIncludes((await call(diff, { from: "HEAD~1", to: "HEAD" })).text, "+uno");
    assertStringIncludes(
      (await call(diff, { from: "HEAD~1", path: "two words.txt" })).text,
      "No differences",
    );
    const refused = await call(diff, { from: "--output=ran-diff" });
    assert(refused.isError);
    assertEquals(Array.from(Deno.readDirSync(bench.dir)).some((entry) => entry.name === "ran-diff"), false);
  },
});

Deno.test({
  name: "git_log tells hash, date, author and subject, and says that older ones are left out",
  ignore,
  async fn() {
    using bench = await repository();
    for (let i = 0; i < 5; i++) await git(bench, "commit", "-q", "--allow-empty", "-m", `Number ${i}`);
    const { text } = await call(createLog(bench.deps), { limit: 3 });
    const lines = text.split("\n");
    assertEquals(lines.length, 4);
    assert(/^[0-9a-f]{7,} \d{4}-\d\d-\d\d Ann: Number 4 \(HEAD -> main\)$/.test(lines[0]), lines[0]);
    assertStringIncludes(lines[3], "older ones left out");
    assertStringIncludes((await call(createLog(bench.deps), { path: "one.txt" })).text, "First: äöü");
  },
});

Deno.test({
  name: "git_commit commits only the files that are named, new and deleted ones too",
  ignore,
  async fn() {
    using bench = await repository();
    bench.put("one.txt", "uno\n");
    bench.put("three.txt", "three\n");
    bench.put("other.txt", "other\n");
    await git(bench, "add", "other.txt");
    Deno.removeSync(`${bench.dir}/two words.txt`);
    const message = 'Change "some" $(things)\n\n# not a comment of ours\n- a list';
    const { text, isError } = await call(createCommit(bench.deps), {
      message,
      files: ["one.txt", "three.txt", "two words.txt"],
    });
    assert(!isError, text);
    assertStringIncludes(text, "3 files changed");
    assertEquals(
      (await git(bench, "show", "--name-only", "--format=", "HEAD")).trim().split("\n").sort(),
      ["one.txt", "three.txt", "two words.txt"],
    );
    assertStringIncludes(await git(bench, "log", "-1", "--format=%B"), 'Change "some" $(things)');
    // What was staged besides is still staged, and not in the commit.
    assertStringIncludes(await git(bench, "status", "--porcelain"), "A  other.txt");
    assert(!(await call(createCommit(bench.deps), { message: "The rest" })).isError);
    const nothing = await call(createCommit(bench.deps), { message: "Nothing" });
    assert(nothing.isError);
    assertStringIncludes(nothing.text, "name the files to commit");
  },
});

Deno.test({
  name: "the git tools start nothing that a repository's configuration names",
  ignore,
  async fn() {
    using bench = await repository();
    const ran = (name: string) => `touch ${bench.dir}/ran-${name}; cat`;
    bench.put(".gitattributes", "*.txt filter=evil diff=evil\n");
    for (
      const [key, value] of Object.entries({
        "core.fsmonitor": ran("monitor"),
        "core.pager": ran("pager"),
        "diff.external": ran("external"),
        "diff.evil.textconv": ran("textconv"),
        "diff.evil.command": ran("driver"),
        "filter.evil.clean": ran("clean"),
        "filter.evil.smudge": ran("smudge"),
        "filter.evil.process": ran("process"),
        "filter.evil.required": "true",
        "gpg.program": ran("gpg"),
        "commit.gpgSign": "true",
        "core.editor": ran("editor"),
        "color.ui": "always",
        "diff.noprefix": "true",
        "status.short": "true",
        "log.showSignature": "true",
        "format.pretty": "raw",
      })
    ) await git(bench, "config", key, value);
    for (
      const hook of ["pre-commit", "commit-msg", "prepare-commit-msg", "post-commit", "post-index-change"]
    ) {
      bench.put(`.git/hooks/${hook}`, `#!/bin/sh\n${ran(`hook-${hook}`)} >/dev/null </dev/null\n`);
      Deno.chmodSync(`${bench.dir}/.git/hooks/${hook}`, 0o755);
    }
    bench.put("one.txt", "uno\n");
    assertStringIncludes((await call(createStatus(bench.deps), {})).text, "modified one.txt");
    assertStringIncludes((await call(createDiff(bench.deps), {})).text, "+++ b/one.txt");
    assertStringIncludes((await call(createLog(bench.deps), {})).text, "First");
    const commit = await call(createCommit(bench.deps), { message: "Quiet", files: ["one.txt"] });
    assert(!commit.isError, commit.text);
    const ranAny = Array.from(Deno.readDirSync(bench.dir), (entry) => entry.name).filter((name) =>
      name.startsWith("ran-")
    );
    assertEquals(ranAny, []);
  },
});

Deno.test({
  name: "git_commit runs the hooks of a project that the user trusts, and only there",
  ignore,
  async fn() {
    using bench = await repository();
    bench.put(".git/hooks/pre-commit", "#!/bin/sh\necho no trailing space allowed >&2; exit 1\n");
    Deno.chmodSync(`${bench.dir}/.git/hooks/pre-commit`, 0o755);
    bench.put("one.txt", "uno\n");
    const refused = await call(createCommit({ ...bench.deps, trusted: true }), {
      message: "x",
      files: ["one.txt"],
    });
    assert(refused.isError);
    assertStringIncludes(refused.text, "no trailing space allowed");
    assert(!(await call(createCommit(bench.deps), { message: "x", files: ["one.txt"] })).isError);
  },
});

Deno.test({
  name: "the git tools say what is the matter outside of a repository",
  ignore,
  async fn() {
    using bench = new Bench();
    for (const tool of [createStatus(bench.deps), createDiff(bench.deps), createLog(bench.deps)]) {
      const { text, isError } = await call(tool, {});
      assert(isError);
      assertStringIncludes(text, "not in a git repository");
    }
  },
});
