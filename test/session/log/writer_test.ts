import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { SessionError } from "../../../src/session/errors.ts";
import { LogWriter } from "../../../src/session/log/writer.ts";
import { ForgetfulDisk, ForgetfulFile } from "../../fault/forgetful_disk.ts";
import { textOfBytes } from "../sample.ts";

function make(start = { end: 0, open: false }) {
  const disk = new ForgetfulDisk();
  const file = new ForgetfulFile(disk);
  return { disk, file, writer: new LogWriter(file, "s.jsonl", start) };
}

Deno.test("LogWriter.append() keeps the order of lines that nobody waited for, and writes them at once", async () => {
  const { file, writer } = make();
  await Promise.all(["a", "b", "c", "d"].map((line) => writer.append(line, { sync: false })));
  assertEquals(textOfBytes(file.bytes), "a\nb\nc\nd\n");
  assertEquals(file.writes, 1);
});

Deno.test("LogWriter.append() syncs where asked, once for all that wait, and not otherwise", async () => {
  const { file, writer } = make();
  await writer.append("a", { sync: false });
  assertEquals(file.syncs, 0);
  await Promise.all([writer.append("b", { sync: true }), writer.append("c", { sync: true })]);
  assertEquals(file.syncs, 1);
  assertEquals(file.synced, file.bytes.length);
});

Deno.test("LogWriter.sync() makes earlier lines durable, and does nothing where they are", async () => {
  const { file, writer } = make();
  const first = writer.append("a", { sync: false });
  await writer.sync();
  await first;
  assertEquals(file.synced, 2);
  await writer.sync();
  assertEquals(file.syncs, 1);
});

Deno.test("LogWriter.append() goes on where the disk takes only a part", async () => {
  const { disk, file, writer } = make();
  disk.mostPerWrite = 3;
  await writer.append("a longer line", { sync: true });
  assertEquals(textOfBytes(file.bytes), "a longer line\n");
});

Deno.test("LogWriter.append() on a full disk takes back the torn line, fails what waits behind it, and works again with space", async () => {
  const { disk, file, writer } = make();
  await writer.append("first", { sync: true });
  disk.room = 4;
  let failures = 0;
  writer.onFail = () => failures++;
  const both = await Promise.allSettled([
    writer.append("second", { sync: true }),
    writer.append("third", { sync: false }),
  ]);
  assertEquals(both.map(({ status }) => status), ["rejected", "rejected"]);
  assertEquals(failures, 1);
  assertEquals(textOfBytes(file.bytes), "first\n");
  const error = (both[0] as PromiseRejectedResult).reason;
  assert(error instanceof SessionError);
  assertEquals(error.code, "io");
  assertStringIncludes(error.message, "s.jsonl");
  assertStringIncludes(error.hint ?? "", "disk space");

  disk.room = 100;
  await writer.append("fourth", { sync: true });
  assertEquals(textOfBytes(file.bytes), "first\nfourth\n");
});

Deno.test("LogWriter.append() does not acknowledge what could not be synced", async () => {
  const { disk, file, writer } = make();
  disk.failSync = true;
  await assertRejects(() => writer.append("a", { sync: true }), SessionError);
  assertEquals(textOfBytes(file.bytes), "");
  disk.failSync = false;
  await writer.append("b", { sync: true });
  assertEquals(textOfBytes(file.bytes), "b\n");
});

Deno.test("LogWriter.sync() that failed is not made good by the next one, but by what is written afterwards", async () => {
  const { disk, writer, file } = make();
  await writer.append("a", { sync: false });
  disk.failSync = true;
  await assertRejects(() => writer.sync(), SessionError);
  // The system tells of a lost write once; asked again it says that all is well.
  disk.failSync = false;
  await assertRejects(() => writer.sync(true), SessionError);
  await writer.append("b", { sync: true });
  await writer.sync();
  assertEquals(file.synced, file.bytes.length);
});

Deno.test("LogWriter.append() begins a line of its own where a failed write could not be taken back", async () => {
  const { disk, file, writer } = make();
  disk.room = 2;
  disk.failTruncate = true;
  await assertRejects(() => writer.append("torn", { sync: false }), SessionError);
  disk.room = 100;
  await writer.append("whole", { sync: false });
  assertEquals(textOfBytes(file.bytes), "to\nwhole\n");
});

Deno.test("LogWriter.append() begins with a line feed where the file ends without one", async () => {
  const { file, writer } = make({ end: 1, open: true });
  file.bytes = new TextEncoder().encode("a");
  await writer.append("b", { sync: false });
  assertEquals(textOfBytes(file.bytes), "a\nb\n");
});

Deno.test("LogWriter.close() writes out what waits; appending afterwards is refused", async () => {
  const { file, writer } = make();
  const pending = writer.append("a", { sync: false });
  await writer.close();
  await pending;
  assertEquals(textOfBytes(file.bytes), "a\n");
  await assertRejects(() => writer.append("b", { sync: false }), SessionError, "closed");
});
