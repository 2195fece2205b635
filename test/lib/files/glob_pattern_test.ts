import { assertEquals } from "@std/assert";
import { compileGlob } from "../../../src/lib/files/glob_pattern.ts";

function fitting(pattern: string, ...paths: string[]): string[] {
  const fits = compileGlob(pattern);
  return paths.filter((path) => fits(path));
}

Deno.test("compileGlob() takes a plain name at any depth and a path from the root", () => {
  assertEquals(fitting("*.ts", "a.ts", "src/a.ts", "a.tsx", "src/a.ts/b"), ["a.ts", "src/a.ts"]);
  assertEquals(fitting("src/*.ts", "src/a.ts", "src/b/a.ts", "x/src/a.ts"), ["src/a.ts"]);
  assertEquals(fitting("/a.ts", "a.ts", "src/a.ts"), ["a.ts"]);
  assertEquals(fitting("./src/a.?s", "src/a.ts", "src/a.s"), ["src/a.ts"]);
});

Deno.test("compileGlob() lets ** stand for any number of folders", () => {
  assertEquals(fitting("**/a.ts", "a.ts", "x/a.ts", "x/y/a.ts", "xa.ts"), ["a.ts", "x/a.ts", "x/y/a.ts"]);
  assertEquals(fitting("a/**/b", "a/b", "a/x/b", "a/x/y/b", "ab"), ["a/b", "a/x/b", "a/x/y/b"]);
  assertEquals(fitting("a/**", "a", "a/b", "a/b/c"), ["a/b", "a/b/c"]);
});

Deno.test("compileGlob() knows braces, sets and escapes, and takes unclosed ones as they are", () => {
  assertEquals(fitting("*.{ts,j{s,sx}}", "a.ts", "a.js", "a.jsx", "a.j"), ["a.ts", "a.js", "a.jsx"]);
  assertEquals(fitting("[a-c]?[!0-9]", "abc", "ab1", "dbc"), ["abc"]);
  assertEquals(fitting("\\*.ts", "*.ts", "a.ts"), ["*.ts"]);
  assertEquals(fitting("a{b", "a{b", "ab"), ["a{b"]);
  assertEquals(fitting("a[b", "a[b", "ab"), ["a[b"]);
  assertEquals(fitting("a+(b).$^|", "a+(b).$^|", "aab"), ["a+(b).$^|"]);
});
