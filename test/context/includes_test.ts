import { assertEquals } from "@std/assert";
import { findIncludes } from "../../src/context/includes.ts";

const paths = (text: string) => findIncludes(text).map(({ path }) => path);

Deno.test("findIncludes() takes paths behind an @, at the start of a line and within one", () => {
  assertEquals(paths("@./a.md\nSee @docs/style.md, and (@../b.md).\n- @~/own.md\n@/etc/x"), [
    "./a.md",
    "docs/style.md",
    "../b.md",
    "~/own.md",
    "/etc/x",
  ]);
});

Deno.test("findIncludes() takes no code, no mail address and no lone sign", () => {
  assertEquals(paths("`@a/b.md` and ``x ` @c.md`` mail@example.org @ alone"), []);
  assertEquals(paths("```sh\n@in/a/fence.md\n```\n@after.md"), ["after.md"]);
  assertEquals(paths("~~~\n@in.md\n```\n@still.md\n~~~"), []);
});

Deno.test("findIncludes() says which names may be something else", () => {
  assertEquals(findIncludes("@someone wrote @./x.md"), [
    { path: "someone", plain: true },
    { path: "./x.md", plain: false },
  ]);
});
