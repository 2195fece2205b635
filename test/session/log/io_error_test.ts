import { assertEquals, assertStringIncludes } from "@std/assert";
import { SessionError } from "../../../src/session/errors.ts";
import { ioError } from "../../../src/session/log/io_error.ts";

const coded = (code: string) => Object.assign(new Error("it went wrong"), { code });

for (
  const [name, error, code, hint] of [
    ["a full disk", coded("ENOSPC"), "io", "disk space"],
    ["a quota", coded("EDQUOT"), "io", "disk space"],
    ["missing rights", coded("EACCES"), "io", "permissions"],
    ["a read-only file system", coded("EROFS"), "io", "permissions"],
    ["a broken device", coded("EIO"), "io", ""],
    ["a missing file", new Deno.errors.NotFound("it went wrong"), "not_found", ""],
  ] as const
) {
  Deno.test(`ioError() tells of ${name} with what to do`, () => {
    const wrapped = ioError(error, 'Cannot write "x"');
    assertEquals([wrapped.code, wrapped.message], [code, 'Cannot write "x": it went wrong']);
    assertStringIncludes(wrapped.hint ?? "", hint);
    assertEquals(wrapped.cause, error);
  });
}

Deno.test("ioError() leaves an error of its own kind as it is", () => {
  const own = new SessionError("busy", "x");
  assertEquals(ioError(own, "y"), own);
});
