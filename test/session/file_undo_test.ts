import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { isKnown } from "../../src/session/entry.ts";
import {
  type ChangeRecorder,
  openRecorder,
  undoFiles,
  type UndoReport,
} from "../../src/session/file_undo.ts";
import type { Session } from "../../src/session/session.ts";
import { ObjectStore } from "../../src/session/snapshots/object_store.ts";
import { createSession, openSession } from "../../src/session/store.ts";
import { fileOf, inFolder, submission } from "./sample.ts";

/** Named by the test command, which says so. */
const NO_GIT = (Deno.env.get("MYELIN_MISSING") ?? "").split(",").includes("git");
const LIMITS = { fileBytes: 4096, totalBytes: 1024 * 1024, files: 500, ignoredFiles: 50 };

interface Place {
  readonly folder: string;
  readonly workspace: string;
  readonly root: string;
  readonly session: Session;
  readonly recorder: ChangeRecorder;
}

async function openIn(place: Omit<Place, "recorder">): Promise<Place> {
  const recorder = await openRecorder({ ...place, leaveOut: [], limits: LIMITS });
  return { ...place, recorder };
}

async function inWorkspace(body: (place: Place) => Promise<void>): Promise<void> {
  await inFolder(async (made) => {
    const folder = await Deno.realPath(made);
    const workspace = `${folder}/w`;
    await Deno.mkdir(workspace);
    const session = await createSession({ root: `${folder}/sessions`, cwd: workspace });
    const place = await openIn({ folder, workspace, root: `${folder}/snapshots`, session });
    try {
      await body(place);
    } finally {
      await place.recorder.close();
      await session.close();
    }
  });
}

/** Everything below a folder: types, modes, contents, links. */
function picture(folder: string, leaveOut: (path: string) => boolean = () => false): Map<string, string> {
  const out = new Map<string, string>();
  const visit = (path: string) => {
    for (const { name } of Deno.readDirSync(path)) {
      const full = `${path}/${name}`;
      if (leaveOut(full.slice(folder.length + 1))) continue;
      const info = Deno.lstatSync(full);
      const mode = (info.mode ?? 0).toString(8);
      if (info.isSymlink) out.set(full, `link ${Deno.readLinkSync(full)}`);
      else if (info.isDirectory) {
        out.set(full, `folder ${mode}`);
        visit(full);
      } else out.set(full, `file ${mode} ${Deno.readFileSync(full).toBase64()}`);
    }
  };
  visit(folder);
  return new Map([...out].sort());
}

/** A change as a tool makes it: kept first. */
function byTool({ recorder, workspace }: Place, name: string, change: (path: string) => void): void {
  const path = `${workspace}/${name}`;
  recorder.keep(path);
  change(path);
}

/** Changes as an external program makes them. */
async function byProgram({ recorder, workspace }: Place, change: (folder: string) => void): Promise<void> {
  await recorder.beforeProgram();
  recorder.programStarted();
  change(workspace);
  recorder.programEnded();
}

const undo = ({ session, root }: Place, since?: string) =>
  undoFiles(session, root, { direction: "undo", ...(since === undefined ? {} : { since }) });
const redo = ({ session, root }: Place) => undoFiles(session, root, { direction: "redo" });
const names = (paths: readonly string[] | undefined, { workspace }: Place) =>
  paths?.map((path) => path.slice(workspace.length + 1));
const lost = (report: UndoReport | undefined, place: Place) =>
  names(report?.failed.map(({ path }) => path), place);

