import { assert, assertEquals, assertThrows } from "@std/assert";
import { createPathGuard, type PathGuard } from "../../src/sandbox/guard_paths.ts";
import { createGuardedFs, type GuardedFs } from "../../src/sandbox/host_guarded.ts";
import { realFs } from "../../src/sandbox/host_real.ts";
import { preparePolicy, removeTemp } from "../../src/sandbox/os/mod.ts";
import type { PolicySettings } from "../../src/sandbox/os/mod.ts";
import type { Policy } from "../../src/sandbox/policy.ts";
import { HostError, type HostFile } from "../../src/shell/host.ts";

interface Place {
  readonly root: string;
  readonly ws: string;
  readonly policy: Policy;
  readonly guard: PathGuard;
  readonly fs: GuardedFs;
  /** Questions that were asked, and the answer that all get. */
  readonly asked: string[];
  answer: string | undefined;
  running: boolean;
}

async function withPlace(
  settings: Partial<PolicySettings>,
  work: (place: Place) => void | Promise<void>,
): Promise<void> {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "guard-test-" }));
  const ws = `${root}/ws`;
  for (const folder of [ws, `${ws}/src`, `${ws}/src/deep`, `${root}/outside`, `${root}/home`]) {
    Deno.mkdirSync(folder);
  }
  Deno.writeTextFileSync(`${root}/outside/secret.txt`, "secret");
  Deno.writeTextFileSync(`${ws}/src/x.c`, "int x;");
  const policy = preparePolicy({
    mode: "workspace",
    workspace: ws,
    approve: "never",
    home: `${root}/home`,
    ownFolder: `${root}/home/.myelin`,
    ...settings,
  });
  const place: Place = {
    root,
    ws,
    policy,
    guard: createPathGuard({ fs: realFs, policy, mayRemember: () => !place.running }),
    asked: [],
    answer: undefined,
    running: false,
    fs: createGuardedFs({
      fs: realFs,
      policy,
      windows: false,
      programFolders: ["/usr/bin"],
      programsRun: () => place.running,
      generation: () => 0,
      permit: (action) => {
        place.asked.push(JSON.stringify(action));
        return Promise.resolve(place.answer);
      },
      permitStill: (action) => {
        place.asked.push(JSON.stringify(action));
        return place.answer;
      },
      symlink: (target, path) => Promise.resolve(Deno.symlinkSync(target, path)),
    }),
  };
  try {
    await work(place);
  } finally {
    removeTemp(policy);
    Deno.removeSync(root, { recursive: true });
  }
}

function codeOf(work: () => unknown): string {
  return assertThrows(work, HostError).code;
}

Deno.test("resolve() follows every component to where the system would end", () =>
  withPlace({}, ({ guard, ws, root }) => {
    Deno.symlinkSync("src", `${ws}/inner`);
    Deno.symlinkSync("../outside", `${ws}/out`);
    Deno.symlinkSync("out", `${ws}/chain`);
    Deno.symlinkSync("../outside/new.txt", `${ws}/dangling`);
    Deno.symlinkSync("deep/../../src/new.c", `${ws}/src/crooked`);
    Deno.symlinkSync(`${root}/outside/secret.txt`, `${ws}/absolute`);
    Deno.symlinkSync("/", `${ws}/slash`);
    const table: [string, string][] = [
      ["src/x.c", "ws/src/x.c"],
      ["inner/x.c", "ws/src/x.c"],
      ["inner/missing/deep.c", "ws/src/missing/deep.c"],
      ["inner/deep/../x.c", "ws/src/x.c"],
      ["./src//x.c", "ws/src/x.c"],
      ["src/../../ws/src/x.c", "ws/src/x.c"],
      ["out/secret.txt", "outside/secret.txt"],
      ["chain/secret.txt", "outside/secret.txt"],
      ["out/../ws/src/x.c", "outside"],
      ["dangling", "outside/new.txt"],
      ["src/crooked", "ws/src/new.c"],
      ["absolute", "outside/secret.txt"],
      ["..", ""],
      [".", "ws"],
      ["src/", "ws/src"],
      ["inner/", "ws/src"],
    ];
    for (const [path, wanted] of table) {
      assertEquals(guard.resolve(`${ws}/${path}`, true), `${root}/${wanted}`.replace(/\/$/, ""), path);
    }
    assertEquals(guard.resolve(`${ws}/slash/etc/passwd`, true), "/etc/passwd");
    assertEquals(guard.resolve("/proc/self/environ", true), "/proc/self/environ");
    assertEquals(guard.resolve(`${ws}/out`, false), `${ws}/out`);
    assertEquals(guard.resolve(`${ws}/chain/x`, false), `${root}/outside/x`);
  }));

