/** The grammar: what is accepted, what is refused with which words, and printing that reads back. */
import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { parse, ShellSyntaxError } from "../../src/shell/syntax/mod.ts";
import { printStatements } from "../../src/shell/syntax/print.ts";

/** A tree without the places it was read at. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== "object" || value === null) return value;
  const out: Record<string, unknown> = {};
  for (const [key, v] of Object.entries(value)) {
    if (
      key === "line" || key === "memo" || key === "raw" || key === "source" || key === "keyword" ||
      v === undefined
    ) continue;
    // Commands inside a word keep their text; where it stood does not matter.
    out[key] = bare(v);
  }
  return out;
}

const REFUSED: readonly (readonly [script: string, message: string, incomplete: boolean])[] = [
  ["echo )", "syntax error near unexpected token `)'", false],
  ["if true; then", "syntax error: unexpected end of file", true],
  ["if true; fi", "syntax error near unexpected token `fi'", false],
  ["for x in a b; echo $x; done", "syntax error near unexpected token `echo'", false],
  ["a | | b", "syntax error near unexpected token `|'", false],
  ["&& a", "syntax error near unexpected token `&&'", false],
  ["echo 'open", "unexpected EOF while looking for matching `''", true],
  ['echo "open', "unexpected EOF while looking for matching `\"'", true],
  ["echo `open", "unexpected EOF while looking for matching ``'", true],
  ["x=$(echo", "unexpected EOF while looking for matching `)'", true],
  ["f( ) ) x", "syntax error near unexpected token `)'", false],
  ["( )", "syntax error near unexpected token `)'", false],
  ["case x in a) b", "syntax error: unexpected end of file", true],
  ["a >", "syntax error near unexpected token `newline'", false],
  ["while true; do :; done; done", "syntax error near unexpected token `done'", false],
];

for (const [script, message, incomplete] of REFUSED) {
  Deno.test(`parse() refuses ${JSON.stringify(script)}`, () => {
    const error = assertThrows(() => parse(script), ShellSyntaxError);
    assertEquals(error.message, message);
    assertEquals(error.incomplete, incomplete);
  });
}

const WORD = fc.constantFrom(
  "a",
  "foo",
  "-n",
  "'x y'",
  '"$a b"',
  "$a",
  "${a:-b}",
  "${#a[@]}",
  "$(echo hi; true)",
  "`echo x`",
  "$((1 + a))",
  "*.txt",
  "{a,b}",
  "a\\ b",
  "<(echo x)",
);
const NAME = fc.constantFrom("x", "y_1", "LONG");
const REDIRECT = fc.constantFrom("> f", ">> f", "2>&1", "< f", "<<< word", "&> f", "3>&-", "{fd}> f");

const { list } = fc.letrec<{ list: string; pipeline: string; command: string; simple: string }>((tie) => ({
  simple: fc.tuple(
    fc.array(fc.tuple(NAME, WORD).map(([n, w]) => `${n}=${w}`), { maxLength: 2 }),
    fc.array(WORD, { minLength: 1, maxLength: 3 }),
    fc.option(REDIRECT, { nil: "" }),
  )
    .map(([assigns, words, redirect]) =>
      [...assigns, "cmd", ...words, redirect].filter((s) => s !== "").join(" ")
    ),
  command: fc.oneof(
    { maxDepth: 3 },
    tie("simple"),
    tie("list").map((l) => `{ ${l}; }`),
    tie("list").map((l) => `(${l})`),
    fc.tuple(tie("list"), tie("list")).map(([a, b]) => `if ${a}; then ${b}; fi`),
    fc.tuple(tie("list"), tie("list"), tie("list")).map(([a, b, c]) =>
      `if ${a}; then ${b}; else ${c}; fi > out`
    ),
    fc.tuple(NAME, WORD, tie("list")).map(([n, w, l]) => `for ${n} in ${w} end; do ${l}; done`),
    fc.tuple(tie("list"), tie("list")).map(([a, b]) => `while ${a}; do ${b}; done`),
    fc.tuple(WORD, tie("list")).map(([w, l]) => `case ${w} in a|b*) ${l};; *) ;; esac`),
    tie("list").map((l) => `fn() { ${l}; }`),
    fc.constant("for ((i = 0; i < 3; i++)); do echo $i; done"),
    fc.constant("[[ -n $x && ( $y == a* || ! $z =~ ^b+$ ) ]]"),
    fc.constant("((x += 1))"),
  ),
  pipeline: fc.array(tie("command"), { minLength: 1, maxLength: 2 }).map((c) => c.join(" | ")),
  list: fc.tuple(
    tie("pipeline"),
    fc.array(fc.tuple(fc.constantFrom(" && ", " || ", "; "), tie("pipeline")), { maxLength: 2 }),
  )
    .map(([first, rest]) => first + rest.map(([op, p]) => op + p).join("")),
}));

Deno.test("printStatements() gives text that parses to the same tree", () => {
  fc.assert(
    fc.property(list, (script) => {
      const tree = parse(script);
      const printed = printStatements(tree);
      assertEquals(bare(parse(printed)), bare(tree), `${script}\n---\n${printed}`);
    }),
    { numRuns: 300 },
  );
});

Deno.test("printStatements() shows what $'…' stands for, outside of what is nested", () => {
  const printed = (script: string) => printStatements(parse(script));
  assertEquals(printed("a $'x\\ty'\"$'z'\"'$'"), "a 'x\ty'\"$'z'\"'$'\n");
  assertEquals(printed("a $'it\\'s' $(b $'\\t')"), "a 'it'\\''s' $(b $'\\t')\n");
});

Deno.test("printStatements() keeps a backslash at the end of all", () => {
  assertEquals(printStatements(parse("echo a\\")), "echo a\\\\\n");
  assertEquals(printStatements(parse("echo a\\\\")), "echo a\\\\\n");
});

Deno.test("printStatements() copes with scripts of many commands", () => {
  assertEquals(printStatements(parse("a;".repeat(20_000))).length, 59_999);
});

Deno.test("parse() answers any text with a tree or a syntax error", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "$(",
      "${",
      "((",
      "))",
      "[[",
      "]]",
      "`",
      "'",
      '"',
      "\\",
      "\n",
      "<<E\n",
      "E\n",
      "<<<",
      ">(",
      "&&",
      "||",
      ";;",
      "case",
      "esac",
      "if",
      "then",
      "fi",
      "do",
      "done",
      "{",
      "}",
      "(",
      ")",
      "=",
      "a[",
      "]",
      "x=(",
      "$'",
      "#",
      " ",
      "!(",
      "@(",
    ),
    fc.string({ maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }).map((p) => p.join("")), (text) => {
      try {
        parse(text);
      } catch (error) {
        if (!(error instanceof ShellSyntaxError)) throw error;
      }
    }),
    { numRuns: 2000 },
  );
});

for (
  const [open, close] of [
    ["(", ")"],
    ["{ ", "; }"],
    ["$(", ")"],
    ["${x:-", "}"],
    ['"$(', ')"'],
    ["if ", "; then :; fi"],
    ["! ", ""],
    ["((", "))"],
  ]
) {
  Deno.test(`parse() bounds the nesting of ${open}`, () => {
    const text = open.repeat(20000) + ":" + close.repeat(20000);
    try {
      parse(text);
    } catch (error) {
      if (!(error instanceof ShellSyntaxError)) throw error;
    }
  });
}
