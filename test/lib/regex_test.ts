import { assert, assertEquals, assertThrows } from "@std/assert";
import { compileRegex, posixBasic, posixExtended, type Regex, RegexError } from "../../src/lib/regex.ts";

function first(regex: Regex, text: string): (string | undefined)[] | undefined {
  const match = regex.exec(text);
  return match ? [...match] : undefined;
}

const rows: [
  kind: "perl" | "basic" | "extended",
  source: string,
  text: string,
  want: (string | undefined)[] | undefined,
][] = [
  ["perl", "a(b|c)+d", "xabcbd", ["abcbd", "b"]],
  ["perl", "(?i)HeLLo", "say hello", ["hello"]],
  ["perl", "(?i:A)b", "AB ab", ["ab"]],
  ["perl", "\\d{2,3}-\\w+", "1-a 1234-xy", ["234-xy"]],
  ["perl", "(\\w)(\\d){3}", "a123", ["a123", "a", "3"]],
  ["perl", "(?<year>\\d{4})-(?<m>\\d\\d)", "on 2024-05", ["2024-05", "2024", "05"]],
  ["perl", "(?P<q>['\"]).*?(?P=q)", `x 'a"b' y`, [`'a"b'`, "'"]],
  ["perl", "foo(?=bar)", "foobaz foobar", ["foo"]],
  ["perl", "(?<!x)y", "xy y", ["y"]],
  ["perl", "foo\\K\\d+", "foo12", ["12"]],
  ["perl", "(?>a+)ab", "aaab", undefined],
  ["perl", "a++b", "aaab", ["aaab"]],
  ["perl", "\\p{Lu}+", "abcÄÖx", ["ÄÖ"]],
  ["perl", "[[:digit:]]+", "ab12", ["12"]],
  ["perl", "\\Qa.b\\E", "axb a.b", ["a.b"]],
  ["perl", "(a)|(b)", "b", ["b", undefined, "b"]],
  ["perl", "\\u{1F600}", "x😀", ["😀"]],
  ["perl", "[😀-😂]", "x😁", ["😁"]],
  ["perl", "x{,3}", "x{,3}", ["x{,3}"]],
  ["perl", "^b$", "a\nb", undefined],
  ["basic", "a\\{2\\}", "aaa", ["aa"]],
  ["basic", "\\(ab*\\)\\1", "abbabb", ["abbabb", "abb"]],
  ["basic", "*a", "x*a", ["*a"]],
  ["basic", "^*a", "*a", ["*a"]],
  ["basic", "a+b", "aab a+b", ["a+b"]],
  ["basic", "a\\+b", "aab", ["aab"]],
  ["basic", "a\\|b", "b", ["b"]],
  ["basic", "a^b$c", "a^b$c", ["a^b$c"]],
  ["basic", "\\<foo\\>", "afoo foo", ["foo"]],
  ["basic", "[]x]*", "]x]a", ["]x]"]],
  ["basic", "[\\n]", "n", ["n"]],
  ["extended", "((\\<b|\\<c){1,3}){1,3}", "a b", ["b", "b", "b"]],
  ["extended", "((\\>){1,3}){1,3}$", "a b", ["", "", ""]],
  ["extended", "x(a|ab|abc)", "xabcd", ["xabc", "abc"]],
  ["extended", "a{,2}b", "aaab", ["aab"]],
  ["extended", "[[:upper:][:digit:]]+", "abC1", ["C1"]],
  ["extended", "a|b|", "b", ["b"]],
  ["extended", "()", "x", ["", ""]],
  ["extended", "a{x", "a{x", ["a{x"]],
  ["extended", "[^[:space:]]+$", "a bc", ["bc"]],
];

for (const [syntax, source, text, want] of rows) {
  Deno.test(`compileRegex() ${syntax}: /${source}/ on ${JSON.stringify(text)}`, () => {
    assertEquals(first(compileRegex(source, { syntax }), text), want);
  });
}

Deno.test("compileRegex() reports what is wrong with a pattern in GNU's words", () => {
  assertEquals(assertThrows(() => posixBasic("\\(a"), RegexError).message, "Unmatched ( or \\(");
  assertEquals(
    assertThrows(() => posixExtended("a)", { strict: true }), RegexError).message,
    "Unmatched ) or \\)",
  );
  assertEquals(assertThrows(() => posixBasic("[a"), RegexError).message, "Unmatched [, [^, [:, [., or [=");
  assertEquals(assertThrows(() => posixBasic("a\\"), RegexError).message, "Trailing backslash");
  assertEquals(assertThrows(() => posixExtended("[b-a]"), RegexError).message, "Invalid range end");
  assertEquals(assertThrows(() => posixBasic("\\1"), RegexError).message, "Invalid back reference");
  assertEquals(assertThrows(() => posixBasic("a\\{2"), RegexError).message, "Unmatched \\{");
  for (const source of ["^?a", "^*", "(^+a)", "$*", "\\<*a", "x|^{2}"]) {
    const { message } = assertThrows(() => posixExtended(source), RegexError);
    assertEquals(message, "Invalid preceding regular expression", source);
  }
});

