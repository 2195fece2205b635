import { assert, assertEquals, assertThrows } from "@std/assert";
import { createGuardedFs } from "../../src/sandbox/host_guarded.ts";
import { unloadPlaceDescriptors } from "../../src/sandbox/host_libc.ts";
import { createPinnedFs, createPolicyFs, type PinnedFs } from "../../src/sandbox/host_pinned.ts";
import { ownIdentity, realFs } from "../../src/sandbox/host_real.ts";
import { preparePolicy, removeTemp } from "../../src/sandbox/os/mod.ts";
import { HostError, type HostFile, type HostFs } from "../../src/shell/host.ts";
import { descriptorsBelow } from "../support/descriptors.ts";
import { portrait } from "../support/swapper.ts";

const LINUX = Deno.build.os === "linux";

interface Ground {
  readonly root: string;
  readonly ws: string;
  readonly fs: PinnedFs;
}

/** `ws/dir` is a folder with what its twin `outside` has, too; `swap` puts a link to the outside into its place. */
function withGround(work: (ground: Ground) => void | Promise<void>): () => Promise<void> {
  return async () => {
    const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "pinned-test-" }));
    const ws = `${root}/ws`;
    Deno.mkdirSync(ws);
    for (const [folder, text] of [[`${root}/outside`, "CANARY"], [`${ws}/dir`, "mine"]]) {
      Deno.mkdirSync(`${folder}/empty`, { recursive: true });
      for (const name of ["a.txt", "b.txt"]) Deno.writeTextFileSync(`${folder}/${name}`, text);
      Deno.symlinkSync("a.txt", `${folder}/link`);
    }
    const fs = createPinnedFs({ read: [ws], write: [ws], user: ownIdentity });
    try {
      await work({ root, ws, fs });
    } finally {
      unloadPlaceDescriptors();
      Deno.removeSync(root, { recursive: true });
    }
  };
}

function swap(ws: string): void {
  Deno.renameSync(`${ws}/dir`, `${ws}/was`);
  Deno.symlinkSync("../outside", `${ws}/dir`);
}

/** Every operation on a path, by name. */
const OPERATIONS: Readonly<Record<string, (fs: HostFs, ws: string) => unknown>> = {
  stat: (fs, ws) => fs.stat(`${ws}/dir/a.txt`),
  lstat: (fs, ws) => fs.lstat(`${ws}/dir/a.txt`),
  access: (fs, ws) => fs.access(`${ws}/dir/a.txt`, "r"),
  readLink: (fs, ws) => fs.readLink(`${ws}/dir/link`),
  readDir: (fs, ws) => fs.readDir(`${ws}/dir`),
  read: (fs, ws) => fs.open(`${ws}/dir/a.txt`, { read: true }),
  write: (fs, ws) => fs.open(`${ws}/dir/a.txt`, { write: true, create: true, truncate: true }),
  append: (fs, ws) => fs.open(`${ws}/dir/a.txt`, { append: true, create: true }),
  create: (fs, ws) => fs.open(`${ws}/dir/new.txt`, { write: true, create: true }),
  mkdir: (fs, ws) => fs.mkdir(`${ws}/dir/made`, 0o755),
  unlink: (fs, ws) => fs.unlink(`${ws}/dir/a.txt`),
  rmdir: (fs, ws) => fs.rmdir(`${ws}/dir/empty`),
  "rename from": (fs, ws) => fs.rename(`${ws}/dir/a.txt`, `${ws}/stolen`),
  "rename to": (fs, ws) => fs.rename(`${ws}/plain`, `${ws}/dir/moved`),
  "link from": (fs, ws) => fs.link(`${ws}/dir/a.txt`, `${ws}/hard`),
  "link to": (fs, ws) => fs.link(`${ws}/plain`, `${ws}/dir/hard`),
  symlink: (fs, ws) => fs.symlink("x", `${ws}/dir/soft`),
  chmod: (fs, ws) => fs.chmod(`${ws}/dir/a.txt`, 0o600),
  chown: (fs, ws) => fs.chown(`${ws}/dir/a.txt`, -1, -1),
  utime: (fs, ws) => fs.utime(`${ws}/dir/a.txt`, 0, 0),
  truncate: (fs, ws) => fs.truncate(`${ws}/dir/a.txt`, 0),
};

