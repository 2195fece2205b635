import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Damage } from "../../../src/session/log/format.ts";
import { readBytes, readLog } from "../../../src/session/log/reader.ts";
import { ForgetfulDisk } from "../../fault/forgetful_disk.ts";
import { bytesOf } from "../sample.ts";

/** Reads with a sink that takes objects with a `kind`. */
function read(bytes: Uint8Array): { kinds: unknown[]; damages: Damage[]; covered: number } {
  const kinds: unknown[] = [];
  const damages: Damage[] = [];
  let covered = 0;
  readBytes(bytes, {
    take(value, place) {
      if (typeof value !== "object" || value === null || !("kind" in value)) return false;
      kinds.push(value.kind);
      covered += place.length;
      return true;
    },
    damage(damage) {
      damages.push(damage);
      if (!damage.used) covered += damage.length;
    },
  });
  return { kinds, damages, covered };
}

const line = (kind: string, text = "x") => JSON.stringify({ kind, text });
const join = (...parts: (string | Uint8Array)[]) => {
  const all = parts.map((part) => typeof part === "string" ? bytesOf(part) : part);
  return new Uint8Array(all.flatMap((part) => [...part]));
};
const NULS = new Uint8Array(40);
const A = line("a");
const B = line("b", "two files");
const C = line("c");

interface Row {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly kinds: readonly string[];
  /** Line, byte and the beginning of what is said. */
  readonly damages: readonly [line: number, byte: number, what: string, torn?: true][];
}

const ROWS: readonly Row[] = [
  { name: "a sound file", bytes: join(A, "\n", B, "\n"), kinds: ["a", "b"], damages: [] },
  { name: "an empty file", bytes: join(), kinds: [], damages: [] },
  {
    name: "a whole last line without its line feed",
    bytes: join(A, "\n", B),
    kinds: ["a", "b"],
    damages: [],
  },
  {
    name: "a last line cut in the middle",
    bytes: join(A, "\n", B.slice(0, 12)),
    kinds: ["a"],
    damages: [[2, A.length + 1, "an unfinished last line", true]],
  },
  {
    name: "a last line cut inside a character",
    bytes: join(A, "\n", '{"kind":"b","text":"', bytesOf("三").subarray(0, 2)),
    kinds: ["a"],
    damages: [[2, A.length + 1, "an unfinished last line", true]],
  },
  {
    name: "a line of NULs",
    bytes: join(A, "\n", NULS, "\n", B, "\n"),
    kinds: ["a", "b"],
    damages: [[2, A.length + 1, "NUL bytes"]],
  },
  {
    name: "NULs in front of a line",
    bytes: join(A, "\n", NULS, B, "\n"),
    kinds: ["a", "b"],
    damages: [[2, A.length + 1, "NUL bytes"]],
  },
  {
    name: "NULs at the end",
    bytes: join(A, "\n", NULS),
    kinds: ["a"],
    damages: [[2, A.length + 1, "an unfinished last line (NUL bytes)", true]],
  },
  {
    name: "NULs inside a line, between members and in a text",
    bytes: join('{"kind":"a"', NULS, ',"text":"be', NULS, 'fore"}\n', B, "\n"),
    kinds: ["a", "b"],
    damages: [[1, 0, "NUL bytes inside an entry"]],
  },
  {
    name: "NULs inside a whole last line without its line feed",
    bytes: join(A, "\n", '{"kind":"b","text":"be', NULS, 'fore"}'),
    kinds: ["a", "b"],
    damages: [[2, A.length + 1, "NUL bytes inside an entry"]],
  },
  {
    name: "NULs over the end of a line and the beginning of the next",
    bytes: join(B.slice(0, 25), NULS, C, "\n"),
    kinds: ["c"],
    damages: [[1, 0, "not a whole entry"]],
  },
  {
    name: "a cut line glued to the next",
    bytes: join(A, "\n", B.slice(0, 25), B, "\n", C, "\n"),
    kinds: ["a", "b", "c"],
    damages: [[2, A.length + 1, "not a whole entry"]],
  },
  { name: "whole lines glued together", bytes: join(A, B, C, "\n"), kinds: ["a", "b", "c"], damages: [] },
  {
    name: "a whole line glued to a cut last one",
    bytes: join(A, B.slice(0, 15)),
    kinds: ["a"],
    damages: [[1, A.length, "an unfinished last line", true]],
  },
  {
    name: "CRLF and a byte order mark",
    bytes: join(new Uint8Array([0xef, 0xbb, 0xbf]), A, "\r\n", B, "\r\n"),
    kinds: ["a", "b"],
    damages: [],
  },
  { name: "empty lines", bytes: join("\n", A, "\n\n", B, "\n"), kinds: ["a", "b"], damages: [] },
  {
    name: "U+2028 inside a string",
    bytes: join(line("a", "x\u2028y\u0085z"), "\n", B, "\n"),
    kinds: ["a", "b"],
    damages: [],
  },
  {
    name: "garbage in the middle",
    bytes: join(A, "\n", '{"kind":"note","id":\n', B, "\n"),
    kinds: ["a", "b"],
    damages: [[2, A.length + 1, "not a whole entry"]],
  },
  {
    name: "JSON that is no entry",
    bytes: join(A, "\n", '[1]\n"x"\nnull\n{"type":"hologram"}\n', B, "\n"),
    kinds: ["a", "b"],
    damages: [
      [2, A.length + 1, "not an entry of a session"],
      [3, A.length + 5, "not an entry of a session"],
      [4, A.length + 9, "not an entry of a session"],
      [5, A.length + 14, "not an entry of a session"],
    ],
  },
  {
    name: "a byte that is not UTF-8",
    bytes: join('{"kind":"a","text":"caf', new Uint8Array([0xe9]), '"}\n', B, "\n"),
    kinds: ["a", "b"],
    damages: [[1, 0, "bytes that are not UTF-8"]],
  },
  {
    name: "half a surrogate pair",
    bytes: join('{"kind":"a","text":"\\ud83d"}\n', B, "\n"),
    kinds: ["a", "b"],
    damages: [],
  },
];