Deno.test("resolve() names loops, files that are no folders, folders that are not there", () =>
  withPlace({}, ({ guard, ws }) => {
    Deno.symlinkSync("b", `${ws}/a`);
    Deno.symlinkSync("a", `${ws}/b`);
    assertEquals(codeOf(() => guard.resolve(`${ws}/a`, true)), "ELOOP");
    assertEquals(codeOf(() => guard.resolve(`${ws}/a/x`, true)), "ELOOP");
    assertEquals(codeOf(() => guard.resolve(`${ws}/src/x.c/y`, true)), "ENOTDIR");
    assertEquals(codeOf(() => guard.resolve(`${ws}/none/../src`, true)), "ENOENT");
  }));

Deno.test("resolve() takes a root by the name it was given", async () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  Deno.mkdirSync(`${root}/real`);
  Deno.symlinkSync("real", `${root}/named`);
  await withPlace({ workspace: `${root}/named` }, ({ guard, policy }) => {
    assertEquals(policy.workspace, `${root}/real`);
    assertEquals(guard.resolve(`${root}/named/a/b`, true), `${root}/real/a/b`);
  });
  Deno.removeSync(root, { recursive: true });
});

Deno.test("resolve() keeps /tmp private: what is made there is the session's, what others have there is outside", () =>
  withPlace({}, ({ guard, fs, policy, root }) => {
    const name = `guard-${crypto.randomUUID()}`;
    assertEquals(guard.resolve(`/tmp/${name}`, true, true), `${policy.tempDir}/${name}`);
    assertEquals(codeOf(() => guard.resolve(`/tmp/${name}`, true)), "ENOENT");
    assertEquals(guard.resolve(`${root}/outside/secret.txt`, true), `${root}/outside/secret.txt`);
    fs.mkdir(`/tmp/${name}`, 0o755);
    assertEquals(guard.resolve(`/tmp/${name}/x`, true), `${policy.tempDir}/${name}/x`);
    // What a wrapper has made below the private folder for a workspace in /tmp changes nothing.
    if (root.startsWith("/tmp/")) {
      Deno.mkdirSync(`${policy.tempDir}${root.slice(4)}/ws`, { recursive: true });
      assertEquals(guard.resolve(`${root}/outside/secret.txt`, true), `${root}/outside/secret.txt`);
    }
    assertThrows(() => Deno.lstatSync(`/tmp/${name}`), Deno.errors.NotFound);
  }));

Deno.test("guarded files: every operation is refused where a link leads out, and works where it stays", () =>
  withPlace({}, async ({ fs, ws, root }) => {
    Deno.symlinkSync("../outside", `${ws}/out`);
    Deno.symlinkSync("../outside/secret.txt", `${ws}/file`);
    Deno.symlinkSync("src", `${ws}/in`);
    const refused: Record<string, () => unknown> = {
      stat: () => fs.stat(`${ws}/file`),
      realPath: () => fs.realPath(`${ws}/file`),
      readDir: () => fs.readDir(`${ws}/out`),
      readLink: () => fs.readLink(`${root}/outside/x`),
      open: () => fs.open(`${ws}/file`, { read: true }),
      truncate: () => fs.truncate(`${ws}/file`, 0),
      create: () => fs.open(`${ws}/out/new`, { write: true, create: true }),
      exclusive: () => fs.open(`${ws}/out/new`, { write: true, create: true, exclusive: true }),
      mkdir: () => fs.mkdir(`${ws}/out/dir`, 0o755),
      unlink: () => fs.unlink(`${ws}/out/secret.txt`),
      rmdir: () => fs.rmdir(`${ws}/out/dir`),
      renameTo: () => fs.rename(`${ws}/src/x.c`, `${ws}/out/x.c`),
      renameFrom: () => fs.rename(`${ws}/out/secret.txt`, `${ws}/stolen`),
      linkFrom: () => fs.link(`${ws}/out/secret.txt`, `${ws}/stolen`),
      linkTo: () => fs.link(`${ws}/src/x.c`, `${ws}/out/x`),
      chmod: () => fs.chmod(`${ws}/file`, 0o777),
      chown: () => fs.chown(`${ws}/file`, 1, 1),
      utime: () => fs.utime(`${ws}/file`, 0, 0),
      access: () => fs.access(`${ws}/file`, "r"),
    };
    for (const [name, work] of Object.entries(refused)) assertEquals(codeOf(work), "EDENIED", name);
    assertEquals([...Deno.readDirSync(`${root}/outside`)].map((entry) => entry.name), ["secret.txt"]);
    assertEquals(Deno.readTextFileSync(`${root}/outside/secret.txt`), "secret");

    const file = await fs.open(`${ws}/in/made.txt`, { write: true, create: true });
    await file.write(new TextEncoder().encode("made"));
    file.close();
    assertEquals(Deno.readTextFileSync(`${ws}/src/made.txt`), "made");
    assertEquals(fs.lstat(`${ws}/out`).kind, "symlink");
    assertEquals(fs.readLink(`${ws}/out`), "../outside");
    fs.unlink(`${ws}/file`);
    assertEquals(Deno.readTextFileSync(`${root}/outside/secret.txt`), "secret");
    await fs.rename(`${ws}/src/made.txt`, `${ws}/src/moved.txt`);
    fs.mkdir(`${ws}/new/`, 0o755);
    fs.rmdir(`${ws}/new`);
  }));

