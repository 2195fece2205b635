import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { bubblewrap, bubblewrapArguments } from "../../src/sandbox/os/bubblewrap.ts";
import { seatbelt, seatbeltProfile } from "../../src/sandbox/os/seatbelt.ts";
import { socketPaths } from "../../src/sandbox/os/sockets.ts";
import type { Policy } from "../../src/sandbox/policy.ts";

const policy: Policy = {
  mode: "workspace",
  workspace: "/home/u/ws",
  readRoots: ["/tmp/shared"],
  writeRoots: ["/data"],
  tempDir: "/tmp/myelin-1",
  home: "/home/u",
  protectedPaths: ["**/.git/hooks", "**/.git/modules/*/hooks", "/home/u/.bashrc"],
  hiddenPaths: ["/home/u/.ssh", "/home/u/.netrc", "/home/u/.aws"],
  net: [],
  exec: "auto",
  approve: "never",
  rules: { allow: [], ask: [], deny: [] },
};

const there: Record<string, "dir" | "file"> = {
  "/run": "dir",
  "/home/u/.ssh": "dir",
  "/home/u/.netrc": "file",
  "/home/u/ws/.git": "dir",
  "/home/u/ws/.git/hooks": "dir",
};

function mounts(changes: Partial<Policy> = {}): string[] {
  const args = bubblewrapArguments({ ...policy, ...changes }, "/home/u/ws", (path) => there[path], false);
  const out: string[] = [];
  for (let i = 0; i < args.length; i++) {
    if (/bind|tmpfs/.test(args[i])) out.push(args.slice(i, i + (args[i].endsWith("bind") ? 3 : 2)).join(" "));
  }
  return out;
}

Deno.test("bubblewrapArguments() mounts in the order in which later covers earlier", () => {
  assertEquals(mounts(), [
    "--ro-bind / /",
    "--tmpfs /run",
    "--bind /tmp/myelin-1 /tmp",
    "--ro-bind /tmp/shared /tmp/shared",
    "--bind /home/u/ws /home/u/ws",
    "--bind /data /data",
    "--bind /tmp/myelin-1 /tmp/myelin-1",
    "--bind /home/u/ws/.git /home/u/ws/.git",
    "--ro-bind /home/u/ws/.git/hooks /home/u/ws/.git/hooks",
    "--tmpfs /home/u/.ssh",
    "--ro-bind /dev/null /home/u/.netrc",
  ]);
});

Deno.test("bubblewrapArguments() heeds rules that name a place", () => {
  const rules = {
    allow: ["read(~/.ssh/config)", "write(~/out/**)", "write(./x*)", "read(/none)"],
    ask: [],
    deny: ["read(**/.env)", "write(./fixed/**)"],
  };
  const places: Record<string, "dir" | "file"> = {
    "/home/u/.ssh": "dir",
    "/home/u/.ssh/config": "file",
    "/home/u/out": "dir",
    "/home/u/ws/.env": "file",
    "/home/u/ws/fixed": "dir",
  };
  const args = bubblewrapArguments({ ...policy, rules }, "/", (path) => places[path], false).join(" ");
  assertStringIncludes(
    args,
    "--bind /home/u/out /home/u/out --bind /tmp/myelin-1 /tmp/myelin-1 --ro-bind /home/u/ws/fixed /home/u/ws/fixed " +
      "--tmpfs /home/u/.ssh --ro-bind /dev/null /home/u/ws/.env --ro-bind /home/u/.ssh/config /home/u/.ssh/config " +
      "--remount-ro /home/u/.ssh --chdir",
  );
});

Deno.test("bubblewrapArguments(): no rule for a folder around a hidden place shows it", () => {
  const rules = { allow: ["read(~/**)", "write(~/**)"], ask: [], deny: [] };
  const got = mounts({ rules });
  assert(got.indexOf("--bind /home/u /home/u") < got.indexOf("--tmpfs /home/u/.ssh"), got.join("\n"));
  assert(!got.includes("--ro-bind /home/u /home/u"));
});