for (const row of ROWS) {
  Deno.test(`readLog() reads ${row.name}`, () => {
    const { kinds, damages } = read(row.bytes);
    assertEquals(kinds, [...row.kinds]);
    assertEquals(damages.length, row.damages.length);
    for (const [i, [line, byte, what, torn]] of row.damages.entries()) {
      assertEquals([damages[i].line, damages[i].byte, damages[i].torn], [line, byte, torn]);
      assert(damages[i].what.startsWith(what), damages[i].what);
    }
  });
}

Deno.test("readLog() puts lines together across the borders of its reads", async () => {
  const long = line("long", "é".repeat(700_000));
  const disk = ForgetfulDisk.of("f", bytesOf(`${A}\n${long}\n${long}\n${C}\n`));
  const kinds: unknown[] = [];
  await readLog(await disk.open("f"), {
    take: (value) => kinds.push((value as { kind: string }).kind) > 0,
    damage: (damage) => {
      throw new Error(damage.what);
    },
  });
  assertEquals(kinds, ["a", "long", "long", "c"]);
});

Deno.test("readLog() accounts for every byte of a damaged file, and never throws", () => {
  const sound = bytesOf([A, B, C, line("d", 'q"\\{}')].join("\n") + "\n");
  const change = fc.record({
    at: fc.nat(sound.length - 1),
    remove: fc.nat(30),
    insert: fc.oneof(
      fc.uint8Array({ maxLength: 20 }),
      fc.constantFrom(NULS, bytesOf("\n"), bytesOf('"'), bytesOf(B)),
    ),
  });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      let bytes: Uint8Array = sound;
      for (const { at, remove, insert } of changes) {
        bytes = join(bytes.subarray(0, at), insert, bytes.subarray(Math.min(bytes.length, at + remove)));
      }
      const { covered } = read(bytes);
      const feeds = bytes.filter((byte, i) =>
        byte === 10 || (byte === 13 && (bytes[i + 1] === 10 || i + 1 === bytes.length))
      ).length;
      assertEquals(covered + feeds, bytes.length);
    }),
    { numRuns: 500 },
  );
});