Deno.test("resolve() asks for few whole ways in a deep tree, and for a new one where a folder was removed", () =>
  withPlace({}, ({ policy, ws, root }) => {
    let ways = 0;
    const realPath = (path: string) => {
      ways++;
      return realFs.realPath(path);
    };
    const guard = createPathGuard({ fs: { ...realFs, realPath }, policy, mayRemember: () => true });
    const levels = Array.from({ length: 200 }, (_, i) => ws + "/d".repeat(i + 1));
    for (const path of levels) {
      assertEquals(guard.resolve(path, false, true), path);
      Deno.mkdirSync(path);
    }
    for (const path of levels.toReversed()) {
      assertEquals(guard.resolve(path, false), path);
      Deno.removeSync(path);
      guard.forget(path);
    }
    assert(ways < 10, `${ways} ways`);
    Deno.symlinkSync(`${root}/outside`, levels[0]);
    assertEquals(guard.resolve(`${levels[0]}/secret.txt`, false), `${root}/outside/secret.txt`);
  }));

Deno.test("guarded files: a link is made only where it does not lead out", () =>
  withPlace({}, async ({ fs, ws, root }) => {
    for (const target of ["../outside", `${root}/outside/new`, "/etc/passwd", "src/../../outside"]) {
      const error = await Promise.resolve(fs.symlink(target, `${ws}/l`)).catch((error) => error);
      assert(error instanceof HostError && error.code === "EDENIED", target);
    }
    await fs.symlink("src/x.c", `${ws}/good`);
    await fs.symlink("not-yet", `${ws}/later`);
    await fs.symlink("/dev/null", `${ws}/nowhere`);
    assertEquals(Deno.readTextFileSync(`${ws}/good`), "int x;");
    const file = await fs.open(`${ws}/nowhere`, { write: true }) as HostFile;
    await file.write(new Uint8Array(10));
    file.close();
  }));

Deno.test("guarded files: a hard link or a move is no way to a protected place", () =>
  withPlace({}, async ({ fs, ws }) => {
    Deno.mkdirSync(`${ws}/.git/hooks`, { recursive: true });
    Deno.writeTextFileSync(`${ws}/.git/config`, "[core]");
    Deno.mkdirSync(`${ws}/fake/hooks`, { recursive: true });
    assertEquals(codeOf(() => fs.link(`${ws}/.git/config`, `${ws}/c`)), "EDENIED");
    assertEquals(codeOf(() => fs.rename(`${ws}/.git`, `${ws}/g`)), "EDENIED");
    Deno.renameSync(`${ws}/.git`, `${ws}/away`);
    assertEquals(codeOf(() => fs.rename(`${ws}/fake`, `${ws}/.git`)), "EDENIED");
    const error = await Promise.resolve(fs.symlink("fake", `${ws}/.git`)).catch((error) => error);
    assertEquals(error.code, "EDENIED");
  }));

