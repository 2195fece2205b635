/** The conformance runner: what counts as agreeing, and the tables it writes. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { type Case, differences, type Outcome, tally, withScores } from "../../scripts/shellspec.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const ended = (stdout: string, status = 0): Outcome => ({
  status,
  stdout: bytes(stdout),
  stderr: bytes("noise"),
  timedOut: false,
});

Deno.test("differences() compares only what a case expects", () => {
  assertEquals(differences({}, ended("anything", 7)), []);
  assertEquals(differences({ stdout: "a\n", status: 0 }, ended("a\n")), []);
  assertEquals(differences({ stdout: "a\n", status: 0 }, ended("b\n", 1)), ["stdout", "status"]);
  assertEquals(differences({ stderr: "" }, ended("")), ["stderr"]);
});

Deno.test("differences() takes bytes from base64 and from lone surrogates", () => {
  const got = { ...ended(""), stdout: Uint8Array.of(0xff, 0x61) };
  assertEquals(differences({ stdout_b64: "/2E=" }, got), []);
  assertEquals(differences({ stdout: "\udcffa" }, got), []);
  assertEquals(differences({ stdout: "\ufffda" }, got), ["stdout"]);
});

Deno.test("differences() fails a case that ran out of time, whatever it printed", () => {
  assertEquals(differences({}, { ...ended(""), timedOut: true }), ["time"]);
});

Deno.test("withScores() puts one row for each file between the markers", () => {
  const of = (file: string): Case => ({ id: "x", suite: "s", file, title: "", script: "", expect: {} });
  const scores = tally([
    { of: of("a"), passed: true },
    { of: of("b"), passed: false },
    { of: of("a"), passed: false },
  ]);
  const page = withScores("top\n<!-- conformance -->\nold\n<!-- /conformance -->\nend\n", scores);
  assert(page.includes("| s | 1 | 3 | 33.3 % |\n"));
  assert(page.includes("| a | 1 | 2 | 50.0 % |\n| b | 0 | 1 | 0.0 % |\n"));
  assert(!page.includes("old"));
  assertThrows(() => withScores("no markers", scores), Error, "no place");
});
