import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { withAttachments, withReferences } from "../../src/session/attachments.ts";
import { type AttachmentStore, openAttachments } from "../../src/session/blobs.ts";
import { SessionError } from "../../src/session/errors.ts";
import { createMemorySession, createSession, openSession } from "../../src/session/store.ts";
import { answer, fileOf, inFolder, result, submission } from "./sample.ts";

const picture = (seed: number, size = 5000) =>
  new Uint8Array(size).map((_, n) => (n * seed) % 256).toBase64();
const image = (data: string) => ({ type: "image" as const, mediaType: "image/png", data });
const files = (folder: string) => {
  const out: string[] = [];
  for (const { name } of Deno.readDirSync(folder)) {
    for (const one of Deno.readDirSync(`${folder}/${name}`)) out.push(one.name);
  }
  return out;
};

Deno.test("Session.append() keeps the bytes of images once, outside of the file, and they come back for a request", () =>
  inFolder(async (root) => {
    const attachments = openAttachments(`${root}/attachments`);
    const [one, two] = [picture(3), picture(7)];
    const session = await createSession({ root: `${root}/sessions`, cwd: "/home/demo", attachments });
    await session.append({ ...submission("look"), message: [{ type: "text", text: "look" }, image(one)] });
    await session.append(answer("", ["c", "read"]));
    await session.append({ ...result("c", "read"), parts: [image(two), image(one), image("AA==")] });
    await session.close();
    assert(Deno.statSync(fileOf(session)).size < 4000);
    assertEquals(files(`${root}/attachments`).length, 2);

    const again = await openSession(fileOf(session));
    const { get } = openAttachments(`${root}/attachments`);
    const sent = withAttachments(again.projection.messages, get);
    assertEquals(
      sent.flatMap((message) =>
        message.role === "system" || message.role === "assistant" ? [] : message.parts
      ).map((part) => part.type === "text" ? part.text : part.data),
      ["look", one, two, one, "AA=="],
    );
    assertEquals(JSON.stringify(withAttachments(again.projection.messages, get)), JSON.stringify(sent));
    await again.close();
  }));

Deno.test("a session that is kept nowhere makes no attachments", async () => {
  const session = createMemorySession({ cwd: "/home/demo" });
  const data = picture(5);
  await session.append({ ...submission("look"), message: [image(data)] });
  const [message] = session.projection.messages;
  assertEquals(message.role === "user" && message.parts, [image(data)]);
});

Deno.test("withAttachments() refuses what it cannot find or what is not what it was, and leaves the rest as it is", () =>
  inFolder((root) => {
    const store: AttachmentStore = openAttachments(root);
    const payload = withReferences({ ...submission("x"), message: [image(picture(3))] }, store.put);
    assert(payload.kind === "submission");
    const messages = [{ role: "user" as const, parts: payload.message }];
    assertThrows(
      () => withAttachments(messages, () => undefined),
      SessionError,
      "Cannot find the attachment",
    );
    const [hash] = files(root);
    Deno.writeTextFileSync(`${root}/${hash.slice(0, 2)}/${hash}`, "something else");
    assertEquals(openAttachments(root).get(hash), undefined);
    const plain = [{ role: "user" as const, parts: [image("AA==")] }];
    assertStrictEquals(withAttachments(plain, () => undefined), plain);
  }));