Deno.test({
  name: "guarded files: named pipes and devices are not opened, harmless devices are there",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withPlace({}, async ({ fs, ws }) => {
      new Deno.Command("mkfifo", { args: [`${ws}/pipe`] }).outputSync();
      assertEquals(codeOf(() => fs.open(`${ws}/pipe`, { read: true })), "ENXIO");
      assertEquals(codeOf(() => fs.open("/dev/tty", { read: true })), "ENXIO");
      assertEquals(codeOf(() => fs.open("/dev/mem", { read: true })), "EDENIED");
      const zero = await fs.open("/dev/zero", { read: true });
      assertEquals(await zero.read(new Uint8Array(5)), 5);
      const nothing = await fs.open("/dev/null", { read: true });
      assertEquals(await nothing.read(new Uint8Array(5)), 0);
      const full = await fs.open("/dev/full", { write: true });
      assertEquals(codeOf(() => full.write(new Uint8Array(1))), "ENOSPC");
    }),
});

Deno.test("guarded files: programs may be looked up, not read", () =>
  withPlace({}, ({ fs }) => {
    assertEquals(fs.stat("/usr/bin/env").kind, "file");
    assert(fs.access("/usr/bin/env", "x"));
    assertEquals(codeOf(() => fs.open("/usr/bin/env", { read: true })), "EDENIED");
    assertEquals(codeOf(() => fs.readDir("/usr/bin")), "EDENIED");
    assertEquals(codeOf(() => fs.stat("/usr/lib/os-release")), "EDENIED");
  }));

Deno.test("guarded files: the folders around the workspace are there, and not to be looked into", () =>
  withPlace({}, ({ fs, root, ws }) => {
    for (const path of [root, "/", `${ws}/..`, `${ws}/../..`]) {
      assertEquals([fs.stat(path).kind, fs.lstat(path).kind, fs.access(path, "x"), fs.access(path, "r")], [
        "dir",
        "dir",
        true,
        false,
      ]);
      assertEquals(codeOf(() => fs.readDir(path)), "EDENIED");
    }
    assertEquals(codeOf(() => fs.stat(`${root}/outside`)), "EDENIED");
    assertEquals(codeOf(() => fs.stat(`${root}/nothing`)), "EDENIED");
    assertEquals(codeOf(() => fs.mkdir(`${root}/new`, 0o755)), "EDENIED");
  }));

Deno.test("guarded files: while programs run, what was swapped after the look is noticed", () =>
  withPlace({}, ({ ws, root, policy }) => {
    Deno.writeTextFileSync(`${ws}/a.txt`, "mine");
    Deno.mkdirSync(`${ws}/dir`);
    Deno.writeTextFileSync(`${ws}/dir/secret.txt`, "mine");
    // Another program swaps the file, or its folder, for a link in the moment before it is opened.
    const swaps: [string, () => void][] = [
      [`${ws}/a.txt`, () => {
        Deno.removeSync(`${ws}/a.txt`);
        Deno.symlinkSync("../outside/secret.txt", `${ws}/a.txt`);
      }],
      [`${ws}/dir/secret.txt`, () => {
        Deno.renameSync(`${ws}/dir`, `${ws}/dir2`);
        Deno.symlinkSync("../outside", `${ws}/dir`);
      }],
    ];
    for (const [path, swap] of swaps) {
      let opened: HostFile | undefined;
      const fs = createGuardedFs({
        fs: {
          ...realFs,
          open(at, options) {
            swap();
            return opened = realFs.open(at, options) as HostFile;
          },
        },
        policy,
        windows: false,
        programFolders: [],
        programsRun: () => true,
        generation: () => 0,
        permit: () => Promise.resolve("no"),
        permitStill: () => "no",
        symlink: () => Promise.resolve(),
      });
      const error = assertThrows(() => fs.open(path, { read: true }), HostError);
      assertEquals(error.code, "EDENIED", path);
      assertThrows(() => opened!.stat(), HostError, undefined, "it is closed again");
    }
    assertEquals(Deno.readTextFileSync(`${root}/outside/secret.txt`), "secret");
  }));

