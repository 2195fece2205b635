/** Pictures and PDFs in the real sheath: the libraries run with the worker's few rights. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { ToolResult } from "../../src/agent/tool.ts";
import { imageFacts } from "../../src/lib/images/image_facts.ts";
import { withSheath } from "../sheath/sheath_fixture.ts";

async function png(width: number, height: number): Promise<Uint8Array> {
  const rows = new Uint8Array((width * 3 + 1) * height);
  for (let i = 0; i < rows.length; i++) rows[i] = i % (width * 3 + 1) === 0 ? 0 : (i >> 4) & 255;
  const packed = await new Response(new Blob([rows]).stream().pipeThrough(new CompressionStream("deflate")))
    .bytes();
  const header = new Uint8Array([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  new DataView(header.buffer).setUint32(0, width);
  new DataView(header.buffer).setUint32(4, height);
  const chunks = [chunk("IHDR", header), chunk("IDAT", packed), chunk("IEND", new Uint8Array())];
  return new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, ...chunks.flatMap((bytes) => [...bytes])]);
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const out = new Uint8Array(12 + data.length);
  const view = new DataView(out.buffer);
  view.setUint32(0, data.length);
  out.set(new TextEncoder().encode(type), 4);
  out.set(data, 8);
  view.setUint32(8 + data.length, crc(out.subarray(4, 8 + data.length)));
  return out;
}

function crc(bytes: Uint8Array): number {
  let value = ~0;
  for (const byte of bytes) {
    value ^= byte;
    for (let k = 0; k < 8; k++) value = value >>> 1 ^ (0xedb88320 & -(value & 1));
  }
  return ~value >>> 0;
}

/** 24 bits a pixel, all of one colour. */
function bmp(width: number, height: number): Uint8Array {
  const row = Math.ceil(width * 3 / 4) * 4;
  const out = new Uint8Array(54 + row * height).fill(0x40);
  const view = new DataView(out.buffer);
  out.set([0x42, 0x4d], 0);
  view.setUint32(2, out.length, true);
  view.setUint32(6, 0, true);
  view.setUint32(10, 54, true);
  view.setUint32(14, 40, true);
  view.setInt32(18, width, true);
  view.setInt32(22, height, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, 24, true);
  out.fill(0, 30, 54);
  return out;
}

function pdf(pages: readonly string[]): Uint8Array {
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, i) => `${4 + 2 * i} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  for (const [i, text] of pages.entries()) {
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents ${5 + 2 * i} 0 R ` +
        "/Resources << /Font << /F1 3 0 R >> >> >>",
    );
    const lines = text.split("\n").map((line) => `(${line}) Tj 0 -30 Td`).join(" ");
    const stream = text === "" ? "" : `BT /F1 18 Tf 20 150 Td ${lines} ET`;
    objects.push(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
  }
  let out = "%PDF-1.4\n";
  const places = objects.map((body, i) => {
    const at = out.length;
    out += `${i + 1} 0 obj\n${body}\nendobj\n`;
    return at;
  });
  const table = places.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("");
  return new TextEncoder().encode(
    `${out}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer << /Size ${
      objects.length + 1
    } /Root 1 0 R >>\nstartxref\n${out.length}\n%%EOF`,
  );
}

/** The picture of a result, read again. */
function pictureOf(result: ToolResult) {
  const part = result.parts[1];
  assert(part?.type === "image");
  const facts = imageFacts(Uint8Array.from(atob(part.data), (sign) => sign.charCodeAt(0)));
  assert(facts !== undefined && facts !== "broken");
  assertEquals(facts.mediaType, part.mediaType);
  return facts;
}

Deno.test("read scales pictures that are too large, and turns what models do not take into PNG", async () => {
  await withSheath({}, async ({ workspace, run }) => {
    Deno.writeFileSync(`${workspace}/wide.png`, await png(3000, 600));
    Deno.writeFileSync(`${workspace}/small.bmp`, bmp(31, 17));
    Deno.writeFileSync(`${workspace}/broken.bmp`, bmp(31, 17).subarray(0, 60));
    const wide = await run("read", { path: "wide.png" });
    assertStringIncludes(wide.text, "wide.png: image/png, 3000 × 600");
    assertStringIncludes(wide.text, "scaled to 2000 × 400");
    assertEquals(pictureOf(wide.result), { mediaType: "image/png", width: 2000, height: 400 });
    const small = await run("read", { path: "small.bmp" });
    assertStringIncludes(small.text, "image/bmp, 31 × 17");
    assertEquals(pictureOf(small.result), { mediaType: "image/png", width: 31, height: 17 });
    assertStringIncludes((await run("read", { path: "broken.bmp" })).text, "cannot be read as a picture");
  });
});

Deno.test("read gives the text of PDFs by page, with lines that can be read on", async () => {
  await withSheath({}, async ({ workspace, run }) => {
    Deno.writeFileSync(`${workspace}/two.pdf`, pdf(["Hello PDF\nsecond line", "page two"]));
    Deno.writeFileSync(`${workspace}/empty.pdf`, pdf([""]));
    Deno.writeTextFileSync(`${workspace}/broken.pdf`, "%PDF-1.7\nnothing of the kind");
    const { text } = await run("read", { path: "two.pdf" });
    assertStringIncludes(text, "[PDF, 2 pages]\n1\t--- page 1 ---\n2\tHello PDF\n3\tsecond line");
    assertStringIncludes(text, "--- page 2 ---\n5\tpage two");
    const later = await run("read", { path: "two.pdf", offset: 5, limit: 1 });
    assertStringIncludes(later.text, "5\tpage two");
    assertStringIncludes((await run("read", { path: "empty.pdf" })).text, "1 page");
    assertStringIncludes((await run("read", { path: "empty.pdf" })).text, "no text in it");
    const broken = await run("read", { path: "broken.pdf" });
    assert(broken.isError);
    assertStringIncludes(broken.text, "it is broken");
  });
});
