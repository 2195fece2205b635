import { assertEquals } from "@std/assert";
import { expectedMounts, mountOf, parseMounts } from "../../../src/sandbox/os/mounts.ts";
import type { Policy } from "../../../src/sandbox/policy.ts";

const MOUNTS = parseMounts(
  "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda rw\n" +
    "23 22 0:5 /@home /home rw - btrfs /dev/sdb rw\n" +
    "24 23 0:6 / /home/a\\040b rw - tmpfs tmpfs rw\n" +
    "25 23 0:7 /sub /home/a\\040b rw - tmpfs tmpfs rw\n",
);

const policy = {
  mode: "workspace",
  workspace: "/home/u/ws",
  readRoots: [],
  writeRoots: ["/home/a b"],
  tempDir: "/tmp/t",
  home: "/home/u",
  protectedPaths: [],
  net: [],
  exec: "auto",
  approve: "never",
  rules: { allow: [], ask: [], deny: [] },
} as const satisfies Policy;

Deno.test("mountOf() finds the mount that shows a path; of two at one place the later one", () => {
  assertEquals(mountOf("/etc/x", MOUNTS)?.root, "/");
  assertEquals(mountOf("/homework", MOUNTS)?.at, "/");
  assertEquals(mountOf("/home/u", MOUNTS)?.root, "/@home");
  assertEquals(mountOf("/home/a b/c", MOUNTS)?.root, "/sub");
});

Deno.test("expectedMounts() names what comes from places that programs write, as the system will name it", () => {
  const args = [
    ...["--ro-bind", "/", "/", "--bind", "/home/u/ws", "/home/u/ws", "--bind", "/tmp/t", "/tmp"],
    ...[
      "--bind",
      "/home/u/ws/.git",
      "/home/u/ws/.git",
      "--ro-bind",
      "/home/a b/.git/hooks",
      "/home/a b/.git/hooks",
    ],
    ...[
      "--tmpfs",
      "/home/u/.ssh",
      "--ro-bind",
      "/dev/null",
      "/home/u/ws/.env",
      "--",
      "--bind",
      "/home/u/ws/x",
      "/y",
    ],
  ];
  assertEquals(expectedMounts(args, policy, MOUNTS), [
    " /@home/u/ws/.git /home/u/ws/.git ",
    " /sub/.git/hooks /home/a\\040b/.git/hooks ",
  ]);
});