Deno.test("compileRegex() with `lenient` takes a repeated anchor for one that may be missing", () => {
  for (const multiline of [false, true]) {
    const options = { syntax: "extended", lenient: true, multiline } as const;
    assertEquals(first(compileRegex("^*b", options), "ab"), ["b"]);
    assertEquals(first(compileRegex("a$?b", options), "ab"), ["ab"]);
    assertEquals(first(compileRegex("(^)?b", options), "ab"), ["b", undefined]);
  }
});

Deno.test("compileRegex() with `lines` never matches over the end of a line", () => {
  const text = "ab\ncd\n\nef";
  assertEquals(first(posixBasic("b.*", { lines: true }), text), ["b"]);
  assertEquals(first(posixBasic("[^x]*$", { lines: true }), text), ["ab"]);
  assertEquals(posixBasic("^c", { lines: true }).find(text), 4);
  assertEquals(first(posixBasic("b\\Wc", { lines: true }), text), undefined);
});

Deno.test("compileRegex() with `word` and `whole` bounds the match", () => {
  assertEquals(posixBasic("foo", { word: true }).find("xfoo foo_ foo"), 13);
  assertEquals(posixBasic("a|b", { word: true, syntax: "extended" } as never).test("ab"), false);
  assertEquals(posixExtended("a|b", { whole: true }).test("ab"), false);
  assertEquals(posixExtended("ab|a", { whole: true }).test("a"), true);
});

Deno.test("Regex.spans() tells the place of every group, copies of a bounded repeat included", () => {
  assertEquals([...compileRegex("x(\\d){2}(z)?").spans("ax12")!], [1, 4, 3, 4, -1, -1]);
});

const catastrophic: [string, string, "perl" | "extended", boolean][] = [
  ["^(a+)+$", "a".repeat(40) + "b", "perl", false],
  ["^(A+)+$", "a".repeat(40) + "b", "perl", true],
  ["^(a{1,20})+$", "a".repeat(60) + "b", "perl", false],
  ["^(a{1,20}){1,20}$", "a".repeat(60) + "b", "perl", true],
  ["^(a|aa)+$", "a".repeat(60) + "b", "extended", false],
  ["^(a|a)*$", "a".repeat(60) + "b", "perl", true],
  ["^(\\p{L}+)+$", "a".repeat(60) + "1", "perl", false],
  ["([a-z]+)*[A-Z]", "a".repeat(3000), "extended", false],
  ["(.*)*x", "a".repeat(3000), "extended", true],
  ["(x+x+)+y", "x".repeat(60), "perl", false],
  ["a*a*a*a*a*b", "a".repeat(400), "perl", false],
];

for (const [source, text, syntax, ignoreCase] of catastrophic) {
  Deno.test(`compileRegex() ends on /${source}/${ignoreCase ? "i" : ""} where backtracking would not`, () => {
    assertEquals(compileRegex(source, { syntax, ignoreCase }).test(text), false);
  });
}

Deno.test("find() and spans() end where backtracking would not, among lines too", () => {
  const text = "b\n" + "a".repeat(40) + "b\nxaac\n";
  for (const lines of [false, true]) {
    const options = { syntax: "extended", multiline: true, lines, poll: () => {} } as const;
    const none = compileRegex("^(a+)+$", options);
    assertEquals([none.find(text), none.spans(text), none.find("aa\nb")], [-1, undefined, 2]);
    const one = compileRegex("(a+)+c", options);
    assertEquals(one.find(text), text.length - 1);
    assertEquals([...one.spans(text)!], [text.length - 4, text.length - 1, text.length - 4, text.length - 2]);
    assertEquals([...compileRegex("xa+", options).spans(text, 3)!], [text.length - 5, text.length - 2]);
  }
});

Deno.test("compileRegex() refuses to go on where look-around and back-references blow up", () => {
  for (const source of ["^(?=(a+)+$)x?", "^(a+)+\\1$", "(?:(a*)*)*\\1b"]) {
    const error = assertThrows(() => compileRegex(source).test("a".repeat(40) + "c"), RegexError);
    assertEquals(error.code, "refused");
  }
});

Deno.test("compileRegex() gives the same answers from every engine", () => {
  // The same pattern, once as V8 takes it and once with an empty atomic group or a harmless nesting that forces another engine.
  const texts = ["", "a", "ab", "aab", "abab", "xaby", "ba", "aaa", "b a"];
  for (const source of ["a*b", "(a|b)+", "a?b?$", "^(a)(b)?", "[^b]+", "\\bb", "(?:ab){1,2}", "a+?b?"]) {
    const plain = compileRegex(source);
    const counting = compileRegex(`(?>)${source}`);
    const pike = compileRegex(`${source}(?:(?:q+)+\\p{L}|)`);
    for (const text of texts) {
      assertEquals(first(counting, text), first(plain, text), `${source} on ${text}`);
      assertEquals(first(pike, text), first(plain, text), `${source} on ${text}`);
    }
  }
});

Deno.test("compileRegex() survives hostile sources", () => {
  for (
    const source of [
      "(".repeat(5000),
      "[".repeat(5000),
      "a{30000}{30000}",
      "(".repeat(150) + ")".repeat(150),
      "\\",
      "(?",
      "(?<",
      "[[:",
      "a{1,2}{3,4}{5,6}{7,8}{9,10}",
    ]
  ) {
    try {
      assert(compileRegex(source).groups >= 0);
    } catch (error) {
      assert(error instanceof RegexError, String(error));
    }
  }
});
