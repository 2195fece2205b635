import { assertEquals } from "@std/assert";
import { folderOf } from "../../../src/session/log/files.ts";

Deno.test("folderOf() knows both separators", () => {
  assertEquals(["/a/b", "C:\\a\\b", "/a", "a"].map(folderOf), ["/a", "C:\\a", "/", "."]);
});
