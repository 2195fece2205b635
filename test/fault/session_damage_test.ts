import { assert, assertEquals } from "@std/assert";
import { type Message, toolCalls } from "../../src/llm/message.ts";
import { openSession } from "../../src/session/store.ts";
import { planRecovery } from "../../src/session/recover.ts";
import { bytesOf, inFolder, result, RUN, submission, written } from "../session/sample.ts";

interface Lines {
  /** Without their line feeds; the header is the first. */
  readonly lines: readonly string[];
  readonly all: Uint8Array;
}

interface Row {
  readonly name: string;
  make(from: Lines): Uint8Array;
  /** Which of the entries of RUN are there, by number; all where absent. */
  readonly lost?: readonly number[];
  /** How many pieces of damage are told of. */
  readonly notices: number;
}

const join = (lines: readonly string[]) => bytesOf(lines.map((line) => line + "\n").join(""));
const glue = (...parts: readonly Uint8Array[]) => new Uint8Array(parts.flatMap((part) => [...part]));
const last = RUN.length - 1;

const ROWS: readonly Row[] = [
  { name: "a sound file", make: ({ all }) => all, notices: 0 },
  { name: "no last line feed", make: ({ all }) => all.slice(0, -1), notices: 0 },
  {
    name: "a cut tail",
    make: ({ lines }) => bytesOf(lines.join("\n").slice(0, -30)),
    lost: [last],
    notices: 1,
  },
  {
    name: "a tail cut inside a character",
    make: ({ lines }) => glue(join(lines.slice(0, -1)), bytesOf('{"kind":"note","text":"三').slice(0, -1)),
    lost: [last],
    notices: 1,
  },
  {
    name: "NULs between lines",
    make: ({ lines }) =>
      glue(join(lines.slice(0, 3)), new Uint8Array(420), bytesOf("\n"), join(lines.slice(3))),
    notices: 1,
  },
  {
    name: "NULs inside a line",
    make: ({ lines }) => {
      const bytes = join(lines);
      const at = bytesOf(lines.slice(0, 5).join("\n")).length + lines[5].indexOf('"parentId"') + 1;
      return glue(bytes.subarray(0, at), new Uint8Array(9), bytes.subarray(at));
    },
    notices: 1,
  },
  { name: "NULs at the end", make: ({ all }) => glue(all, new Uint8Array(4096)), notices: 1 },
  {
    name: "a cut line glued to the next",
    make: ({ lines }) => glue(join(lines.slice(0, 5)), bytesOf(lines[5].slice(0, 80)), join(lines.slice(5))),
    notices: 1,
  },
  {
    name: "two lines glued together",
    make: ({ lines }) => glue(join(lines.slice(0, 5)), bytesOf(lines[5]), join(lines.slice(6))),
    notices: 0,
  },
  {
    name: "CRLF and a byte order mark",
    make: ({ lines }) =>
      glue(new Uint8Array([0xef, 0xbb, 0xbf]), bytesOf(lines.map((line) => line + "\r\n").join(""))),
    notices: 0,
  },
  {
    name: "U+2028 in a string",
    make: ({ lines }) => join(lines.map((line) => line.replace("two files", "two\u2028files"))),
    notices: 0,
  },
  {
    name: "lines that are there twice",
    make: ({ lines }) => join([...lines.slice(0, 5), ...lines.slice(3)]),
    notices: 2,
  },
  {
    name: "lines of another program",
    make: ({ lines }) =>
      join([...lines.slice(0, 3), '{"type":"hologram","id":"zz","parent":null}', ...lines.slice(3)]),
    notices: 1,
  },
  {
    name: "garbage in the middle",
    make: ({ lines }) => join([...lines.slice(0, 6), '{"kind":"note","id":', ...lines.slice(6)]),
    notices: 1,
  },
  {
    name: "missing entries",
    make: ({ lines }) => join([...lines.slice(0, 3), ...lines.slice(5)]),
    lost: [2, 3],
    notices: 1,
  },
  {
    name: "a missing answer, whose results stay",
    make: ({ lines }) => join([...lines.slice(0, 11), ...lines.slice(12)]),
    lost: [10],
    notices: 1,
  },
  {
    name: "a missing result",
    make: ({ lines }) => join([...lines.slice(0, 6), ...lines.slice(7)]),
    lost: [5],
    notices: 1,
  },
  {
    name: "a ring of parents",
    make: ({ lines }) => {
      const ids = lines.map((line) => JSON.parse(line).id);
      return join(
        lines.map((line, i) =>
          i === 3 ? line.replace(`"parentId":"${ids[2]}"`, `"parentId":"${ids[8]}"`) : line
        ),
      );
    },
    notices: 1,
  },
  {
    name: "half a surrogate pair",
    make: ({ lines }) => join(lines.map((line) => line.replaceAll("a.txt", "a\\ud83d.txt"))),
    notices: 0,
  },
  {
    name: "bytes that are not UTF-8",
    make: ({ all }) =>
      all.map((byte, i) => all[i - 1] === 0x61 && all[i + 1] === 0x74 && byte === 0x2e ? 0xe9 : byte),
    notices: 1,
  },
  {
    name: "no header",
    make: ({ lines }) => join(lines.slice(1)),
    notices: 1,
  },
];

function assertSendable(messages: readonly Message[]): void {
  assert(JSON.stringify(messages).isWellFormed() && !/\\ud[89a-f]/.test(JSON.stringify(messages)));
  const open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool_result") assertEquals(message.callId, open.shift());
    else assertEquals(open, []);
    if (message.role === "assistant") open.push(...toolCalls(message).map(({ id }) => id));
  }
  assertEquals(open, []);
}

for (const row of ROWS) {
  Deno.test(`a session with ${row.name} opens, keeps what can be read and goes on`, () =>
    inFolder(async (root) => {
      const file = await written(root, RUN);
      const all = await Deno.readFile(file);
      const lines = new TextDecoder().decode(all).trimEnd().split("\n");
      const ids: string[] = lines.slice(1).map((line) => JSON.parse(line).id);
      await Deno.writeFile(file, row.make({ lines, all }));

      const session = await openSession(file, { cwd: "/home/demo" });
      const kept = ids.filter((_, i) => !row.lost?.includes(i));
      assertEquals(session.path().map(({ id }) => id), kept);
      assertEquals(session.damages.length, row.notices, JSON.stringify(session.damages));
      for (const damage of session.damages) assert(damage.line > 0 && damage.byte >= 0 && damage.what !== "");
      for (const call of planRecovery(session.projection, () => "never").calls) {
        await session.append(result(call.callId, call.name, "closed", true));
      }
      await session.append(submission("one more"));
      const messages = [...session.projection.messages];
      assertSendable(messages);
      const path = session.path().map(({ id }) => id);
      await session.close();

      const again = await openSession(file);
      assertEquals(again.path().map(({ id }) => id), path);
      assertEquals(again.projection.messages, messages);
      assertEquals(again.damages.filter(({ known }) => !known), []);
      assertEquals(again.cwd, "/home/demo");
      await again.close();
    }));
}
