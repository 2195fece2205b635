import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import {
  decodeText,
  detectEncoding,
  EncodeError,
  encodeText,
  type Encoding,
  type EncodingName,
  spliceBytes,
} from "../../../src/tools/shared/text_codec.ts";

const encoding = (name: EncodingName): Encoding => ({ name, bom: 0, damaged: false });

Deno.test("spliceBytes() changes nothing outside of what is replaced, whatever the bytes and the encoding", () => {
  const names: EncodingName[] = ["UTF-8", "UTF-16LE", "UTF-16BE", "Latin-1", "Shift-JIS", "GBK"];
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 60 }),
      fc.constantFrom(...names),
      fc.nat(),
      fc.nat(),
      (raw, name, a, b) => {
        const bytes = name.startsWith("UTF-16") ? raw.subarray(0, raw.length & ~1) : raw;
        const text = decodeText(bytes, encoding(name));
        const [start, end] = [a % (text.length + 1), b % (text.length + 1)].sort((x, y) => x - y);
        // A place inside of a character is none that a match could have.
        const splits = (at: number) =>
          (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
        fc.pre(!splits(start) && !splits(end));
        const out = spliceBytes(bytes, encoding(name), text, [{ start, end, text: "new" }]);
        const inserted = encodeText("new", encoding(name));
        const at = spliceBytes(bytes, encoding(name), text, [{ start, end: text.length, text: "" }]).length;
        const tail = spliceBytes(bytes, encoding(name), text, [{ start: 0, end, text: "" }]);
        assertEquals(out, Uint8Array.from([...bytes.subarray(0, at), ...inserted, ...tail]));
      },
    ),
    { numRuns: 1000 },
  );
});

Deno.test("encodeText() undoes decodeText()", () => {
  for (
    const [name, text] of [["Shift-JIS", "設定ファイル ｱｲｳ ~\\ 終わり"], ["GBK", "配置文件 αβγ 終"], [
      "Latin-1",
      "déjà vu €",
    ]] as const
  ) {
    assertEquals(decodeText(encodeText(text, encoding(name)), encoding(name)), text);
  }
  assertThrows(() => encodeText("★ ok 🙂", encoding("Latin-1")), EncodeError, "U+2605");
});

Deno.test("detectEncoding() tells the usual encodings of longer texts apart", () => {
  const texts: [EncodingName, string][] = [
    ["Shift-JIS", "# 設定ファイルの読み込み\nlimit=10\n# これはテストです。日本語の文章を書きます。\n"],
    ["GBK", "-- 配置文件\nlimit = 10\n-- 这是一个测试，用中文写的注释。请不要修改。\n"],
    ["Latin-1", "// précédent déjà vu, à côté de la plage\nint limit = 10; // größer als früher, übrigens\n"],
    ["UTF-8", "// précédent 設定 配置 🙂\n"],
  ];
  for (const [name, text] of texts) {
    const found = detectEncoding(encodeText(text, encoding(name)));
    assert(found !== "binary");
    assertEquals(found.name, name, text);
  }
});

Deno.test("detectEncoding() knows binary files", () => {
  assertEquals(detectEncoding(Uint8Array.from({ length: 65536 }, (_, i) => (i * 7919) & 255)), "binary");
  assertEquals(detectEncoding(Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0])), "binary");
  assertEquals(detectEncoding(Uint8Array.from([1, 2, 3, 4, 5, 6])), "binary");
});