Deno.test("undo puts back what a tool wrote, made and removed, and redo does it again", () =>
  inWorkspace(async (place) => {
    const { workspace, recorder } = place;
    Deno.writeTextFileSync(`${workspace}/old`, "before");
    Deno.writeTextFileSync(`${workspace}/gone`, "was here");
    Deno.chmodSync(`${workspace}/gone`, 0o751);
    Deno.symlinkSync("old", `${workspace}/link`);
    const before = picture(workspace);
    byTool(place, "old", (path) => Deno.writeTextFileSync(path, "after"));
    byTool(place, "gone", (path) => Deno.removeSync(path));
    byTool(place, "link", (path) => Deno.removeSync(path));
    byTool(place, "dir", (path) => Deno.mkdirSync(path));
    byTool(place, "dir/new", (path) => Deno.writeTextFileSync(path, "new"));
    assert(await recorder.flush("c1") !== undefined);
    const after = picture(workspace);

    const report = await undo(place);
    assertEquals(picture(workspace), before);
    assertEquals(names(report?.restored, place), ["dir", "dir/new", "gone", "link", "old"]);
    assertEquals([report?.conflicts, report?.failed], [[], []]);
    assertEquals(await undo(place), undefined);
    await redo(place);
    assertEquals(picture(workspace), after);
    assertEquals(await redo(place), undefined);
    await undo(place);
    assertEquals(picture(workspace), before);
  }));

Deno.test("undo puts back what an external program changed, by the state before it", () =>
  inWorkspace(async (place) => {
    const { workspace, recorder } = place;
    Deno.mkdirSync(`${workspace}/a/b`, { recursive: true });
    Deno.writeTextFileSync(`${workspace}/a/b/one`, "1");
    Deno.writeTextFileSync(`${workspace}/two`, "2");
    const before = picture(workspace);
    await byProgram(place, (folder) => {
      Deno.removeSync(`${folder}/a`, { recursive: true });
      Deno.writeTextFileSync(`${folder}/two`, "changed");
      Deno.chmodSync(`${folder}/two`, 0o755);
      Deno.mkdirSync(`${folder}/made`);
      Deno.writeTextFileSync(`${folder}/made/three`, "3");
    });
    await recorder.flush("c1");
    const after = picture(workspace);
    await undo(place);
    assertEquals(picture(workspace), before);
    await redo(place);
    assertEquals(picture(workspace), after);
  }));

Deno.test("undo leaves what others changed between calls, and since, and says so", () =>
  inWorkspace(async (place) => {
    const { workspace, recorder } = place;
    for (const name of ["a", "b", "c"]) Deno.writeTextFileSync(`${workspace}/${name}`, "first");
    byTool(place, "a", (path) => Deno.writeTextFileSync(path, "tool"));
    byTool(place, "b", (path) => Deno.writeTextFileSync(path, "tool"));
    byTool(place, "c", (path) => Deno.writeTextFileSync(path, "tool"));
    await recorder.flush("c1");
    Deno.writeTextFileSync(`${workspace}/b`, "the user's");
    byTool(place, "b", (path) => Deno.writeTextFileSync(path, "tool again"));
    await recorder.flush("c2");
    Deno.writeTextFileSync(`${workspace}/c`, "the user's");
    const report = await undo(place);
    const read = (name: string) => Deno.readTextFileSync(`${workspace}/${name}`);
    assertEquals([read("a"), read("b"), read("c")], ["first", "the user's", "the user's"]);
    assertEquals(names(report?.conflicts, place), ["b", "c"]);
  }));

Deno.test("changes by others between two programs are not taken for the second one's", () =>
  inWorkspace(async (place) => {
    const { workspace, recorder } = place;
    await byProgram(place, (folder) => Deno.writeTextFileSync(`${folder}/built`, "1"));
    await recorder.flush("c1");
    Deno.writeTextFileSync(`${workspace}/mine`, "written by hand");
    await byProgram(place, () => {});
    assertEquals(await recorder.flush("c2"), undefined);
    await undo(place);
    assertEquals([...picture(workspace).keys()], [`${workspace}/mine`]);
  }));

Deno.test("undo takes the changes of one prompt, or all since an entry", () =>
  inWorkspace(async (place) => {
    const { workspace, session, recorder } = place;
    const first = await session.append(submission("one"));
    byTool(place, "f", (path) => Deno.writeTextFileSync(path, "1"));
    await recorder.flush("c1");
    await session.append(submission("two"));
    byTool(place, "f", (path) => Deno.writeTextFileSync(path, "2"));
    await recorder.flush("c2");
    byTool(place, "f", (path) => Deno.writeTextFileSync(path, "3"));
    await recorder.flush("c3");
    await undo(place);
    assertEquals(Deno.readTextFileSync(`${workspace}/f`), "1");
    await redo(place);
    assertEquals(Deno.readTextFileSync(`${workspace}/f`), "3");
    await undo(place, first.id);
    assertEquals([...picture(workspace)], []);
  }));

