import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parseMounts } from "../../../src/sandbox/os/mounts.ts";
import { keptCapabilities, mountScript } from "../../../src/sandbox/os/unshare.ts";

const MOUNTS = parseMounts(
  "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda rw\n" +
    "23 22 0:5 / /data\\040one rw,nosuid,noexec,noatime - tmpfs tmpfs rw\n" +
    "24 22 0:6 / /data\\040one/deep ro - tmpfs tmpfs rw\n",
);

Deno.test("parseMounts() reads places with blanks in them and what is set there", () => {
  assertEquals(MOUNTS.map(({ at }) => at), ["/", "/data one", "/data one/deep"]);
  assertEquals(MOUNTS[1].options, ["rw", "nosuid", "noexec", "noatime"]);
});

Deno.test("mountScript() makes every mount below a place read-only, too, and keeps what is locked", () => {
  const lines = mountScript(
    ["--die-with-parent", "--ro-bind", "/", "/", "--chdir", "/w", "--", "/bin/x"],
    MOUNTS,
  )
    .split("\n");
  const changes = lines.filter((line) => line.includes("remount"));
  assertEquals(changes.length, 3);
  assertStringIncludes(changes[0], 'remount,bind,relatime,nosuid,nodev,ro "$t"');
  assertStringIncludes(changes[1], "remount,bind,nosuid,noexec,noatime,nodev,ro '/newroot/data one'");
  assertStringIncludes(changes[2], "'/newroot/data one/deep'");
  assertEquals(lines.at(-1), "cd '/w'");
  assert(!lines.some((line) => line.includes("/bin/x")));
});

Deno.test("mountScript() keeps what is written apart: a writable place below a read-only root", () => {
  const script = mountScript(["--bind", "/data one", "/data one", "--tmpfs", "/it's"], MOUNTS);
  assertStringIncludes(script, `mount --rbind '/oldroot/data one' "$t"`);
  assertStringIncludes(script, 'remount,bind,nosuid,noexec,noatime,nodev "$t"');
  // What was read-only stays so.
  assertStringIncludes(script, "remount,bind,ro,nosuid,nodev '/newroot/data one/deep'");
  assertStringIncludes(script, `'/newroot/it'\\''s'`);
});

Deno.test("keptCapabilities() drops all but what the arguments name", () => {
  assertEquals(
    keptCapabilities(["--cap-drop", "ALL", "--cap-add", "CAP_CHOWN", "--cap-add", "CAP_KILL"]),
    "-all,+chown,+kill",
  );
  assertEquals(keptCapabilities([]), "-all");
});
