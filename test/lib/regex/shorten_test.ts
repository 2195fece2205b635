import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { compileRegex } from "../../../src/lib/regex.ts";

/** Small patterns over a, b and c, with repeats wherever they may stand. */
const pattern = fc.letrec<{ any: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("a", "b", "c", "[ab]", ".", "^", "$"),
    tie("any").map((text) => `(${text})`),
  ),
  any: fc.oneof(
    { maxDepth: 3 },
    tie("atom"),
    fc.tuple(tie("atom"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "")).map(([one, times]) =>
      /^[\^$]$/.test(one) ? one : one + times
    ),
    fc.tuple(tie("any"), tie("any")).map(([x, y]) => x + y),
    fc.tuple(tie("any"), tie("any")).map(([x, y]) => `${x}|${y}`),
  ),
})).any;

Deno.test("compileRegex(exists) finds a match in just the texts that the whole pattern matches", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c", "d"), maxLength: 8 });
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 6 }), (source, texts) => {
      const options = { syntax: "extended", multiline: true, dotAll: false, lenient: true } as const;
      const whole = compileRegex(source, options);
      const short = compileRegex(source, { ...options, exists: true });
      for (const one of texts) assertEquals(short.test(one), whole.test(one), `${source} on ${one}`);
    }),
    { numRuns: 3_000 },
  );
});

Deno.test("compileRegex(exists) starts where the whole pattern does, and ends no later", () => {
  for (const [source, text] of [["x|ab+c*", "zzabbbcc"], ["a{2,5}", "baaaaa"], ["(ab)+$", "cababab"]]) {
    const whole = compileRegex(source, { syntax: "extended" }).exec(text)!;
    const short = compileRegex(source, { syntax: "extended", exists: true }).exec(text)!;
    assertEquals(short.index, whole.index, source);
    assert(short[0]!.length <= whole[0]!.length, source);
  }
});

Deno.test("compileRegex(exists) leaves back-references, words and whole lines as they are", () => {
  const test = (source: string, text: string, more = {}) =>
    compileRegex(source, { syntax: "extended", exists: true, ...more }).test(text);
  assertEquals(test("(a+)b\\1c", "aabac"), true);
  assertEquals(test("(a+)b\\1c", "aabbc"), false);
  assertEquals(test("ab+", "abb", { whole: true }), true);
  assertEquals(test("ab+", "abbc", { word: true }), false);
});
