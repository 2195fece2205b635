import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { HostError } from "../../src/sandbox/mod.ts";
import { realFs } from "../../src/sandbox/host_real.ts";
import { create } from "../../src/tools/multi_edit/body.ts";
import { create as createRead } from "../../src/tools/read/body.ts";
import { Bench, call } from "../support/host_fs.ts";

const change = (path: string, oldText: string, newText: string) => ({ path, edits: [{ oldText, newText }] });

async function withFiles(bench: Bench): Promise<Bench> {
  for (const name of ["a", "b"]) {
    bench.put(name, `${name} one\n`);
    await call(createRead(bench.deps), { path: name });
  }
  return bench;
}

Deno.test("multi_edit changes several files and shows each", async () => {
  using bench = await withFiles(new Bench());
  const result = await call(create(bench.deps), {
    files: [change("a", "one", "1"), change("b", "one", "2")],
  });
  assertEquals(
    result.text,
    "Edited a: +1 -1\n@@ -1 +1 @@\n-a one\n+a 1\n\nEdited b: +1 -1\n@@ -1 +1 @@\n-b one\n+b 2",
  );
  assertEquals([bench.text("a"), bench.text("b")], ["a 1\n", "b 2\n"]);
  assert(result.view?.type === "diff");
  assertEquals([result.view.path, result.view.added], ["a, b", 2]);
});

Deno.test("multi_edit changes nothing where one edit does not fit, or a file is named twice", async () => {
  using bench = await withFiles(new Bench());
  const multi = create(bench.deps);
  const wrong = await call(multi, { files: [change("a", "one", "1"), change("b", "three", "2")] });
  assert(wrong.isError);
  assertStringIncludes(wrong.text, "Nothing changed, because of b: oldText not found");
  Deno.symlinkSync("a", `${bench.dir}/link`);
  const twice = await call(multi, { files: [change("a", "one", "1"), change("link", "a", "2")] });
  assertStringIncludes(twice.text, "link is there twice");
  assertEquals([bench.text("a"), bench.text("b")], ["a one\n", "b one\n"]);
});

Deno.test("multi_edit takes back what it changed when a later file cannot be written", async () => {
  using bench = await withFiles(
    new Bench({
      fs: {
        ...realFs,
        rename(from, to) {
          if (to.endsWith("/b")) throw new HostError("ENOSPC", to);
          return realFs.rename(from, to);
        },
      },
    }),
  );
  const result = await call(create(bench.deps), {
    files: [change("a", "one", "1"), change("b", "one", "2")],
  });
  assert(result.isError);
  assertStringIncludes(result.text, "No space left on device");
  assertEquals([bench.text("a"), bench.text("b")], ["a one\n", "b one\n"]);
});
