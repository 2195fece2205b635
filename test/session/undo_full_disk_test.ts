/** Undo where the disk that holds the session has no room to write down that it begins. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { SessionError } from "../../src/session/errors.ts";
import { type ChangeRecorder, openRecorder, undoFiles } from "../../src/session/file_undo.ts";
import type { Session } from "../../src/session/session.ts";
import { createSession } from "../../src/session/store.ts";
import { ForgetfulDisk } from "../fault/forgetful_disk.ts";
import { inFolder, submission } from "./sample.ts";

interface Place {
  readonly disk: ForgetfulDisk;
  readonly session: Session;
  readonly workspace: string;
  readonly snapshots: string;
  /** A call that does this to the files. */
  call(change: () => void): Promise<void>;
}

async function inWorkspace(body: (place: Place) => Promise<void>): Promise<void> {
  await inFolder(async (made) => {
    const folder = await Deno.realPath(made);
    const workspace = `${folder}/w`;
    const snapshots = `${folder}/snapshots`;
    Deno.mkdirSync(workspace);
    Deno.writeTextFileSync(`${workspace}/edited.txt`, "old\n");
    const disk = new ForgetfulDisk();
    const session = await createSession({ root: `${folder}/sessions`, cwd: workspace, disk });
    await session.append(submission("change it"));
    const call = async (change: () => void) => {
      const recorder: ChangeRecorder = await openRecorder({
        session,
        workspace,
        root: snapshots,
        leaveOut: [],
      });
      for (const name of ["edited.txt", "made.txt"]) recorder.keep(`${workspace}/${name}`);
      change();
      await recorder.flush("c");
      await recorder.close();
    };
    await body({ disk, session, workspace, snapshots, call });
    await session.close();
  });
}

const files = (folder: string) =>
  [...Deno.readDirSync(folder)].map(({ name }) => `${name}: ${Deno.readTextFileSync(`${folder}/${name}`)}`)
    .sort();

Deno.test("undoFiles() on a full disk changes nothing, and says what to do", () =>
  inWorkspace(async ({ disk, session, workspace, snapshots, call }) => {
    await call(() => {
      Deno.writeTextFileSync(`${workspace}/edited.txt`, "new and longer\n");
      Deno.writeTextFileSync(`${workspace}/made.txt`, "made\n");
    });
    const before = files(workspace);
    disk.room = 10;
    const error = await assertRejects(
      () => undoFiles(session, snapshots, { direction: "undo" }),
      SessionError,
    );
    assertEquals(error.code, "io");
    assertStringIncludes(error.hint ?? "", "No file was changed");
    assertEquals(files(workspace), before);

    disk.room = Infinity;
    const report = await undoFiles(session, snapshots, { direction: "undo" });
    assertEquals(report?.failed, []);
    assertEquals(files(workspace), ["edited.txt: old\n"]);
  }));

Deno.test("undoFiles() on a full disk begins with a file that is to go, where that makes room", () =>
  inWorkspace(async ({ disk, session, workspace, snapshots, call }) => {
    const made = `${workspace}/made.txt`;
    await call(() => {
      Deno.writeTextFileSync(`${workspace}/edited.txt`, "new and longer\n");
      Deno.writeTextFileSync(made, "made ".repeat(1000));
    });
    Object.defineProperty(disk, "room", {
      get: () => Deno.readDirSync(workspace).some(({ name }) => name === "made.txt") ? 10 : 100_000,
      set: () => {},
    });
    const report = await undoFiles(session, snapshots, { direction: "undo" });
    assert(report !== undefined);
    assertEquals(report.restored.map((path) => path.slice(workspace.length + 1)), ["edited.txt", "made.txt"]);
    assertEquals([report.conflicts, report.failed], [[], []]);
    assertEquals(files(workspace), ["edited.txt: old\n"]);
    await undoFiles(session, snapshots, { direction: "redo" });
    assertEquals(files(workspace).length, 2);
  }));
