import { assertEquals } from "@std/assert";
import type { Policy } from "../../src/sandbox/policy.ts";
import { lookupFolders, workerPermissions } from "../../src/sandbox/worker/permissions.ts";

const policy: Policy = {
  mode: "workspace",
  workspace: "/home/u/ws",
  readRoots: ["/usr/include"],
  writeRoots: ["/data"],
  tempDir: "/tmp/t",
  home: "/home/u",
  protectedPaths: [],
  hiddenPaths: ["/home/u/.ssh"],
  net: ["*"],
  exec: "allow",
  approve: "always",
  rules: {
    allow: ["read(~/notes/**)", "write(./docs/**)", "write(~/out/*.txt)", "run(ls)"],
    ask: ["read(/etc/hosts)"],
    deny: ["read(/x)"],
  },
};

const NONE = { net: false, env: false, run: false, ffi: false, sys: false, import: false };

Deno.test("workerPermissions() grants files and nothing else, whatever else the policy allows", () => {
  assertEquals(workerPermissions(policy, ["/usr/bin"]) as unknown, {
    ...NONE,
    read: [
      "/home/u/ws",
      "/tmp/t",
      "/usr/include",
      "/data",
      "/home/u/notes",
      "/home/u/ws/docs",
      "/home/u/out",
      "/etc/hosts",
      "/usr/bin",
    ],
    write: ["/tmp/t", "/home/u/ws", "/data", "/home/u/ws/docs", "/home/u/out"],
  });
  assertEquals(workerPermissions({ ...policy, mode: "read-only" }, []).write, ["/tmp/t"]);
  assertEquals(workerPermissions({ ...policy, mode: "off" }, []) as unknown, {
    ...NONE,
    read: true,
    write: true,
  });
});

Deno.test("lookupFolders() takes folders of programs only", () => {
  const path =
    "/usr/bin:/home/u/bin/:/:/home/u:/home/u/ws:/home/u/ws/bin:/home/u/.ssh/x:bin::/home:/usr/bin:/opt/../home/u/.ssh";
  assertEquals(lookupFolders(policy, path), ["/usr/bin", "/home/u/bin"]);
});