Deno.test("bubblewrapArguments() protects before it hides: a protected folder shows nothing hidden in it", () => {
  const args = bubblewrapArguments(
    {
      ...policy,
      workspace: "/home/u",
      protectedPaths: ["/home/u/.config/git"],
      hiddenPaths: ["/home/u/.config/git/credentials"],
    },
    "/",
    (path) => path === "/home/u/.config/git" ? "dir" : path.endsWith("credentials") ? "file" : undefined,
    false,
  ).join(" ");
  assertStringIncludes(
    args,
    "--ro-bind /home/u/.config/git /home/u/.config/git --ro-bind /dev/null /home/u/.config/git/credentials",
  );
});

Deno.test("bubblewrapArguments() with the whole disk as workspace keeps its own processes, devices and /run", () => {
  for (const mode of ["workspace", "read-only"] as const) {
    const got = mounts({ mode, workspace: "/", readRoots: ["/proc"], writeRoots: ["/dev", "/proc/1"] });
    assertEquals(got[0], mode === "workspace" ? "--bind / /" : "--ro-bind / /");
    assertEquals(got.slice(1).filter((mount) => / (\/|\/proc.*|\/dev)$/.test(mount)), []);
    assert(got.includes("--tmpfs /run"));
  }
});

Deno.test("bubblewrapArguments() hides and protects where links lead, and shows nothing through a link of the workspace", () => {
  const links: Record<string, string> = {
    "/home/u/.ssh": "/mnt/keys",
    "/home/u/ws/.vscode": "/run",
    "/home/u/ws/.git/hooks": "/home/u/ws/hooks",
    "/home/u/ws/notes": "/run/secret",
  };
  const rules = { allow: ["read(./notes)", "write(./notes)"], ask: [], deny: [] };
  const args = bubblewrapArguments(
    { ...policy, rules },
    "/",
    (path) => path in links || path === "/mnt/keys" || path.endsWith("/.git") ? "dir" : undefined,
    false,
    (path) => links[path] ?? path,
  ).join(" ");
  assertStringIncludes(args, "--tmpfs /mnt/keys");
  assertStringIncludes(args, "--ro-bind /home/u/ws/hooks /home/u/ws/hooks");
  for (const never of ["/home/u/.ssh", ".vscode", "/run", "notes"]) {
    assert(!args.includes(never), `${never}: ${args}`);
  }
});

Deno.test("bubblewrapArguments() protects what the file tools protect", () => {
  const got = bubblewrapArguments(policy, "/", (path) => path.includes("/ws/.") ? "file" : undefined, false)
    .join(" ");
  for (const name of [".git/commondir", ".git/info/attributes", ".git/modules", ".git/worktrees", ".envrc"]) {
    assertStringIncludes(got, `--ro-bind /home/u/ws/${name} /home/u/ws/${name}`);
  }
});

Deno.test("bubblewrapArguments() covers the sockets of other programs that nothing else hides", () => {
  const sockets = [
    "/var/snap/lxd/unix.socket",
    "/run/docker.sock",
    "/tmp/x/agent",
    "/home/u/.ssh/control",
    "/home/u/ws/db.sock",
    "/data/db.sock",
    "/tmp/shared/s",
    "/gone",
    "/opt/wanted.sock",
  ];
  const all = bubblewrapArguments(
    { ...policy, rules: { ...policy.rules, allow: ["write(/opt/wanted.sock)"] } },
    "/",
    (path) => path === "/gone" ? undefined : there[path] ?? (sockets.includes(path) ? "file" : undefined),
    false,
    (path) => path,
    [],
    sockets,
  ).join(" ");
  const covered = sockets.filter((path) => all.includes(`--ro-bind /dev/null ${path} `));
  assertEquals(covered, ["/var/snap/lxd/unix.socket", "/tmp/shared/s"]);
});

Deno.test("socketPaths() reads the names of files out of what the kernel tells", () => {
  const text = [
    "Num       RefCount Protocol Flags    Type St Inode Path",
    "00000000a7c61a96: 00000003 00000000 00000000 0001 03 8815511",
    "000000005aba20ec: 00000003 00000000 00000000 0001 03   109 @abstract",
    "000000004854584a: 00000002 00000000 00010000 0001 01   162 /srv/a socket",
    "000000004854584b: 00000003 00000000 00000000 0001 03 18162 /srv/a socket",
    "000000004854584c: 00000003 00000000 00000000 0002 01 18163 relative/one",
    "000000004854584d: 00000003 00000000 00000000 0002 01 18164 /srv/log",
    "",
  ].join("\n");
  assertEquals(socketPaths(text), ["/srv/a socket", "/srv/log"]);
});

