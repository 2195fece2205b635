import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { endsInCall, readTextCalls } from "../../../../src/llm/providers/shared/text_calls.ts";
import { createTextHold } from "../../../../src/llm/providers/shared/text_hold.ts";
import { createThinkSplitter } from "../../../../src/llm/providers/openai_completions/think.ts";

const tools = [{ name: "count", description: "", schema: {} }];

/** Pieces that make trouble when they are cut. */
const piece = fc.constantFrom(
  "<tool_call>",
  "</tool_call>",
  "<function=count>",
  "</function>",
  "[TOOL_CALLS]",
  "```",
  "~~~",
  "````",
  "- ",
  "```js",
  "<tool_calls>",
  "<|tool_call|>",
  "\n",
  "\r\n",
  " ",
  "    ",
  "<",
  "{",
  '{"name":"count","arguments":{}}',
  "word",
  "<think>",
  "</think>",
  "<thinking>",
  "</thinking>",
  "`",
);
const text = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(""));

function cutAt(whole: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, i) => whole.slice(from, places[i] ?? whole.length));
}

Deno.test("createTextHold() holds the same text however it is cut, and loses nothing of it", () => {
  fc.assert(fc.property(text, fc.array(fc.nat(200), { maxLength: 8 }), (whole, cuts) => {
    const run = (pieces: readonly string[]) => {
      let out = "";
      const hold = createTextHold((shown) => out += shown);
      for (const one of pieces) hold.push(one);
      const held = hold.end();
      return { out, held };
    };
    const once = run([whole]);
    assertEquals(run(cutAt(whole, cuts)), once);
    assertEquals(once.out + once.held, whole);
  }));
});

Deno.test("readTextCalls() reads every text to an end", () => {
  fc.assert(fc.property(text, (whole) => {
    const read = readTextCalls(whole, tools);
    if (read.kind === "calls") { for (const call of read.calls) JSON.parse(call.arguments); }
    endsInCall(whole, tools);
  }));
});

Deno.test("createThinkSplitter() splits the same however the text is cut", () => {
  fc.assert(fc.property(text, fc.array(fc.nat(200), { maxLength: 8 }), (whole, cuts) => {
    const run = (pieces: readonly string[]) => {
      let said = "", thought = "";
      const splitter = createThinkSplitter((one) => said += one, (one) => thought += one);
      for (const one of pieces) splitter.push(one);
      splitter.end();
      return [said, thought];
    };
    assertEquals(run(cutAt(whole, cuts)), run([whole]));
  }));
});
