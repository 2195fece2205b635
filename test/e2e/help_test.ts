/** Help and mistakes of every command, as they are met in a terminal of 80 columns. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { createProject, type Project } from "../support/program.ts";

/** What a command's help says; fails where it does not end well or is too wide. */
async function helpOf(project: Project, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await project.run([...words, "--help"]);
  assertEquals([code, stderr], [0, ""], words.join(" "));
  assertEquals(stdout.split("\n").filter((line) => [...line].length > 80), [], words.join(" "));
  return stdout;
}

const namesIn = (text: string, row: RegExp) => [...text.matchAll(row)].map((match) => match[1]);

Deno.test("--help of every command ends with 0 and fits 80 columns", async () => {
  await using project = await createProject();
  const top = await helpOf(project);
  const commands = namesIn(top.slice(top.indexOf("Commands:"), top.indexOf("Options:")), /^ {2}(\w+) /gm);
  assert(commands.length > 8, top);
  const inner = await Promise.all(commands.map(async (command) => {
    const names = namesIn(await helpOf(project, command), new RegExp(`^ {2}myelin ${command} (\\w+)`, "gm"));
    return names.map((name) => [command, name]);
  }));
  const groups = inner.flat().filter(([command]) =>
    ["sessions", "config", "auth", "debug"].includes(command)
  );
  assert(groups.length > 15, groups.join());
  await Promise.all(groups.map((words) => helpOf(project, ...words)));
});

Deno.test("a wrong command line ends with 2, says what is wrong in one line, and what is near", async () => {
  await using project = await createProject();
  const rows: [string[], RegExp, string][] = [
    [["rnu"], /There is no command "rnu"/, "myelin run"],
    [["version"], /There is no command "version"/, "--version"],
    [["run", "--modle", "x"], /Unknown option --modle/, "--model"],
    [["run", "--model"], /--model needs a value/, ""],
    [["run", "--output", "jsn", "x"], /"jsn" is not one of text, json, stream-json/, ""],
    [["sessions", "lst"], /There is no "myelin sessions lst"/, "myelin sessions list"],
    [["config", "shwo"], /There is no "myelin config shwo"/, "myelin config show"],
    [["sessions", "undo", "--rdo"], /Unknown option --rdo/, "--redo"],
    [["auth", "login", "--kye"], /Unknown option --kye/, "--key"],
    [["docs", "--nope"], /Unknown option --nope/, "myelin docs --help"],
    [["sh", "--nope"], /nope/, ""],
    [["--modle", "x"], /Unknown option --modle/, "--model"],
  ];
  await Promise.all(rows.map(async ([args, says, near]) => {
    const { code, stdout, stderr } = await project.run(args);
    assertEquals([code, stdout], [2, ""], args.join(" "));
    assertMatch(stderr, says);
    assertStringIncludes(stderr, near);
    assert(stderr.trim().split("\n").length <= 3, stderr);
  }));
});