Deno.test("an undo that was cut off is carried to its end by the next", () =>
  inWorkspace(async (place) => {
    const { workspace, session, recorder } = place;
    Deno.writeTextFileSync(`${workspace}/a`, "a");
    Deno.writeTextFileSync(`${workspace}/b`, "b");
    byTool(place, "a", (path) => Deno.writeTextFileSync(path, "A"));
    byTool(place, "b", (path) => Deno.writeTextFileSync(path, "B"));
    const changes = await recorder.flush("c1");
    // As the process left it that died in the middle: written down, one file put back.
    const { id } = await session.append({
      kind: "undo",
      direction: "undo",
      changes: [changes!],
      conflicts: [],
    });
    Deno.writeTextFileSync(`${workspace}/a`, "a");
    // And half of the other one beside its place.
    Deno.writeTextFileSync(`${workspace}/.${id}.undo`, "");
    assertEquals(await undo(place), undefined);
    assertEquals(Deno.readTextFileSync(`${workspace}/b`), "b");
    assertEquals([...Deno.readDirSync(workspace)].map(({ name }) => name).sort(), ["a", "b"]);
    await redo(place);
    assertEquals(Deno.readTextFileSync(`${workspace}/a`), "A");
  }));

Deno.test("what a call had changed when its process died can be undone", () =>
  inWorkspace(async (place) => {
    const { workspace, session, folder, root } = place;
    Deno.writeTextFileSync(`${workspace}/a`, "a");
    Deno.writeTextFileSync(`${workspace}/b`, "b");
    const before = picture(workspace);
    byTool(place, "a", (path) => Deno.writeTextFileSync(path, "A"));
    await byProgram(place, (at) => {
      Deno.writeTextFileSync(`${at}/b`, "B");
      Deno.writeTextFileSync(`${at}/c`, "C");
    });
    // Nothing was flushed or closed: the file is opened as if by the next process.
    const copy = `${folder}/sessions/copy.jsonl`;
    await session.sync();
    Deno.copyFileSync(fileOf(session), copy);
    Deno.mkdirSync(`${folder}/sessions/copy`);
    const pending = `${fileOf(session).replace(/\.jsonl$/, "")}/pending.jsonl`;
    Deno.copyFileSync(pending, `${folder}/sessions/copy/pending.jsonl`);
    await using again = await openSession(copy);
    const next = await openIn({ folder, workspace, root, session: again });
    await undo(next);
    assertEquals(picture(workspace), before);
    await next.recorder.close();
  }));

Deno.test(
  "files that git ignores and large ones are named when a program changed them, and kept when a tool does",
  {
    ignore: NO_GIT,
  },
  () =>
    inWorkspace(async (place) => {
      const { workspace, recorder } = place;
      git(workspace, "init", "-q");
      Deno.writeTextFileSync(`${workspace}/.gitignore`, "out/\n*.log\n");
      Deno.mkdirSync(`${workspace}/out`);
      Deno.writeTextFileSync(`${workspace}/out/x`, "1");
      Deno.writeTextFileSync(`${workspace}/a.log`, "1");
      Deno.writeTextFileSync(`${workspace}/big`, "1".repeat(10_000));
      // Two gigabytes that take no room on the disk; a copy would.
      for (const name of ["out/huge", "huge"]) {
        Deno.writeTextFileSync(`${workspace}/${name}`, "x");
        Deno.truncateSync(`${workspace}/${name}`, 2 * 1024 ** 3);
      }
      await byProgram(place, (folder) => {
        for (const name of ["out/x", "a.log", "big"]) Deno.writeTextFileSync(`${folder}/${name}`, "22");
      });
      await recorder.flush("c1");
      const report = await undo(place);
      assertEquals(lost(report, place)?.sort(), ["a.log", "big", "out/x"]);
      const stored = [...Deno.readDirSync(`${place.root}/objects/packs`)];
      assert(stored.every(({ name }) => Deno.statSync(`${place.root}/objects/packs/${name}`).size < 1000));
      assertEquals([...Deno.readDirSync(`${place.root}/objects`)].length, 1);
      assertEquals(Deno.readTextFileSync(`${workspace}/out/x`), "22");

      for (const name of ["out/x", "a.log", "big"]) {
        byTool(place, name, (path) => Deno.writeTextFileSync(path, "333"));
      }
      await recorder.flush("c2");
      assertEquals((await undo(place))?.failed, []);
      assertEquals(Deno.readTextFileSync(`${workspace}/out/x`), "22");
    }),
);