for (const [name, operate] of Object.entries(OPERATIONS)) {
  Deno.test({
    name: `pinned files: ${name} works in a folder, and is refused where a link has taken its place`,
    ignore: !LINUX,
    fn: withGround(({ root, ws, fs }) => {
      Deno.writeTextFileSync(`${ws}/plain`, "plain");
      swap(ws);
      const before = portrait(root);
      const error = assertThrows(() => operate(fs, ws), HostError);
      assertEquals(error.code, "EDENIED");
      assertEquals(portrait(root), before);
      // The control: the plain files follow the link.
      (operate(realFs, ws) as HostFile | undefined)?.close?.();
      Deno.removeSync(`${ws}/dir`);
      for (const left of ["stolen", "hard", "plain"]) {
        try {
          Deno.removeSync(`${ws}/${left}`);
        } catch {
          // Only some of them leave something.
        }
      }
      Deno.renameSync(`${ws}/was`, `${ws}/dir`);
      Deno.writeTextFileSync(`${ws}/plain`, "plain");
      const after = portrait(`${root}/outside`);
      const result = operate(fs, ws) as HostFile | undefined;
      result?.close?.();
      assertEquals(portrait(`${root}/outside`), after);
    }),
  });
}

Deno.test({
  name: "pinned files: a link that has taken a file's place is not followed",
  ignore: !LINUX,
  fn: withGround(({ root, ws, fs }) => {
    Deno.symlinkSync("../outside/a.txt", `${ws}/file`);
    const before = portrait(`${root}/outside`);
    const ways: (() => unknown)[] = [
      () => fs.open(`${ws}/file`, { read: true }),
      () => fs.open(`${ws}/file`, { write: true, create: true, truncate: true }),
      () => fs.stat(`${ws}/file`),
      () => fs.chmod(`${ws}/file`, 0),
      () => fs.utime(`${ws}/file`, 0, 0),
      () => fs.truncate(`${ws}/file`, 0),
    ];
    for (const way of ways) assertEquals(assertThrows(way, HostError).code, "EDENIED");
    assertEquals(portrait(`${root}/outside`), before);
    assertEquals(fs.lstat(`${ws}/file`).kind, "symlink");
  }),
});

Deno.test({
  name: "pinned files: what is held stays what it was, and is opened again by that",
  ignore: !LINUX,
  fn: withGround(({ root, ws, fs }) => {
    const file = fs.open(`${ws}/dir/a.txt`, { read: true, write: true });
    swap(ws);
    const again = fs.openAgain(file, { append: true });
    file.close();
    again?.write(new TextEncoder().encode(" and more"));
    again?.close();
    assertEquals(Deno.readTextFileSync(`${ws}/was/a.txt`), "mine and more");
    assertEquals(Deno.readTextFileSync(`${root}/outside/a.txt`), "CANARY");
    const plain = realFs.open(`${ws}/was/a.txt`, { read: true }) as HostFile;
    assertEquals(fs.openAgain(plain, {}), undefined);
    plain.close();
  }),
});

Deno.test({
  name: "pinned files: no descriptor stays open, whatever an operation comes to",
  ignore: !LINUX,
  fn: withGround(({ root, ws, fs }) => {
    const count = () => descriptorsBelow(root);
    const all = () => {
      for (const operate of Object.values(OPERATIONS)) {
        try {
          (operate(fs, ws) as HostFile | undefined)?.close?.();
        } catch (error) {
          if (!(error instanceof HostError)) throw error;
        }
      }
    };
    Deno.writeTextFileSync(`${ws}/plain`, "plain");
    all();
    const before = count();
    for (let i = 0; i < 20; i++) all();
    swap(ws);
    for (let i = 0; i < 20; i++) all();
    Deno.removeSync(`${ws}/dir`);
    for (let i = 0; i < 20; i++) all();
    assertEquals(count(), before);
  }),
});

