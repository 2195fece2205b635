/** What is different on Windows, against a host in memory that has drives, a share, and names without case. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  type ByteSource,
  type DirEntry,
  type FileStat,
  HostError,
  type HostFile,
  type HostFs,
  type OpenOptions,
  type ShellHost,
  type SpawnRequest,
} from "../../src/shell/host.ts";
import { createShell } from "../../src/shell/mod.ts";

type Node = { kind: "dir" } | { kind: "file"; bytes: Uint8Array };

/** A disk without case: the keys are paths in lower case. */
class Disk {
  readonly nodes = new Map<string, Node & { name: string }>();

  constructor(files: Readonly<Record<string, string>>) {
    for (const [path, text] of Object.entries(files)) this.put(path, new TextEncoder().encode(text));
  }

  put(path: string, bytes: Uint8Array): void {
    this.folders(parent(path));
    this.nodes.set(path.toLowerCase(), { kind: "file", bytes, name: leaf(path) });
  }

  folders(path: string): void {
    for (let at = path; at !== "" && !this.nodes.has(at.toLowerCase()); at = parent(at)) {
      this.nodes.set(at.toLowerCase(), { kind: "dir", name: leaf(at) });
    }
  }

  get(path: string): Node {
    if (path.includes("\\")) throw new Error(`a path of a host has slashes: ${path}`);
    const node = this.nodes.get(path.replace(/\/+\.?$/, "").replace(/\/\.(?=\/)/g, "").toLowerCase());
    if (!node) throw new HostError("ENOENT", path);
    return node;
  }

  list(path: string): DirEntry[] {
    this.get(path);
    const folder = path.replace(/\/+$/, "").toLowerCase();
    return [...this.nodes].filter(([key]) => key !== folder && parent(key) === folder)
      .map(([, node]) => ({ name: node.name, kind: node.kind }));
  }
}

function parent(path: string): string {
  const cut = path.lastIndexOf("/");
  return cut <= 1 ? "" : path.slice(0, cut);
}

function leaf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function statOf(node: Node): FileStat {
  const size = node.kind === "file" ? node.bytes.length : 0;
  const zero = { uid: 0, gid: 0, dev: 1, ino: 0, nlink: 1, rdev: 0, atimeMs: 0, mtimeMs: 0, ctimeMs: 0 };
  return { ...zero, kind: node.kind, size, mode: node.kind === "dir" ? 0o755 : 0o644, blocks: 0 };
}

function openOn(disk: Disk, path: string, options: OpenOptions): HostFile {
  if (options.create && !disk.nodes.has(path.toLowerCase())) disk.put(path, new Uint8Array(0));
  const node = disk.get(path);
  if (node.kind === "dir") throw new HostError("EISDIR", path);
  if (options.truncate) node.bytes = new Uint8Array(0);
  let at = options.append ? node.bytes.length : 0;
  return {
    terminal: false,
    read(into) {
      const part = node.bytes.subarray(at, at + into.length);
      into.set(part);
      at += part.length;
      return part.length;
    },
    write(bytes) {
      const grown = new Uint8Array(Math.max(node.bytes.length, at + bytes.length));
      grown.set(node.bytes);
      grown.set(bytes, at);
      node.bytes = grown;
      at += bytes.length;
    },
    seek: (offset, from) =>
      at = offset + (from === "start" ? 0 : from === "current" ? at : node.bytes.length),
    truncate: (length) => void (node.bytes = node.bytes.slice(0, length)),
    stat: () => statOf(node),
    close() {},
  };
}

function fsOf(disk: Disk): HostFs {
  const not = (): never => {
    throw new HostError("ENOTSUP");
  };
  return {
    stat: (path) => statOf(disk.get(path)),
    lstat: (path) => statOf(disk.get(path)),
    readLink: not,
    realPath: (path) => (disk.get(path), path),
    readDir: (path) => disk.list(path),
    open: (path, options) => openOn(disk, path, options),
    mkdir: (path) => disk.folders(path),
    unlink: (path) => void (disk.get(path), disk.nodes.delete(path.toLowerCase())),
    rmdir: not,
    rename: not,
    link: not,
    symlink: not,
    chmod() {},
    chown: not,
    utime() {},
    truncate: not,
    access: (path, mode) =>
      disk.get(path).kind === "dir" || mode !== "x" || /\.(exe|com|cmd|bat)$/i.test(path),
  };
}