Deno.test("ignored folders with much in them are named once and never copied", {
  ignore: NO_GIT,
}, () =>
  inWorkspace(async (place) => {
    const { workspace, recorder, session, root } = place;
    git(workspace, "init", "-q");
    Deno.writeTextFileSync(`${workspace}/.gitignore`, "node_modules\n");
    Deno.mkdirSync(`${workspace}/node_modules`);
    for (let i = 0; i < 80; i++) Deno.writeTextFileSync(`${workspace}/node_modules/${i}`, `content ${i}`);
    await byProgram(place, (folder) => Deno.writeTextFileSync(`${folder}/node_modules/1`, "x"));
    await recorder.flush("c1");
    await byProgram(place, (folder) => Deno.writeTextFileSync(`${folder}/node_modules/2`, "x"));
    await recorder.flush("c2");
    const entries = [...session.entries()].filter((entry) => isKnown(entry) && entry.kind === "changes");
    assertEquals(entries.map((entry) => "lost" in entry && entry.lost.map(({ path }) => path)), [[
      `${workspace}/node_modules`,
    ]]);
    // All that is kept is the ignore file.
    let bytes = 0;
    for (const [path, text] of picture(`${root}/objects`)) {
      if (text.startsWith("file") && path.endsWith(".pack")) bytes += Deno.statSync(path).size;
    }
    assertEquals(bytes, "node_modules\n".length);
  }));

Deno.test("a call that ends while another has kept a file takes nothing from that one", () =>
  inWorkspace(async (place) => {
    const { workspace, recorder } = place;
    Deno.writeTextFileSync(`${workspace}/slow`, "first");
    recorder.keep(`${workspace}/slow`);
    byTool(place, "quick", (path) => Deno.writeTextFileSync(path, "q"));
    await recorder.flush("quick", true);
    Deno.writeTextFileSync(`${workspace}/slow`, "second");
    await recorder.flush("other", true);
    Deno.writeTextFileSync(`${workspace}/slow`, "third");
    await recorder.flush("slow");
    await undo(place);
    assertEquals(Deno.readTextFileSync(`${workspace}/slow`), "first");
    assertEquals([...picture(workspace).keys()], [`${workspace}/slow`]);
  }));

Deno.test("the program's own folder is left out, also where it is in the workspace", () =>
  inFolder(async (made) => {
    const workspace = await Deno.realPath(made);
    const home = `${workspace}/.own`;
    const session = await createSession({ root: `${home}/sessions`, cwd: workspace });
    const options = { session, workspace, root: `${home}/snapshots`, leaveOut: [home] };
    const recorder = await openRecorder(options);
    await recorder.beforeProgram();
    Deno.writeTextFileSync(`${home}/settings`, "changed by hand");
    Deno.writeTextFileSync(`${workspace}/made`, "by a program");
    await recorder.flush("c");
    const report = await undoFiles(session, options.root, { direction: "undo" });
    assertEquals(report?.restored, [`${workspace}/made`]);
    await recorder.close();
    await session.close();
  }));

Deno.test("a folder with too much in it to be kept is named", () =>
  inFolder(async (made) => {
    const workspace = `${await Deno.realPath(made)}/w`;
    Deno.mkdirSync(`${workspace}/many`, { recursive: true });
    for (let n = 0; n < 30; n++) Deno.writeTextFileSync(`${workspace}/many/${n}`, String(n));
    const session = await createSession({ root: `${made}/sessions`, cwd: workspace });
    const options = { session, workspace, root: `${made}/snapshots`, leaveOut: [], maxPaths: 10 };
    const recorder = await openRecorder(options);
    recorder.keep(`${workspace}/many`, true);
    Deno.removeSync(`${workspace}/many`, { recursive: true });
    await recorder.flush("c");
    const report = await undoFiles(session, options.root, { direction: "undo" });
    assertEquals(report?.failed.map(({ path }) => path), [`${workspace}/many`]);
    await recorder.close();
    await session.close();
  }));

