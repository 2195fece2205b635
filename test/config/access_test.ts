import { assertEquals } from "@std/assert";
import { accessOf, matches } from "../../src/config/access.ts";

for (
  const [pattern, path, expected] of [
    ["/home/u/code/**", "/home/u/code/a", true],
    ["/home/u/code/**", "/home/u/code/a/b", true],
    ["/home/u/code/**", "/home/u/code", true],
    ["/home/u/code/**", "/home/u/codex", false],
    ["/home/u/code/*", "/home/u/code/a", true],
    ["/home/u/code/*", "/home/u/code/a/b", false],
    ["/home/u/code/", "/home/u/code", true],
    ["/home/**/myelin", "/home/u/x/myelin", true],
    ["/home/**/myelin", "/home/myelin", true],
    ["**/vendor/**", "/a/vendor/b", true],
    ["/a.b", "/aXb", false],
    ["/a?c", "/abc", true],
    ["/a?c", "/a/c", false],
    ["/**", "/anything", true],
    ["/(x)+[y]", "/(x)+[y]", true],
  ] as const
) {
  Deno.test(`matches() says ${expected} to ${path} for ${pattern}`, () =>
    assertEquals(matches(path, pattern), expected));
}

Deno.test("accessOf() takes the longest pattern that matches, else the general level", () => {
  const paths = { "~/**": "ignore", "~/code/**": "trust", "~/code/foreign": "read" } as const;
  const of = (root: string) => accessOf(root, { access: "read", paths }, "/home/u");
  assertEquals(["/home/u/x", "/home/u/code/x", "/home/u/code/foreign", "/srv"].map(of), [
    "ignore",
    "trust",
    "read",
    "read",
  ]);
});