interface Machine {
  readonly disk: Disk;
  readonly started: SpawnRequest[];
  /** Runs a script; what it printed on both outputs. */
  sh(script: string): Promise<string>;
}

const FILES = {
  "C:/Windows/System32/find.exe": "MZ",
  "C:/Windows/System32/sort.exe": "MZ",
  "C:/Windows/System32/bash.exe": "MZ",
  "C:/Windows/System32/ipconfig.exe": "MZ",
  "C:/Program Files/nodejs/node.exe": "MZ",
  "C:/Program Files/nodejs/npm.cmd": "@echo off\r\n",
  "C:/work/b.txt": "two\r\none\r\n",
  "C:/work/sub/tool.exe": "MZ",
  "D:/data/note.txt": "on D\n",
  "//server/share/dir/far.txt": "far away\n",
};

async function onWindows(
  body: (machine: Machine) => Promise<void>,
  env: Record<string, string> = {},
): Promise<void> {
  const disk = new Disk(FILES);
  const started: SpawnRequest[] = [];
  let printed = "";
  const sink = {
    write: (bytes: Uint8Array) => void (printed += new TextDecoder().decode(bytes)),
    close() {},
  };
  const ended: ByteSource = { read: () => 0, close() {} };
  const host: ShellHost = {
    platform: "windows",
    fs: fsOf(disk),
    spawn(request) {
      started.push(request);
      return {
        pid: 77,
        ...(request.stdout.kind === "pipe" ? { stdout: ended } : {}),
        ...(request.stderr.kind === "pipe" ? { stderr: ended } : {}),
        ended: Promise.resolve({ code: 0 }),
        kill() {},
      };
    },
    now: () => 0,
    cpuTimes: () => [0, 0],
    // Nothing here takes time: who waits for something else stops waiting when that is there.
    sleep: (_ms, signal) => new Promise((resolve) => signal?.addEventListener("abort", () => resolve())),
    random: (into) => void into.fill(7),
    user: { uid: 0, gid: 0, name: "me", groups: [] },
    hostname: "box",
    system: { sysname: "Windows_NT", release: "10", version: "#1", machine: "x86_64" },
    processors: 1,
    pid: 1,
    ppid: 0,
    tempDir: "C:/temp",
    cancelled: () => false,
  };
  const shell = createShell({
    host,
    cwd: "C:/work",
    env: {
      Path: "C:\\Windows\\System32;C:\\Program Files\\nodejs",
      PATHEXT: ".COM;.EXE;.BAT;.CMD",
      USERPROFILE: "C:\\Users\\me",
      ...env,
    },
    stdout: sink,
    stderr: sink,
  });
  try {
    await body({
      disk,
      started,
      async sh(script) {
        printed = "";
        await shell.run(script);
        return printed;
      },
    });
  } finally {
    shell.close();
  }
}

Deno.test("windows: drives are reached as C:/, C:\\ and /c/, and cd stays on them", () =>
  onWindows(async ({ sh }) => {
    assertEquals(
      await sh("cat D:/data/note.txt 'D:\\data\\note.txt' /d/data/note.txt < /dev/null"),
      "on D\n".repeat(3),
    );
    assertEquals(await sh("cat < /d/data/note.txt; cat < 'd:\\data\\note.txt'"), "on D\non D\n");
    assertEquals(
      await sh("cd /d/data; pwd; cat note.txt; cd ../..; pwd; cd 'C:\\work\\sub'; pwd; cd ..; pwd"),
      "D:/data\non D\nD:/\nC:/work/sub\nC:/work\n",
    );
    assertEquals(await sh("cd 'sub\\..'; pwd; [ -f 'sub\\tool.exe' ] && echo there"), "C:/work\nthere\n");
  }));

Deno.test("windows: a share of the network is reached with slashes of both kinds, and .. does not leave it", () =>
  onWindows(async ({ sh }) => {
    assertEquals(
      await sh("cat //server/share/dir/far.txt '\\\\server\\share\\dir\\far.txt'"),
      "far away\n".repeat(2),
    );
    assertEquals(
      await sh("cd //server/share/dir; pwd; cat far.txt; cd ..; pwd; cat dir/far.txt; cd ../../..; pwd"),
      "//server/share/dir\nfar away\n//server/share\nfar away\n//server/share\n",
    );
  }));