Deno.test("nothing is put back through a link that has come to stand in the way", () =>
  inWorkspace(async (place) => {
    const { workspace, folder, recorder } = place;
    Deno.mkdirSync(`${workspace}/d`);
    Deno.mkdirSync(`${folder}/outside`);
    Deno.writeTextFileSync(`${workspace}/d/f`, "1");
    byTool(place, "d/f", (path) => Deno.removeSync(path));
    await recorder.flush("c1");
    Deno.removeSync(`${workspace}/d`);
    Deno.symlinkSync("../outside", `${workspace}/d`);
    const report = await undo(place);
    assertEquals(names(report?.conflicts, place), ["d/f"]);
    assertEquals([...Deno.readDirSync(`${folder}/outside`)], []);
  }));

Deno.test("a kept content that was damaged is a failure that is told, and the file stays as it is", () =>
  inWorkspace(async (place) => {
    const { workspace, recorder, root } = place;
    Deno.writeTextFileSync(`${workspace}/f`, "first");
    byTool(place, "f", (path) => Deno.writeTextFileSync(path, "second"));
    await recorder.flush("c1");
    for (const [path, text] of picture(`${root}/objects`)) {
      if (text.startsWith("file")) Deno.writeTextFileSync(path, "rubbish");
    }
    const report = await undo(place);
    assertEquals(lost(report, place), ["f"]);
    assertEquals(Deno.readTextFileSync(`${workspace}/f`), "second");
  }));

function git(folder: string, ...args: string[]): void {
  const { success, stderr } = new Deno.Command("git", {
    args: ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args],
    cwd: folder,
    env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
  }).outputSync();
  assert(success, new TextDecoder().decode(stderr));
}

