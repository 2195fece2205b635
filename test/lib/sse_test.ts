import { assertEquals } from "@std/assert";
import { createSseReader, type ServerEvent } from "../../src/lib/sse.ts";

const encoder = new TextEncoder();

function read(text: string, size: number): ServerEvent[] {
  const reader = createSseReader();
  const bytes = encoder.encode(text);
  const events: ServerEvent[] = [];
  for (let at = 0; at < bytes.length; at += size) events.push(...reader.feed(bytes.subarray(at, at + size)));
  events.push(...reader.end());
  return events;
}

const STREAMS: { name: string; text: string; events: ServerEvent[] }[] = [
  { name: "plain events", text: "data: a\n\ndata: b\n\n", events: [{ data: "a" }, { data: "b" }] },
  {
    name: "CR LF and CR",
    text: "data: a\r\n\r\ndata: b\r\rdata: c\n\n",
    events: [{ data: "a" }, { data: "b" }, { data: "c" }],
  },
  { name: "a byte order mark", text: "\ufeffdata: a\n\n", events: [{ data: "a" }] },
  { name: "several data lines", text: "data: {\ndata:  1}\n\n", events: [{ data: "{\n 1}" }] },
  {
    name: "comments and unknown fields",
    text: ": ping\n\nfoo: 1\ndata: a\nid: 3\n\n: x\n\n",
    events: [{ data: "a" }],
  },
  {
    name: "event names",
    text: "event: error\ndata: x\n\ndata: y\n\n",
    events: [{ event: "error", data: "x" }, { data: "y" }],
  },
  { name: "no space after the colon", text: "data:é😀\n\n", events: [{ data: "é😀" }] },
  {
    name: "no final blank line",
    text: "data: a\n\ndata: b\n",
    events: [{ data: "a" }, { data: "b", unfinished: true }],
  },
  {
    name: "no final line end",
    text: 'data: a\n\ndata: {"x',
    events: [{ data: "a" }, { data: '{"x', unfinished: true }],
  },
  { name: "a CR at the very end", text: "data: a\r\n\r", events: [{ data: "a" }] },
  { name: "nothing", text: "", events: [] },
  { name: "no events at all", text: "<!doctype html><p>hello</p>\n", events: [] },
];

for (const { name, text, events } of STREAMS) {
  Deno.test(`createSseReader() reads ${name} alike at every chunk border`, () => {
    for (const size of [1, 2, 3, 5, 7, 11, text.length + 8]) {
      assertEquals(read(text, size), events, `pieces of ${size}`);
    }
    const bytes = encoder.encode(text);
    for (let border = 0; border <= bytes.length; border++) {
      const reader = createSseReader();
      const got = [
        ...reader.feed(bytes.subarray(0, border)),
        ...reader.feed(bytes.subarray(border)),
        ...reader.end(),
      ];
      assertEquals(got, events, `border at ${border}`);
    }
  });
}
