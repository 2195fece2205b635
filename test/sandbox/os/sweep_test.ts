import { assertEquals } from "@std/assert";
import { sweep, TEMP_PREFIX } from "../../../src/sandbox/os/sweep.ts";

Deno.test({
  name: "sweep() removes what ended processes left, and nothing else",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const base = await Deno.makeTempDir({ prefix: "sweep-test-" });
    // Process numbers end at 4,194,304 on Linux.
    for (
      const name of [
        "myelin-99999999-0a1b",
        `${TEMP_PREFIX}0a1b`,
        "myelin-tour-0a1b",
        "myelin-99999999-x y",
        "other",
      ]
    ) {
      await Deno.mkdir(`${base}/${name}/deep`, { recursive: true });
    }
    await Deno.writeTextFile(`${base}/myelin-99999998-0a1b`, "a file of somebody");
    // As a program may leave it: an ordinary user cannot empty such a folder.
    await Deno.chmod(`${base}/myelin-99999999-0a1b/deep`, 0o700);
    await Deno.mkdir(`${base}/myelin-99999999-0a1b/deep/er`);
    await Deno.symlink(`${base}/other`, `${base}/myelin-99999999-0a1b/deep/link`);
    await Deno.chmod(`${base}/myelin-99999999-0a1b/deep`, 0);
    await sweep(base);
    const left = Array.from(Deno.readDirSync(base), (entry) => entry.name).sort();
    assertEquals(
      left,
      [`${TEMP_PREFIX}0a1b`, "myelin-99999998-0a1b", "myelin-99999999-x y", "myelin-tour-0a1b", "other"]
        .sort(),
    );
    await Deno.remove(base, { recursive: true });
  },
});
