import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Payload } from "../../src/session/entry.ts";
import { createSession, openSession, readSession } from "../../src/session/store.ts";
import { ForgetfulDisk } from "./forgetful_disk.ts";
import { answer, fileOf, inFolder, intent, result, RUN, submission } from "../session/sample.ts";

const CWD = "/home/demo";

/** Opens what is left, goes on, opens again: what was there is a prefix, and stays. */
async function reopen(path: string, bytes: Uint8Array): Promise<string[]> {
  const disk = ForgetfulDisk.of(path, bytes);
  const session = await openSession(path, { disk, cwd: CWD });
  const kept = session.path().map(({ id }) => id);
  const next = await session.append(submission("and on"));
  await session.close();
  const again = await openSession(path, { disk, cwd: CWD });
  assertEquals(again.path().map(({ id }) => id), [...kept, next.id]);
  assertEquals(again.damages, []);
  await again.close();
  return kept;
}

Deno.test("a session cut at any byte opens with a prefix of its entries and goes on", () =>
  inFolder(async (root) => {
    const disk = new ForgetfulDisk();
    const session = await createSession({ root, cwd: CWD, disk });
    const file = disk.file(session.file);
    /** Where each entry ends in the file. */
    const ends: number[] = [];
    for (const payload of RUN) {
      await session.append(payload);
      ends.push(file.bytes.length);
    }
    await session.close();
    const ids = session.path().map(({ id }) => id);
    for (let cut = 0; cut <= file.bytes.length; cut++) {
      const bytes = file.bytes.slice(0, cut);
      // The last line needs no line feed to count.
      const expected = ids.slice(0, ends.filter((end) => end - 1 <= cut).length);
      const clean = cut > 0 &&
        (file.bytes[cut - 1] === 10 || file.bytes[cut] === 10 || cut === file.bytes.length);
      const view = await readSession(fileOf(session), { disk: ForgetfulDisk.of(fileOf(session), bytes) });
      assertEquals(view.path().map(({ id }) => id), expected, `cut at ${cut}`);
      assertEquals(view.damages.length, clean ? 0 : 1, `cut at ${cut}`);
      // Going on takes a real lock: not at every byte, but at all borders of lines.
      if (cut % 16 !== 0 && !bytes.subarray(-2).includes(10)) continue;
      assertEquals(await reopen(fileOf(session), bytes), expected, `cut at ${cut}`);
    }
  }));

const call = fc.constantFrom("a", "b");
const payload: fc.Arbitrary<Payload> = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }).map((text) => submission(text)),
  fc.string({ unit: "binary", maxLength: 30 }).map((text): Payload => ({ kind: "note", text })),
  call.map((id) => answer("x", [id, "bash"])),
  call.map((id) => intent(id, "bash", "never")),
  call.map((id) => result(id, "bash", "out")),
);

Deno.test("a power cut loses nothing that was acknowledged as durable, whatever else it keeps", () =>
  inFolder(async (root) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(payload, fc.boolean()), { minLength: 1, maxLength: 12 }),
        fc.nat(),
        fc.integer({ min: 1, max: 200 }),
        async (rows, extra, mostPerWrite) => {
          const disk = new ForgetfulDisk();
          disk.mostPerWrite = mostPerWrite;
          const session = await createSession({ root, cwd: CWD, disk });
          const file = disk.file(session.file);
          let durable = 0;
          for (const [row, sync] of rows) {
            await session.append(row, sync ? { sync: true } : {});
            if (file.synced === file.bytes.length) durable = session.path().length;
            if (sync) assertEquals(file.synced, file.bytes.length);
          }
          await session.close();
          const ids = session.path().map(({ id }) => id);
          // The disk keeps all that was synced, and any part of what was not.
          const left = file.synced + extra % (file.bytes.length - file.synced + 1);
          const kept = await reopen(fileOf(session), file.bytes.slice(0, left));
          assert(kept.length >= durable);
          assertEquals(kept, ids.slice(0, kept.length));
        },
      ),
      { numRuns: 60 },
    );
  }));

Deno.test("a disk that runs full at any byte leaves a file that opens with what was acknowledged", () =>
  inFolder(async (root) => {
    for (let room = 250; room < 2_600; room += 7) {
      for (const failTruncate of [false, true]) {
        const disk = new ForgetfulDisk();
        disk.room = room;
        const session = await createSession({ root, cwd: CWD, disk });
        const acknowledged: string[] = [];
        for (const payload of RUN) {
          disk.failTruncate = failTruncate;
          await session.append(payload).then((entry) => acknowledged.push(entry.id), () => {});
        }
        await session.close();
        disk.room = Infinity;
        disk.failTruncate = false;
        const again = await openSession(fileOf(session), { disk });
        assertEquals(again.path().map(({ id }) => id), acknowledged, `room ${room}`);
        await again.close();
      }
    }
  }));
