/** What is kept and put back while something swaps a folder for a link that leads out, at the worst moment. */
import { assert, assertEquals } from "@std/assert";
import { createHeldPlaces } from "../../../src/sandbox/host_pinned.ts";
import { isKnown } from "../../../src/session/entry.ts";
import { type ChangeRecorder, openRecorder, undoFiles } from "../../../src/session/file_undo.ts";
import type { Session } from "../../../src/session/session.ts";
import { hashOf, ObjectStore } from "../../../src/session/snapshots/object_store.ts";
import type { Places } from "../../../src/session/snapshots/places.ts";
import { createSession } from "../../../src/session/store.ts";
import { inFolder } from "../sample.ts";

const IGNORE = Deno.build.os !== "linux";
const SECRET = "not of the workspace";

interface Ground {
  readonly workspace: string;
  readonly outside: string;
  readonly root: string;
  readonly session: Session;
  readonly recorder: ChangeRecorder;
  readonly places: Places;
  /** Called before each use of a way. */
  hook?: (way: keyof Places, path: string) => void;
}

/** `d` holds `f`, and so does the folder outside. */
async function onGround(body: (ground: Ground) => Promise<void>): Promise<void> {
  await inFolder(async (made) => {
    const folder = await Deno.realPath(made);
    const [workspace, outside, root] = [`${folder}/w`, `${folder}/outside`, `${folder}/snapshots`];
    for (const path of [`${workspace}/d`, outside]) Deno.mkdirSync(path, { recursive: true });
    Deno.writeTextFileSync(`${workspace}/d/f`, "mine");
    Deno.writeTextFileSync(`${outside}/f`, SECRET);
    const held = createHeldPlaces()!;
    const places: Places = {
      inFolder(path, work) {
        ground.hook?.("inFolder", path);
        return held.inFolder(path, work);
      },
      toThing(path, work) {
        ground.hook?.("toThing", path);
        return held.toThing(path, work);
      },
    };
    const session = await createSession({ root: `${folder}/sessions`, cwd: workspace });
    const recorder = await openRecorder({ session, workspace, root, leaveOut: [], places });
    const ground: Ground = { workspace, outside, root, session, recorder, places };
    try {
      await body(ground);
    } finally {
      await recorder.close();
      await session.close();
      held.close();
    }
  });
}

function swapOut({ workspace, outside }: Ground): void {
  Deno.renameSync(`${workspace}/d`, `${workspace}/was`);
  Deno.symlinkSync(outside, `${workspace}/d`);
}

function swapIn({ workspace }: Ground): void {
  Deno.removeSync(`${workspace}/d`);
  Deno.renameSync(`${workspace}/was`, `${workspace}/d`);
}

/** Swaps between the look at a file and the reading of it, once. */
function swapBeforeReading(ground: Ground, file: string): () => boolean {
  let swapped = false;
  ground.hook = (way, path) => {
    if (swapped || way !== "toThing" || path !== file) return;
    swapped = true;
    swapOut(ground);
  };
  return () => swapped;
}

function hasSecret({ root }: Ground): boolean {
  return new ObjectStore(`${root}/objects`).has(hashOf(new TextEncoder().encode(SECRET)));
}

function changes({ session }: Ground) {
  return [...session.entriesOf("changes")].flatMap((entry) =>
    isKnown(entry) && entry.kind === "changes" ? [entry] : []
  );
}

Deno.test({
  name: "ChangeRecorder.keep() keeps nothing of a folder that is swapped in between look and reading",
  ignore: IGNORE,
  fn: () =>
    onGround(async (ground) => {
      const file = `${ground.workspace}/d/f`;
      const swapped = swapBeforeReading(ground, file);
      ground.recorder.keep(file);
      assert(swapped());
      assert(!hasSecret(ground));
      swapIn(ground);
      Deno.writeTextFileSync(file, "changed");
      await ground.recorder.flush("call");
      // What it was is not known: it is told, not guessed.
      assertEquals(changes(ground).map(({ files, lost }) => [files, lost.map(({ path }) => path)]), [[[], [
        file,
      ]]]);
    }),
});

Deno.test({
  name: "ChangeRecorder.flush() keeps nothing of what a program swaps in, and takes nothing for removed",
  ignore: IGNORE,
  fn: () =>
    onGround(async (ground) => {
      const { recorder, workspace } = ground;
      const file = `${workspace}/d/f`;
      await recorder.beforeProgram();
      recorder.programStarted();
      Deno.writeTextFileSync(file, "changed by a program");
      const swapped = swapBeforeReading(ground, file);
      await recorder.flush("first");
      assert(swapped());
      assert(!hasSecret(ground));
      ground.hook = undefined;
      const after = changes(ground).flatMap(({ files }) => files).filter(({ path }) => path === file);
      assertEquals(after, []);
    }),
});

Deno.test({
  name: "Shadow.look() keeps what it knew of a folder whose names it cannot reach",
  ignore: IGNORE,
  fn: () =>
    onGround(async (ground) => {
      const { recorder, workspace } = ground;
      await recorder.beforeProgram();
      recorder.programStarted();
      Deno.writeTextFileSync(`${workspace}/d/new`, "new");
      swapBeforeReading(ground, `${workspace}/d`);
      await recorder.flush("first");
      assertEquals(changes(ground), []);
      ground.hook = undefined;
      swapIn(ground);
      await recorder.flush("second");
      const told = changes(ground).flatMap(({ files, lost }) => [...files, ...lost]);
      assertEquals(told.map(({ path }) => path), [`${workspace}/d/new`]);
    }),
});

Deno.test({
  name: "undoFiles() writes and removes nothing through a folder that is swapped meanwhile",
  ignore: IGNORE,
  fn: async (test) => {
    const ways: Readonly<Record<string, (file: string) => void>> = {
      change: (file) => Deno.writeTextFileSync(file, SECRET),
      removal: (file) => Deno.removeSync(file),
      "new mode": (file) => Deno.chmodSync(file, 0o700),
    };
    for (const [what, change] of Object.entries(ways)) {
      // At each use of a way in turn, until one undo passes without a swap.
      for (let turn = 0, swapped = true; swapped; turn++) {
        await test.step(`${what}, swapped before use ${turn}`, () =>
          onGround(async (ground) => {
            const { workspace, outside, session, root, places, recorder } = ground;
            const file = `${workspace}/d/f`;
            recorder.keep(file);
            change(file);
            await recorder.flush("call");
            // So that by name the outside would be taken for what is to be undone.
            if (what === "removal") Deno.removeSync(`${outside}/f`);
            const before = look(outside);
            let uses = 0;
            swapped = false;
            ground.hook = () => {
              if (uses++ !== turn) return;
              swapped = true;
              swapOut(ground);
            };
            const report = await undoFiles(session, root, { direction: "undo" }, places);
            ground.hook = undefined;
            assertEquals(look(outside), before);
            if (report!.restored.length > 0) {
              const there = `${workspace}/${swapped ? "was" : "d"}/f`;
              assertEquals(Deno.readTextFileSync(there), "mine");
            }
            const told = [...report!.conflicts, ...report!.failed.map(({ path }) => path)];
            assertEquals([report!.restored, told], swapped && told.length > 0 ? [[], [file]] : [[file], []]);
          }));
      }
    }
  },
});

function look(folder: string): string[] {
  return Array.from(Deno.readDirSync(folder), ({ name }) => {
    const { mode, mtime } = Deno.lstatSync(`${folder}/${name}`);
    return `${name} ${mode} ${mtime?.getTime()} ${Deno.readTextFileSync(`${folder}/${name}`)}`;
  }).sort();
}
