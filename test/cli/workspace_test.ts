import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { UsageError } from "../../src/cli/args.ts";
import { workspaceOf } from "../../src/cli/workspace.ts";

const withFolder = (test: (folder: string) => void) => {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    test(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
};

Deno.test("workspaceOf() refuses what is no folder, and says what to do", () =>
  withFolder((folder) => {
    Deno.writeTextFileSync(`${folder}/file`, "");
    assertThrows(() => workspaceOf(`${folder}/file`), UsageError, "is not a folder");
    const { message, hint } = assertThrows(() => workspaceOf(`${folder}/gone`), UsageError);
    assertStringIncludes(message, `${folder}/gone`);
    assertStringIncludes(hint ?? "", "--cwd");
  }));

Deno.test({
  name: "workspaceOf() follows links, and takes a backslash for what it is where it parts no names",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withFolder((folder) => {
      const own = `${folder}/a\\b`;
      Deno.mkdirSync(own);
      Deno.symlinkSync(own, `${folder}/link`);
      assertEquals(workspaceOf(`${folder}/link`), own);
    }),
});
