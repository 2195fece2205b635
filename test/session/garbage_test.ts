import { assert, assertEquals } from "@std/assert";
import { openAttachments } from "../../src/session/blobs.ts";
import { openRecorder, undoFiles } from "../../src/session/file_undo.ts";
import { removeSession } from "../../src/session/list.ts";
import { collectGarbage } from "../../src/session/snapshots/garbage.ts";
import { createSession, openSession } from "../../src/session/store.ts";
import { fileOf, inFolder, submission } from "./sample.ts";

const LATER = Date.now() + 40 * 24 * 60 * 60 * 1000;

Deno.test("collectGarbage() frees what no session names, in the trash neither, and nothing else", () =>
  inFolder(async (made) => {
    const folder = await Deno.realPath(made);
    const places = {
      sessions: `${folder}/sessions`,
      attachments: `${folder}/attachments`,
      snapshots: `${folder}/snapshots`,
    };
    const workspace = `${folder}/w`;
    await Deno.mkdir(workspace);
    const attachments = openAttachments(places.attachments);
    const data = new Uint8Array(3000).map((_, n) => n % 200).toBase64();
    const session = await createSession({ root: places.sessions, cwd: workspace, attachments });
    const image = { type: "image" as const, mediaType: "image/png", data };
    await session.append({ ...submission("look"), message: [image] });
    const options = { session, workspace, root: places.snapshots, leaveOut: [] };
    const recorder = await openRecorder(options);
    Deno.writeTextFileSync(`${workspace}/f`, "before");
    recorder.keep(`${workspace}/f`);
    Deno.writeTextFileSync(`${workspace}/f`, "after");
    await recorder.flush("c");
    await recorder.close();
    const orphan = attachments.put(new Uint8Array(2000).fill(7).toBase64())!;

    const young = collectGarbage(places);
    assertEquals([young.attachments, young.snapshots, young.inUse], [0, 0, true]);
    await session.close();
    const freed = collectGarbage(places, LATER);
    assertEquals([freed.attachments, freed.snapshots, freed.inUse], [1, 0, false]);
    assertEquals(attachments.get(orphan) === undefined, false); // still in memory
    assertEquals(openAttachments(places.attachments).get(orphan), undefined);

    const again = await openSession(fileOf(session));
    await undoFiles(again, places.snapshots, { direction: "undo" });
    assertEquals(Deno.readTextFileSync(`${workspace}/f`), "before");
    await again.close();

    const trash = await removeSession(places.sessions, fileOf(session));
    assertEquals(collectGarbage(places, LATER).attachments, 0);
    await Deno.remove(trash);
    const last = collectGarbage(places, LATER);
    assertEquals([last.attachments, last.snapshots], [1, 2]);
    assert(last.bytes > 3000);
  }));