Deno.test("windows: patterns find names on drives", () =>
  onWindows(async ({ sh }) => {
    assertEquals(
      await sh("echo *.txt D:/data/*.txt /d/data/n*"),
      "b.txt D:/data/note.txt /d/data/note.txt\n",
    );
  }));

Deno.test("windows: programs are found by Path and PATHEXT, .exe before .cmd, and get a Path of theirs", () =>
  onWindows(async ({ sh, started }) => {
    assertEquals(
      await sh("node a; npm run x; ipconfig; sub/tool; 'sub\\tool.exe' y; C:/work/sub/tool z"),
      "",
    );
    assertEquals(started.map((one) => one.program), [
      "C:/Program Files/nodejs/node.exe",
      "C:/Program Files/nodejs/npm.cmd",
      "C:/Windows/System32/ipconfig.exe",
      "C:/work/sub/tool.exe",
      "C:/work/sub/tool.exe",
      "C:/work/sub/tool.exe",
    ]);
    assertEquals(started[0].argv.slice(1), ["a"]);
    assertEquals(started[0].env.PATH, "C:\\Windows\\System32;C:\\Program Files\\nodejs");
    assertEquals(started[0].env.Path, undefined);
    assertStringIncludes(await sh("nothing-here"), "nothing-here: command not found");
  }));

Deno.test("windows: a path that mixes both ways of writing still finds programs", () =>
  onWindows(async ({ sh, started }) => {
    await sh('PATH="/c/work/sub:$PATH"; tool 1; node 2');
    assertEquals(started.map((one) => one.program), [
      "C:/work/sub/tool.exe",
      "C:/Program Files/nodejs/node.exe",
    ]);
    assertEquals(started[0].env.PATH, "C:\\work\\sub;C:\\Windows\\System32;C:\\Program Files\\nodejs");
  }));

Deno.test("windows: find, sort and bash are this shell's own, not the system's programs of those names", () =>
  onWindows(async ({ sh, started }) => {
    assertEquals(
      await sh("find sub -name 't*'; printf 'b\\na\\n' | sort; bash -c 'echo in $0' x; sort.exe < /dev/null"),
      "sub/tool.exe\na\nb\nin x\n",
    );
    assertEquals(started, []);
  }));

Deno.test("windows: scripts with CRLF run: loops, here-documents, sourced files and files with a #! line", () =>
  onWindows(async ({ sh, disk }) => {
    const script =
      '#!/bin/bash\r\nfor x in a b; do\r\n  echo "$x"\r\ndone\r\ncat <<END\r\nhere $1\r\nEND\r\nif true; then\r\n  echo yes\r\nfi\r\n';
    const encoder = new TextEncoder();
    disk.put("C:/work/s.sh", encoder.encode(script));
    disk.put("C:/work/lib.sh", encoder.encode("f() {\r\n  echo f\r\n}\r\nV=val\r\n"));
    assertEquals(await sh("bash s.sh arg"), "a\nb\nhere arg\nyes\n");
    assertEquals(await sh('. ./lib.sh; f; echo "[$V]"'), "f\n[val]\n");
    assertEquals(await sh("echo one\r\necho two\r\n"), "one\ntwo\n");
  }));

Deno.test("windows: nul is the empty device in any case, and no file of that name is made", () =>
  onWindows(async ({ sh, disk }) => {
    assertEquals(
      await sh("echo x > nul; echo y 2> NUL >> Nul; cat nul < NUL; ls nope 2> nul; echo z > /dev/null"),
      "",
    );
    assertEquals([...disk.nodes.keys()].filter((path) => /\/nul$/.test(path)), []);
  }));

Deno.test("windows: HOME comes from USERPROFILE where there is none", async () => {
  await onWindows(async ({ sh }) => assertEquals(await sh("echo $HOME ~/x"), "C:/Users/me C:/Users/me/x\n"));
  await onWindows(async ({ sh }) => assertEquals(await sh("echo $HOME"), "D:/home\n"), { HOME: "D:/home" });
});

Deno.test("windows: files are written through every form of their path", () =>
  onWindows(async ({ sh, disk }) => {
    await sh(
      "echo a > /c/work/new.txt; echo b >> 'C:\\work\\new.txt'; echo c | tee -a c:/work/new.txt > nul",
    );
    const node = disk.get("C:/work/new.txt");
    assertEquals(node.kind === "file" && new TextDecoder().decode(node.bytes), "a\nb\nc\n");
  }));
