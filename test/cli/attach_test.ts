import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { UsageError } from "../../src/cli/args.ts";
import { readAttachments } from "../../src/cli/attach.ts";
import type { PromptPart } from "../../src/engine/op.ts";
import { imageFacts } from "../../src/lib/images/image_facts.ts";

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10];

/** A picture in black, one bit a pixel. `rows`: how many of them are really there. */
async function png(width: number, height: number, rows = height): Promise<Uint8Array<ArrayBuffer>> {
  const blank = new Blob([new Uint8Array((Math.ceil(width / 8) + 1) * rows)]);
  const packed = await new Response(blank.stream().pipeThrough(new CompressionStream("deflate"))).bytes();
  const header = new Uint8Array(13);
  new DataView(header.buffer).setUint32(0, width);
  new DataView(header.buffer).setUint32(4, height);
  header[8] = 1;
  return new Uint8Array([
    ...SIGNATURE,
    ...chunk("IHDR", header),
    ...chunk("IDAT", packed),
    ...chunk("IEND", new Uint8Array()),
  ]);
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

async function attach(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<PromptPart> {
  const dir = await Deno.makeTempDir();
  try {
    await Deno.writeFile(`${dir}/${name}`, bytes);
    return (await readAttachments([`${dir}/${name}`]))[0];
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

async function refusal(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<UsageError> {
  const error = await assertRejects(() => attach(name, bytes), UsageError);
  assertStringIncludes(error.message, name);
  return error;
}

Deno.test("readAttachments() hands over a picture of usual size byte for byte", async () => {
  const bytes = await png(40, 30);
  assertEquals(await attach("dot.png", bytes), {
    type: "image",
    mediaType: "image/png",
    data: bytes.toBase64(),
    name: "dot.png",
  });
});

Deno.test("readAttachments() scales a picture that servers would refuse for its size", async () => {
  const part = await attach("wide.png", await png(6_000, 4_000));
  assert(part.type === "image");
  assertEquals(imageFacts(Uint8Array.fromBase64(part.data)), {
    mediaType: "image/png",
    width: 2_000,
    height: 1_333,
  });
});

Deno.test("readAttachments() takes a picture whose file is large, and no other file of that size", async () => {
  const small = await png(40, 30);
  // What stands behind the end of a picture belongs to nobody.
  const heavy = new Uint8Array(6 << 20);
  heavy.set(small);
  const part = await attach("heavy.png", heavy);
  assert(part.type === "image" && part.data.length < heavy.length / 10);
  const text = await refusal("long.txt", new Uint8Array(6 << 20).fill(0x61));
  assertStringIncludes(text.message, "5 MiB");
  const most = new Uint8Array((32 << 20) + 1);
  most.set(small);
  assertStringIncludes((await refusal("most.png", most)).hint ?? "", "smaller copy");
});

Deno.test("readAttachments() refuses what begins as a picture and is none, or is too large to be scaled", async () => {
  const whole = await png(300, 200);
  const broken = await refusal("broken.png", new Uint8Array([...SIGNATURE, 0, 0, 0, 13]));
  assertStringIncludes(broken.message, "12 bytes");
  await refusal("cut.png", whole.slice(0, -20));
  // The head says what it is, and the rows are none.
  const hollow = await png(3_000, 3_000, 1);
  assertStringIncludes((await refusal("hollow.png", hollow)).message, "cannot be read as a picture");
  const huge = await refusal("huge.png", await png(10_000, 8_000, 1));
  assertStringIncludes(huge.message, "10,000 × 8,000 pixels");
  assertStringIncludes(huge.hint ?? "", "smaller copy");
});

Deno.test("readAttachments() takes texts in UTF-8 and refuses others, with the way to make one of them", async () => {
  const part = await attach("notes.txt", new TextEncoder().encode("Grüße ✓\n"));
  assert(part.type === "paste");
  assertStringIncludes(part.text, "Grüße ✓");
  for (const bytes of [[0xff, 0xfe, 0x41], [0x47, 0x72, 0xfc]]) {
    assertStringIncludes((await refusal("latin.txt", new Uint8Array(bytes))).hint ?? "", "iconv");
  }
});