Deno.test({
  name: "pinned files: errors are the system's, and nothing beyond the roots is reached",
  ignore: !LINUX,
  fn: withGround(({ root, ws, fs }) => {
    const code = (work: () => unknown) => assertThrows(work, HostError).code;
    assertEquals(code(() => fs.stat(`${ws}/none`)), "ENOENT");
    assertEquals(code(() => fs.stat(`${ws}/none/deeper`)), "ENOENT");
    assertEquals(code(() => fs.readDir(`${ws}/dir/a.txt`)), "ENOTDIR");
    assertEquals(code(() => fs.stat(`${ws}/dir/a.txt/x`)), "ENOTDIR");
    assertEquals(code(() => fs.mkdir(`${ws}/dir`, 0o755)), "EEXIST");
    assertEquals(code(() => fs.rmdir(`${ws}/dir`)), "ENOTEMPTY");
    assertEquals(code(() => fs.unlink(`${ws}/dir`)), "EISDIR");
    assertEquals(
      code(() => fs.open(`${ws}/dir/a.txt`, { write: true, create: true, exclusive: true })),
      "EEXIST",
    );
    assertEquals(code(() => fs.stat(`${root}/outside/a.txt`)), "EDENIED");
    assertEquals(code(() => fs.open(`${root}/outside/a.txt`, { read: true })), "EDENIED");
    assertEquals(code(() => fs.rename(`${ws}/dir/a.txt`, `${root}/outside/x`)), "EDENIED");
    assertEquals(code(() => fs.stat(`${ws}/..`)), "EINVAL");
    new Deno.Command("mkfifo", { args: [`${ws}/pipe`] }).outputSync();
    assertEquals(code(() => fs.open(`${ws}/pipe`, { read: true })), "ENXIO");
    assertEquals(code(() => fs.open(`${ws}/pipe`, { write: true })), "ENXIO");
  }),
});

Deno.test({
  name: "guarded files over pinned ones: a swap between the look and the deed is refused for every operation",
  ignore: !LINUX,
  fn: withGround(({ root, ws }) => {
    const policy = preparePolicy({
      mode: "workspace",
      workspace: ws,
      approve: "never",
      home: `${root}/home`,
      ownFolder: `${root}/home/.myelin`,
    });
    try {
      for (const [name, operate] of Object.entries(OPERATIONS)) {
        Deno.writeTextFileSync(`${ws}/plain`, "plain");
        const pinned = createPolicyFs(policy);
        let armed = true;
        /** The last thing before the deed: here the folder becomes a link. */
        const swapping = new Proxy(pinned, {
          get(target, property, receiver) {
            const value = Reflect.get(target, property, receiver);
            const looks = property === "lstat" || property === "realPath" || property === "readLink";
            if (typeof value !== "function" || (looks && property !== name)) return value;
            return (...args: unknown[]) => {
              if (armed) swap(ws);
              armed = false;
              return value(...args);
            };
          },
        });
        const fs = createGuardedFs({
          fs: swapping,
          policy,
          windows: false,
          programFolders: [],
          pins: () => true,
          opensStill: true,
          programsRun: () => true,
          generation: () => 0,
          permit: () => Promise.resolve("no"),
          permitStill: () => "no",
          symlink: (target, path) => Promise.resolve(swapping.symlink(target, path)),
        });
        const before = portrait(`${root}/outside`);
        // Links are made by a promise: its refusal is looked at by the races of real programs.
        if (name !== "symlink") {
          const error = assertThrows(() => operate(fs, ws), HostError, undefined, name);
          assert(error.code === "EDENIED" || error.code === "ENOENT", `${name}: ${error.code}`);
        }
        assertEquals(portrait(`${root}/outside`), before, name);
        if (!armed) {
          Deno.removeSync(`${ws}/dir`);
          Deno.renameSync(`${ws}/was`, `${ws}/dir`);
        }
      }
    } finally {
      removeTemp(policy);
    }
  }),
});