const FILES = ["staged", "tracked", "d/tracked", "untracked", "d/untracked", "x.log", "big", "e/deep/new"];
const change = fc.record({
  by: fc.constantFrom("tool" as const, "program" as const),
  file: fc.constantFrom(...FILES),
  act: fc.constantFrom(
    "write" as const,
    "remove" as const,
    "chmod" as const,
    "link" as const,
    "folder" as const,
  ),
  text: fc.string({ unit: "binary", maxLength: 20 }),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function clearAway(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch {
    // Nothing there.
  }
}

function act({ act: kind, text }: Change, path: string): void {
  if (kind === "remove") return clearAway(path);
  if (kind === "chmod") {
    try {
      if (!Deno.lstatSync(path).isSymlink) Deno.chmodSync(path, 0o700 + text.length % 64);
    } catch {
      // Nothing there.
    }
    return;
  }
  clearAway(path);
  if (kind === "link") Deno.symlinkSync(`target ${text.replaceAll("\0", "")}`, path);
  else if (kind === "folder") Deno.mkdirSync(path);
  else Deno.writeTextFileSync(path, text);
}

/** Keeps what the shell's own commands would have kept: the folders made on the way, and all that goes. */
function keepAll({ recorder, workspace }: Place, path: string): void {
  let folder = workspace;
  for (const part of path.slice(workspace.length + 1).split("/").slice(0, -1)) {
    folder += `/${part}`;
    recorder.keep(folder);
  }
  recorder.keep(path, true);
}

Deno.test(
  "whatever tools and programs did, undo restores it byte for byte, redo too, and nothing else is touched",
  {
    ignore: NO_GIT,
  },
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(change, { minLength: 1, maxLength: 4 }), { maxLength: 5 }),
        (calls) =>
          inWorkspace(async (place) => {
            const { workspace, recorder, session } = place;
            git(workspace, "init", "-q");
            Deno.mkdirSync(`${workspace}/d`);
            for (const name of ["tracked", "d/tracked", "staged"]) {
              Deno.writeTextFileSync(`${workspace}/${name}`, `${name}\n`);
            }
            Deno.writeTextFileSync(`${workspace}/.gitignore`, "*.log\nkept/\n");
            git(workspace, "add", "-A");
            git(workspace, "commit", "-qm", "first");
            Deno.writeTextFileSync(`${workspace}/staged`, "staged\n");
            git(workspace, "add", "staged");
            Deno.writeTextFileSync(`${workspace}/tracked`, "unstaged\n");
            Deno.writeTextFileSync(`${workspace}/untracked`, "untracked\n");
            Deno.writeTextFileSync(`${workspace}/x.log`, "ignored\n");
            Deno.writeTextFileSync(`${workspace}/big`, "b".repeat(9000));
            Deno.mkdirSync(`${workspace}/kept`);
            Deno.writeTextFileSync(`${workspace}/kept/by hand`, "stays");
            const before = picture(workspace);
            const start = await session.append(submission("go"));
            // What a program did to these cannot be put back; then they, and what is in their place, are left out.
            const unkept = new Set<string>();
            for (const [n, call] of calls.entries()) {
              const programs = call.filter(({ by }) => by === "program");
              for (const one of call.filter(({ by }) => by === "tool")) {
                const path = `${workspace}/${one.file}`;
                keepAll(place, path);
                const made = path.slice(0, path.lastIndexOf("/"));
                if (!safeMkdir(made)) continue;
                act(one, path);
              }
              if (programs.length > 0) {
                await byProgram(place, (folder) => {
                  for (const one of programs) {
                    if (one.file === "x.log" || one.file === "big") unkept.add(one.file);
                    const path = `${folder}/${one.file}`;
                    if (!safeMkdir(path.slice(0, path.lastIndexOf("/")))) continue;
                    act(one, path);
                  }
                });
              }
              await recorder.flush(`c${n}`);
            }
            const leaveOut = (path: string) =>
              [...unkept].some((one) => path === one || path.startsWith(one + "/"));
            const known = (of: Map<string, string>) =>
              new Map([...of].filter(([path]) => !leaveOut(path.slice(workspace.length + 1))));
            const after = picture(workspace);
            const report = await undo(place, start.id);
            assertEquals(known(picture(workspace)), known(before));
            for (const path of report?.conflicts ?? []) {
              assert(leaveOut(path.slice(workspace.length + 1)), `conflict at ${path}`);
            }
            await redo(place);
            assertEquals(known(picture(workspace)), known(after));
          }),
      ),
      { numRuns: Deno.env.get("MYELIN_FULL") ? 300 : 25 },
    ),
);

function safeMkdir(path: string): boolean {
  try {
    Deno.mkdirSync(path, { recursive: true });
    return true;
  } catch {
    return false; // a file or link stands in the way
  }
}

Deno.test("contents are kept once, small and large, and another process finds them", () =>
  inFolder((folder) => {
    const store = new ObjectStore(`${folder}/objects`);
    const other = new ObjectStore(`${folder}/objects`);
    const small = new TextEncoder().encode("small");
    const large = new Uint8Array(6_000_000).map((_, n) => n % 251);
    Deno.writeFileSync(`${folder}/large`, large);
    const hashes = [store.put(small), store.putFile(`${folder}/large`).hash, store.put(new Uint8Array(0))];
    assertEquals(other.put(small), hashes[0]);
    assertEquals(other.get(hashes[1]), large);
    assertEquals(other.get(hashes[2]), new Uint8Array(0));
    const late = store.put(new TextEncoder().encode("put there later"));
    assertEquals(new TextDecoder().decode(other.get(late)), "put there later");
    other.copyTo(hashes[1], `${folder}/copy`);
    assertEquals(Deno.readFileSync(`${folder}/copy`), large);
    store.close();
    other.close();
    const opens = 8;
    for (let i = 0; i < opens; i++) {
      const next = new ObjectStore(`${folder}/objects`);
      assertEquals(next.get(late).length, 15);
      next.put(new TextEncoder().encode(`goes on in a pack ${i}`));
      next.close();
    }
    // A pack is gone on with where it is free. A process that is just being forked holds its lock for a moment.
    const packs = [...Deno.readDirSync(`${folder}/objects/packs`)].filter(({ name }) =>
      name.endsWith(".pack")
    );
    assert(packs.length < opens / 2, `${packs.length} packs`);
  }));
