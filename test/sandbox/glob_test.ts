import { assertEquals } from "@std/assert";
import { isWithin, matchPath, matchWord } from "../../src/sandbox/glob.ts";
import { placeSet } from "../../src/sandbox/place_set.ts";

Deno.test("matchWord() knows * and ?, and is not made slow by many of them", () => {
  const table: [string, string, boolean][] = [
    ["a*c", "abc", true],
    ["a*c", "ac", true],
    ["a*c", "abcd", false],
    ["?", "a", true],
    ["?", "", false],
    ["*", "", true],
    ["*.ts", "a.b.ts", true],
    ["a.b", "axb", false],
    ["[a]", "a", false],
  ];
  for (const [pattern, text, wanted] of table) {
    assertEquals(matchWord(pattern, text), wanted, `${pattern} ${text}`);
  }
  assertEquals(matchWord(`${"a*".repeat(50)}b`, "a".repeat(20_000)), false);
});

Deno.test("matchPath() knows ** as any number of folders", () => {
  const table: [string, string, boolean][] = [
    ["/a/**", "/a", true],
    ["/a/**", "/a/b/c", true],
    ["/a/**", "/ab", false],
    ["/a/*", "/a/b", true],
    ["/a/*", "/a/b/c", false],
    ["/**/.env", "/.env", true],
    ["/**/.env", "/x/y/.env", true],
    ["/**/.env", "/x/.env/y", false],
    ["/a/**/b/*.c", "/a/x/y/b/z.c", true],
    ["/a/**/b", "/a/b", true],
  ];
  for (const [pattern, path, wanted] of table) {
    assertEquals(matchPath(pattern, path), wanted, `${pattern} ${path}`);
  }
});

Deno.test("isWithin() ends at whole names", () => {
  assertEquals([isWithin("/a", "/a"), isWithin("/a", "/a/b"), isWithin("/a", "/ab"), isWithin("/", "/x")], [
    true,
    true,
    false,
    true,
  ]);
});

Deno.test("placeSet() answers as the patterns would, also after it has seen the folder", () => {
  const set = placeSet(["/home/u/.ssh", "**/.git/hooks", "**/.git/modules/*/config", "**/.envrc"]);
  const table: [string, boolean][] = [
    ["/home/u/.ssh", true],
    ["/home/u/.ssh/id_rsa", true],
    ["/home/u/.sshx", false],
    ["/home/u", false],
    ["/w/.git/hooks", true],
    ["/w/.git/hooks/a/b", true],
    ["/w/.git/hooksx", false],
    ["/w/.git/index", false],
    ["/w/.git/modules/m/config", true],
    ["/w/.git/modules/m/index", false],
    ["/w/.envrc", true],
    ["/w/x.envrc", false],
    ["/w/hooks", false],
  ];
  for (let round = 0; round < 2; round++) {
    for (const [path, wanted] of table) assertEquals(set.holds(path), wanted, path);
  }
  assertEquals(["/w/.git", "/w/.git/modules", "/home/u", "/w", "/w/git"].map(set.leadsTo), [
    true,
    true,
    true,
    false,
    false,
  ]);
});
