/** What is kept compressed in the program and loaded when it is needed: pictures and PDFs, read by a run. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { startChatServer } from "../support/chat_script.ts";
import { createProject } from "../support/program.ts";

/** A white bitmap, 24 bits a pixel. */
function bitmap(width: number, height: number): Uint8Array {
  const row = Math.ceil(width * 3 / 4) * 4;
  const bytes = new Uint8Array(54 + row * height).fill(0xff, 54);
  const view = new DataView(bytes.buffer);
  bytes.set([0x42, 0x4d]);
  view.setUint32(2, bytes.length, true);
  view.setUint32(10, 54, true);
  view.setUint32(14, 40, true);
  view.setInt32(18, width, true);
  view.setInt32(22, height, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, 24, true);
  return bytes;
}

/** One page with one line of text. */
function pdf(line: string): Uint8Array {
  const stream = `BT /F1 24 Tf 72 700 Td (${line}) Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let text = "%PDF-1.4\n";
  const places = objects.map((object, at) => {
    const place = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const xref = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n` +
    places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("") +
    `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${xref}\n%%EOF\n`;
  return new TextEncoder().encode(text);
}

Deno.test("a run reads a bitmap as a picture of the size that models take, and a PDF as text", async () => {
  const server = startChatServer({
    turns: [
      { calls: [{ name: "read", args: { path: "big.bmp" } }, { name: "read", args: { path: "page.pdf" } }] },
      { text: "Seen." },
    ],
  });
  await using project = await createProject({ url: server.url });
  await Deno.writeFile(`${project.dir}/big.bmp`, bitmap(2_400, 300));
  await Deno.writeFile(`${project.dir}/page.pdf`, pdf("The port is 4711."));
  const ended = await project.run(["run", "look"]);
  assertEquals(ended.code, 0, ended.stderr);
  const sent = server.requests[1].text;
  assertStringIncludes(sent, "The port is 4711.");
  assertStringIncludes(sent, "2400 × 300");
  assertStringIncludes(sent, "scaled to 2000 × 250");
  assert(/data:image\/(png|jpeg|webp);base64,/.test(sent));
  await server.close();
});