Deno.test("bubblewrapArguments() in read-only mode makes only the temporary folder writable", () => {
  assertEquals(mounts({ mode: "read-only" }).filter((mount) => mount.startsWith("--bind")), [
    "--bind /tmp/myelin-1 /tmp",
    "--bind /tmp/myelin-1 /tmp/myelin-1",
  ]);
});

Deno.test("bubblewrapArguments() cuts the network off unless every host is allowed", () => {
  const args = (net: string[], root = false) =>
    bubblewrapArguments({ ...policy, net }, "/", () => undefined, root);
  assert(args([]).includes("--unshare-net"));
  assert(args(["example.org"]).includes("--unshare-net"));
  assert(!args(["*"]).includes("--unshare-net"));
  for (const wanted of ["--unshare-pid", "--unshare-ipc", "--die-with-parent", "--new-session"]) {
    assert(args([]).includes(wanted));
  }
  assert(args([], true).includes("--cap-drop"));
  assert(!args([], true).includes("CAP_DAC_READ_SEARCH"));
  assert(!args([], true).includes("CAP_SYS_ADMIN"));
});

Deno.test("wrappers start with nothing of a command's environment that means anything to them, and show none of it", async () => {
  const env = { LD_PRELOAD: "./x.so", GCONV_PATH: ".", PATH: "/ws/bin", A: "b c", "": "none", "x=y": "z" };
  const command = { program: "/bin/pro=gram", argv: ["pro=gram", "one"], cwd: "/home/u/ws", env };
  const bwrap = bubblewrap("/usr/bin/bwrap", () => undefined, false, undefined);
  for (const wrapper of [bwrap, seatbelt("/usr/bin/sandbox-exec")]) {
    const wrapped = await wrapper.wrap(command, policy);
    assertEquals(Object.keys(wrapped.env).filter((name) => !name.startsWith("myelin_")), ["PATH"]);
    assert(!wrapped.env.PATH.includes("ws"));
    assertEquals(wrapped.argv.slice(-2), ["/bin/pro=gram", "one"]);
    for (const value of ["x.so", "/ws/bin", "b c", "none"]) {
      assert(!wrapped.argv.join("|").includes(value), value);
    }
  }
});

Deno.test("seatbeltProfile() says the same for macOS", () => {
  assertEquals(
    seatbeltProfile(policy),
    `(version 1)
(allow default)
(deny file-write*)
(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/dtracehelper") (regex #"^/dev/fd/"))
(allow file-write* (subpath "/home/u/ws"))
(allow file-write* (subpath "/tmp/myelin-1"))
(allow file-write* (subpath "/data"))
(deny file-write* (regex #"/\\.git/hooks(/|$)"))
(deny file-write* (regex #"/\\.git/modules/[^/]*/hooks(/|$)"))
(deny file-write* (subpath "/home/u/.bashrc"))
(deny file-read* file-write* (subpath "/home/u/.ssh"))
(deny file-read* file-write* (subpath "/home/u/.netrc"))
(deny file-read* file-write* (subpath "/home/u/.aws"))
(deny appleevent-send)
(deny mach-lookup (global-name "com.apple.securityd.xpc") (global-name "com.apple.SecurityServer"))
(deny process-info* (target others))
(deny signal (target others))
(allow signal (target same-sandbox))
(deny network*)
(allow network* (local ip "localhost:*") (remote ip "localhost:*"))
`,
  );
  assertStringIncludes(seatbeltProfile({ ...policy, workspace: '/a "b"' }), '(subpath "/a \\"b\\"")');
  assert(!seatbeltProfile({ ...policy, net: ["*"] }).includes("(deny network*)"));
  assert(
    !seatbeltProfile({ ...policy, mode: "read-only" }).includes('(allow file-write* (subpath "/home/u/ws"))'),
  );
});