Deno.test("guarded files: while programs run, nothing is emptied or handed out that was swapped in", () =>
  withPlace({}, ({ ws, root, policy }) => {
    Deno.mkdirSync(`${ws}/dir`);
    let before: () => void = () => {};
    let after: () => void = () => {};
    const fs = createGuardedFs({
      fs: {
        ...realFs,
        open(at, options) {
          before();
          const file = realFs.open(at, options);
          after();
          return file;
        },
      },
      policy,
      windows: false,
      programFolders: [],
      programsRun: () => true,
      generation: () => 0,
      permit: () => Promise.resolve("no"),
      permitStill: () => "no",
      symlink: () => Promise.resolve(),
    });
    const swap = () => {
      Deno.renameSync(`${ws}/dir`, `${ws}/dir2`);
      Deno.symlinkSync("../outside", `${ws}/dir`);
    };
    const back = () => {
      Deno.removeSync(`${ws}/dir`);
      Deno.renameSync(`${ws}/dir2`, `${ws}/dir`);
    };
    const make = { write: true, create: true, truncate: true };
    const path = `${ws}/dir/secret.txt`;
    Deno.writeTextFileSync(path, "mine");
    const refused: [string, () => unknown, boolean][] = [
      ["emptying, swapped", () => fs.open(path, make), false],
      ["emptying, swapped and back", () => fs.open(path, make), true],
      ["reading, swapped and back", () => fs.open(path, { read: true }), true],
      ["truncate(), swapped and back", () => fs.truncate(path, 0), true],
      ["making, swapped", () => fs.open(`${ws}/dir/new.txt`, make), false],
      ["making, swapped and back", () => fs.open(`${ws}/dir/new2.txt`, make), true],
    ];
    for (const [name, work, andBack] of refused) {
      before = swap;
      after = andBack ? back : () => {};
      assertEquals(codeOf(work), "EDENIED", name);
      assertEquals(Deno.readTextFileSync(`${root}/outside/secret.txt`), "secret", name);
      if (!andBack) back();
      assertEquals(Deno.readTextFileSync(path), "mine", name);
    }
    for (const name of ["new.txt", "new2.txt"]) {
      const size = Deno.statSync(`${root}/outside/${name}`).size;
      assertEquals(size, 0, "what could not be prevented is an empty file");
    }
    // A file that a program makes in that moment is opened as the file it is.
    before = () => Deno.writeTextFileSync(`${ws}/dir/late.txt`, "theirs");
    after = () => before = () => {};
    const late = fs.open(`${ws}/dir/late.txt`, make) as HostFile;
    assertEquals(late.stat().size, 0);
    late.close();
    // Undisturbed, everything works.
    before = after = () => {};
    (fs.open(path, make) as HostFile).close();
    assertEquals(Deno.readTextFileSync(path), "");
    (fs.open(`${ws}/dir/fresh.txt`, { ...make, exclusive: true }) as HostFile).close();
    assertEquals(
      codeOf(() => fs.open(`${ws}/dir/fresh.txt`, { ...make, exclusive: true })),
      "EEXIST",
    );
    const appended = fs.open(path, { append: true, create: true }) as HostFile;
    void appended.write(new TextEncoder().encode("abc"));
    appended.close();
    fs.truncate(path, 1);
    assertEquals(Deno.readTextFileSync(path), "a");
  }));

Deno.test("guarded files: a listing is not trusted where a program ran during it or since", () =>
  withPlace({}, ({ ws, policy }) => {
    const state = { running: 0, generation: 0 };
    let during: (when: "list" | "read") => void = () => {};
    const swap = () => {
      Deno.removeSync(`${ws}/src/x.c`);
      Deno.symlinkSync("../../outside/secret.txt", `${ws}/src/x.c`);
    };
    const fs = createGuardedFs({
      fs: {
        ...realFs,
        readDir(path) {
          const entries = realFs.readDir(path);
          during("list");
          return entries;
        },
        readStart(path, into) {
          during("read");
          return realFs.readStart!(path, into);
        },
      },
      policy,
      windows: false,
      programFolders: [],
      programsRun: () => state.running > 0,
      generation: () => state.generation,
      permit: () => Promise.resolve("no"),
      permitStill: () => "no",
      symlink: () => Promise.resolve(),
    });
    const buffer = new Uint8Array(20);
    const start = () => (state.running++, state.generation++);
    const end = () => (state.generation++, state.running--);
    const read = () => fs.readStart!(`${ws}/src/x.c`, buffer);
    const table: Record<string, () => number | undefined> = {
      "one that ran before the listing has ended since": () => {
        start();
        fs.readDir(`${ws}/src`);
        swap();
        end();
        return read();
      },
      "the same where only starts are counted": () => {
        start();
        fs.readDir(`${ws}/src`);
        swap();
        state.running--;
        return read();
      },
      "one ran and ended within the listing": () => {
        during = (when) => when === "list" && (start(), swap(), end());
        fs.readDir(`${ws}/src`);
        return read();
      },
      "one was started and runs on": () => {
        fs.readDir(`${ws}/src`);
        start();
        swap();
        return read();
      },
      "one ran between listing and read": () => {
        fs.readDir(`${ws}/src`);
        start();
        swap();
        end();
        return read();
      },
      "one ran within the read": () => {
        fs.readDir(`${ws}/src`);
        during = (when) => when === "read" && (start(), swap(), end());
        return read();
      },
    };
    for (const [name, work] of Object.entries(table)) {
      Object.assign(state, { running: 0 });
      during = () => {};
      Deno.removeSync(`${ws}/src/x.c`);
      Deno.writeTextFileSync(`${ws}/src/x.c`, "int x;");
      fs.forget();
      assertEquals(work(), undefined, name);
      assertEquals(new TextDecoder().decode(buffer).includes("secret"), false, name);
    }
    // Where nothing ran, it is read at once.
    Object.assign(state, { running: 0 });
    during = () => {};
    Deno.removeSync(`${ws}/src/x.c`);
    Deno.writeTextFileSync(`${ws}/src/x.c`, "int x;");
    fs.readDir(`${ws}/src`);
    assertEquals(read(), 6);
  }));

