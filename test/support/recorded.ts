/**
 * Replays the transcripts of a folder of test/recorded: whole, byte by byte,
 * and cut in two at every border. The same events must come out, and they must
 * be those of the `.events.json` beside it (one event a line; UPDATE_GOLDEN=1
 * writes them anew, and the difference is for review).
 */
import { assertEquals } from "@std/assert";
import type { StreamEvent } from "../../src/llm/event.ts";
import type { AnswerDecoder, AnswerOptions } from "../../src/llm/providers/shared/answer.ts";
import { createSseReader } from "../../src/lib/sse.ts";

const update = Deno.env.get("UPDATE_GOLDEN") === "1";

export type MakeDecoder = (options: AnswerOptions, name: string) => AnswerDecoder;

const TOOLS = [{
  name: "count",
  description: "Counts.",
  schema: { type: "object", properties: { path: { type: "string" }, limit: { type: "integer" } } },
}];

async function decode(
  make: MakeDecoder,
  name: string,
  pieces: Iterable<Uint8Array>,
): Promise<StreamEvent[]> {
  const reader = createSseReader();
  const decoder = make({
    asked: { provider: "local", url: "http://127.0.0.1/v1", secrets: [] },
    model: "local/tern-2",
    idPrefix: "call_1_",
    tools: TOOLS,
    // Transcripts of calls as text are replayed with the model's switch on, but for those that say off.
    textCalls: /^text_calls(?!_off)/.test(name),
  }, name);
  const events: StreamEvent[] = [];
  for (const piece of pieces) {
    for (const event of reader.feed(piece)) events.push(...decoder.push(event));
  }
  for (const event of reader.end()) events.push(...decoder.push(event));
  events.push(...await decoder.end());
  return events;
}

/** Events as they stand in the file: errors by what users and callers see of them. */
function plain(events: readonly StreamEvent[]): unknown[] {
  return events.map((event) => {
    if (event.type !== "error") return event;
    const { code, message, retryable, retryLimit } = event.error;
    return {
      ...event,
      error: { code, message, retryable, ...(retryLimit === undefined ? {} : { retryLimit }) },
    };
  });
}

function* piecesOf(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Registers the tests of one protocol. `folder` is the name below test/recorded. */
export function testRecorded(folder: string, api: string, make: MakeDecoder): void {
  const root = new URL(`../recorded/${folder}/`, import.meta.url);
  const names = [...Deno.readDirSync(root)].map((entry) => entry.name)
    .filter((name) => name.endsWith(".sse")).sort();
  const goldenOf = (name: string) => new URL(name.replace(/\.sse$/, ".events.json"), root);

  for (const name of names) {
    Deno.test(`${api} decodes ${name} alike at every chunk border`, async () => {
      const bytes = Deno.readFileSync(new URL(name, root));
      const whole = plain(await decode(make, name, [bytes]));
      const golden = goldenOf(name);
      if (update) {
        Deno.writeTextFileSync(golden, `[\n${whole.map((event) => JSON.stringify(event)).join(",\n")}\n]\n`);
      }
      assertEquals(JSON.parse(JSON.stringify(whole)), JSON.parse(Deno.readTextFileSync(golden)));
      for (const size of [1, 2, 3, 7, 64]) {
        assertEquals(plain(await decode(make, name, piecesOf(bytes, size))), whole);
      }
      for (let border = 1; border < bytes.length; border++) {
        const events = await decode(make, name, [bytes.subarray(0, border), bytes.subarray(border)]);
        assertEquals(JSON.stringify(plain(events)), JSON.stringify(whole), `border at ${border}`);
      }
    });
  }

  Deno.test(`${api} never lets a call of a broken stream out to be run`, () => {
    let broken = 0;
    for (const name of names) {
      const events = JSON.parse(Deno.readTextFileSync(goldenOf(name))) as StreamEvent[];
      const last = events.at(-1);
      if (last?.type !== "error") continue;
      for (const part of last.partial?.parts ?? []) {
        if (part.type !== "tool_call") continue;
        broken++;
        assertEquals(part.broken, true, `${name} has a call that could be run`);
      }
    }
    assertEquals(broken > 0, true, "no transcript breaks inside a call: this test checks nothing");
  });
}
