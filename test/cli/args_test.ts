import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import {
  type CommandSpec,
  durationOption,
  helpText,
  numberOption,
  parseCommand,
  UsageError,
} from "../../src/cli/args.ts";
import { formatOf, readRunOptions } from "../../src/cli/run_options.ts";

const SPEC: CommandSpec = {
  usage: "thing [options] [WORD…]",
  summary: "Does a thing.",
  options: [
    { name: "color", short: "c", value: "NAME", choices: ["red", "blue"], help: "its colour" },
    { name: "file", short: "f", value: "FILE", repeat: true, help: "repeatable" },
    { name: "quiet", short: "q", help: "a switch" },
  ],
};

Deno.test("parseCommand() takes long, short, joined and repeated options between words", () => {
  const parsed = parseCommand(SPEC, [
    "one",
    "-c",
    "red",
    "--file=a",
    "two",
    "-f",
    "b",
    "-q",
    "--",
    "--three",
    "-",
  ]);
  assertEquals(parsed.positionals, ["one", "two", "--three", "-"]);
  assertEquals([parsed.get("color"), parsed.all("file"), parsed.has("quiet")], ["red", ["a", "b"], true]);
});

Deno.test("parseCommand() refuses what it does not know and says what is near", () => {
  const rows: [string[], string][] = [
    [["--colour", "red"], "Unknown option --colour"],
    [["-z"], "Unknown option -z"],
    [["--color", "green"], '"green" is not one of red, blue'],
    [["--color"], "needs a value"],
    [["--color="], "needs a value"],
    [["-c", "red", "-c", "blue"], "2 times"],
  ];
  for (const [args, says] of rows) {
    assertStringIncludes(assertThrows(() => parseCommand(SPEC, args), UsageError).message, says);
  }
  assertStringIncludes(
    assertThrows(() => parseCommand(SPEC, ["--colr", "red"]), UsageError).hint ?? "",
    "--color",
  );
});

Deno.test("parseCommand() refuses words beyond those of the usage line, unless only help is wanted", () => {
  const rows: [string, number][] = [
    ["thing [options]", 0],
    ["thing show ID|FILE [--format a|b]", 1],
    ["thing undo [ID|FILE] [options]", 1],
  ];
  for (const [usage, most] of rows) {
    const spec = { ...SPEC, usage };
    const words = Array.from({ length: most }, (_, i) => `w${i}`);
    assertEquals(parseCommand(spec, words).positionals, words);
    const refused = assertThrows(() => parseCommand(spec, [...words, "extra"]), UsageError);
    assertStringIncludes(refused.message, '"extra"');
    assertEquals(refused.hint, `Usage: myelin ${usage}`);
    assertEquals(parseCommand(spec, ["--help", ...words, "extra"]).has("help"), true);
  }
  assertEquals(parseCommand(SPEC, ["a", "b", "c"]).positionals.length, 3);
});

Deno.test("parseCommand() reads joined short values and negative numbers", () => {
  const parsed = parseCommand(SPEC, ["-cred", "-f-1", "--file", "-2", "word"]);
  assertEquals([parsed.get("color"), parsed.all("file"), parsed.positionals], ["red", ["-1", "-2"], [
    "word",
  ]]);
});

Deno.test("helpText() names every option", () => {
  const text = helpText(SPEC);
  for (const part of ["Usage: myelin thing", "--color red|blue", "-f, --file FILE", "-h, --help"]) {
    assertStringIncludes(text, part);
  }
});

Deno.test("helpText() makes a sentence of a summary that is written for a list", () => {
  assertStringIncludes(helpText({ ...SPEC, summary: "what is there" }), "\n\nWhat is there.\n\n");
  assertStringIncludes(helpText({ ...SPEC, summary: "It is done.\nTopics: a, b" }), "Topics: a, b\n\n");
});

Deno.test("durationOption() and numberOption() read what people write and refuse the rest", () => {
  assertEquals(["500ms", "90s", "5m", "2h", "1.5s", "7"].map((text) => durationOption("t", text)), [
    500,
    90_000,
    300_000,
    7_200_000,
    1500,
    7000,
  ]);
  for (const text of ["soon", "-1s", "", "5 minutes"]) {
    assertThrows(() => durationOption("t", text), UsageError);
  }
  assertEquals(numberOption("n", "3", 1, true), 3);
  for (const text of ["0", "1.5", "x", " "]) assertThrows(() => numberOption("n", text, 1, true), UsageError);
});

Deno.test("readRunOptions() keeps words, finds the dash and refuses options that exclude each other", () => {
  const options = readRunOptions([
    "mend",
    "the",
    "-",
    "tests",
    "--tools",
    "read, grep",
    "-a",
    "x.png",
    "-a",
    "y.png",
  ]);
  assertEquals([options?.prompt, options?.dash, options?.tools, options?.attach], ["mend the tests", true, [
    "read",
    "grep",
  ], ["x.png", "y.png"]]);
  for (const args of [["-c", "-r", "x"], ["--no-session", "-c"], ["--tools", "read", "--no-tools"]]) {
    assertThrows(() => readRunOptions(args), UsageError, "exclude");
  }
  assertEquals(readRunOptions(["--help"]), undefined);
});

Deno.test("formatOf() finds the format of a command line that is wrong otherwise", () => {
  assertEquals(
    [["-o", "json", "--nope"], ["--output=stream-json"], ["--nope"], ["--", "-o", "json"]].map(formatOf),
    ["json", "stream-json", "text", "text"],
  );
});