Deno.test("guarded files: a rule that asks is asked, and its answer counts", () =>
  withPlace({ rules: { ask: ["write(./docs/**)", "read(~/notes/**)"] } }, async (place) => {
    const { fs, ws, root, asked } = place;
    Deno.mkdirSync(`${root}/home/notes`);
    Deno.writeTextFileSync(`${root}/home/notes/a`, "noted");
    Deno.mkdirSync(`${ws}/docs`);
    place.answer = "the user said no";
    const refused = await Promise.resolve(fs.open(`${ws}/docs/a`, { write: true, create: true })).catch((
      error,
    ) => error);
    assertEquals(refused.code, "EDENIED");
    assert(refused.message.includes("the user said no"));
    assertEquals(codeOf(() => fs.mkdir(`${ws}/docs/d`, 0o755)), "EDENIED");
    place.answer = undefined;
    (await fs.open(`${ws}/docs/a`, { write: true, create: true })).close();
    fs.mkdir(`${ws}/docs/d`, 0o755);
    // What is asked for may also be outside: the answer opens it.
    const file = await fs.open(`${root}/home/notes/a`, { read: true });
    assertEquals(await file.read(new Uint8Array(10)), 5);
    file.close();
    assertEquals(asked.length, 5);
  }));

Deno.test("guarded files: Windows names of devices and alternate streams are refused", () =>
  withPlace({}, ({ policy, ws }) => {
    const fs = createGuardedFs({
      fs: realFs,
      policy,
      windows: true,
      programFolders: [],
      programsRun: () => false,
      generation: () => 0,
      permit: () => Promise.resolve("no"),
      permitStill: () => "no",
      symlink: () => Promise.resolve(),
    });
    for (const name of ["CON", "nul.txt", "a/Com1", "x.txt:stream", "LPT9 ", "aux."]) {
      assertEquals(codeOf(() => fs.open(`${ws}/${name}`, { write: true, create: true })), "EDENIED", name);
    }
  }));

Deno.test({
  name: "guarded files: set-ID bits are not set on files, but stay; the sticky bit and a folder's may be set",
  ignore: Deno.build.os === "windows",
  async fn() {
    await withPlace({}, ({ ws, fs }) => {
      const file = `${ws}/src/x.c`;
      for (const mode of [0o4755, 0o2755, 0o6000]) {
        assertEquals(assertThrows(() => fs.chmod(file, mode), HostError).code, "EPERM");
      }
      assertEquals(fs.stat(file).mode & 0o6000, 0);
      fs.chmod(file, 0o1755);
      fs.chmod(`${ws}/src`, 0o2775);
      assertEquals(fs.stat(`${ws}/src`).mode, 0o2775);
      Deno.chmodSync(file, 0o4755);
      fs.chmod(file, 0o4700);
      assertEquals(fs.stat(file).mode, 0o4700);
    });
    await withPlace({ mode: "off" }, ({ ws, fs }) => {
      fs.chmod(`${ws}/src/x.c`, 0o4755);
      assertEquals(fs.stat(`${ws}/src/x.c`).mode, 0o4755);
    });
  },
});
