import { assert, assertEquals } from "@std/assert";
import { decide } from "../../src/sandbox/decide.ts";
import { defaultHiddenPaths, defaultProtectedPaths } from "../../src/sandbox/default_paths.ts";
import { foldCase, windowsNameProblem } from "../../src/sandbox/names.ts";
import type { Policy } from "../../src/sandbox/policy.ts";

Deno.test("windowsNameProblem() knows devices, streams, short names and endings that are left out", () => {
  const bad = [
    "C:/ws/nul",
    "C:/ws/NUL.txt",
    "C:/ws/con",
    "C:/ws/aux.c",
    "C:/ws/COM1",
    "C:/ws/com¹",
    "C:/ws/lpt9.x.y",
    "C:/ws/sub/prn/x",
    "C:/ws/CONIN$",
    "C:/ws/nul  ",
    "C:/ws/nul...",
    "C:/ws/a.txt:stream",
    "C:/ws/a.txt::$DATA",
    "C:/ws/.git::$INDEX_ALLOCATION/config",
    "C:/ws/.git./hooks/x",
    "C:/ws/.git /hooks/x",
    "C:/ws/.ssh.. /id",
    "C:/ws/GIT~1/hooks/x",
    "C:/ws/PROGRA~1.EXE",
    "//?/C:/ws/x",
    "\\\\.\\PhysicalDrive0",
    "//./pipe/x",
  ];
  for (const path of bad) assert(windowsNameProblem(path) !== undefined, path);
  const good = [
    "C:/ws/null",
    "C:/ws/console.ts",
    "C:/ws/com10",
    "C:/ws/community/a.b.c",
    "C:/ws/../x",
    "C:/ws/./x",
    "C:/ws/backup~",
    "C:/ws/longname~1.txt",
    "C:/ws/.gitignore",
    "//server/share/x",
    "C:/ws/a b.txt",
  ];
  for (const path of good) assertEquals(windowsNameProblem(path), undefined, path);
});

Deno.test("foldCase() makes equal what a file system may take for the same", () => {
  const same = [
    [".GIT/Config", ".git/config"],
    [".ſsh", ".ssh"],
    ["\u212Aey", "key"],
    [".g\u200cit", ".git"],
    [".gi\ufefft", ".git"],
    ["e\u0301", "\u00c9"],
  ];
  for (const [a, b] of same) assertEquals(foldCase(a), foldCase(b));
  assert(foldCase("a") !== foldCase("b"));
});

Deno.test("decide(): no spelling of a name gets around a protected or hidden place, or a rule that denies", () => {
  const policy: Policy = {
    mode: "workspace",
    workspace: "/home/u",
    readRoots: [],
    writeRoots: [],
    tempDir: "/tmp/m",
    home: "/home/u",
    protectedPaths: defaultProtectedPaths("/home/u", "/home/u/.myelin"),
    hiddenPaths: defaultHiddenPaths("/home/u", "/home/u/.myelin"),
    net: [],
    exec: "auto",
    approve: "never",
    rules: { allow: [], ask: [], deny: ["read(**/geheim.txt)"] },
  };
  for (
    const path of [
      "/home/u/.SSH/id_rsa",
      "/home/u/.ſsh/id_rsa",
      "/home/u/.s\u200csh/id_rsa",
      "/home/u/x/GEHEIM.TXT",
    ]
  ) {
    assertEquals(decide(policy, { kind: "read", path }).decision, "deny", path);
  }
  for (const path of ["/home/u/p/.GIT/hooks/x", "/home/u/p/.g\u200dit/hooks/x", "/home/u/p/.gıt/hooks/x"]) {
    assertEquals(decide(policy, { kind: "write", path }).decision, "deny", path);
  }
  assertEquals(decide(policy, { kind: "write", path: "/home/u/p/.gitx/hooks/x" }).decision, "allow");
});
