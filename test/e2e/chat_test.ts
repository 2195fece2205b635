import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { type ChatServer, type ChatTurn, startChatServer } from "../support/chat_script.ts";
import { createProject } from "../support/program.ts";
import { countClears, replayTerminal } from "../support/terminal_record.ts";
import { openPane, type Pane } from "./chat_tmux.ts";

const ignore = (Deno.env.get("MYELIN_MISSING") ?? "").split(",").includes("tmux");

const asking: readonly ChatTurn[] = [
  { text: "I look.", calls: [{ name: "bash", args: { command: "curl --version > out.txt; echo made" } }] },
  { text: "It is **done**." },
];
const SETTINGS = { permissions: { ask: ["run(curl *)"] } };

Deno.test({
  name: "chat: start, prompt, approve, resize, quit, resume",
  ignore,
  async fn() {
    await using server = closing(talking([...asking, { text: "Again at work." }]));
    await using project = await createProject({ url: server.url, settings: SETTINGS });
    {
      await using pane = await openPane(project);
      await pane.until("mock/mock-1");
      await pane.text("make a file");
      await pane.keys("Enter");
      const asked = await pane.until("[y] once");
      assertStringIncludes(asked, "Allow this?");
      assertStringIncludes(asked, "curl");
      // Keys count when they are bright: not before somebody can have read the question.
      await untilTaken(pane, "y", "Allow this?");
      await pane.until("It is done.");
      await pane.resize(40, 12);
      const narrow = await pane.until(/It is done\.[^]*mock\/mock-1/);
      assert(narrow.split("\n").every((line) => [...line].length <= 40));
      await pane.resize(80, 24);
      await pane.keys("C-d");
      assertEquals(await pane.status(), 0);
    }
    await using pane = await openPane(project, ["--continue"]);
    const resumed = await pane.until("It is done.");
    assertStringIncludes(resumed, "› make a file");
    assertMatch(resumed, /● bash curl/);
    await pane.text("go on");
    await pane.keys("Enter");
    await pane.until("Again at work.");
    await pane.keys("C-c");
    await pane.until("Ctrl-C again quits");
    await pane.keys("C-c");
    assertEquals(await pane.status(), 0);
  },
});

Deno.test({
  name: "chat: Esc ends a run and keeps what was done; the next prompt goes on",
  ignore,
  async fn() {
    await using server = closing(talking([
      { text: "First this.", calls: [{ name: "bash", args: { command: "echo one; sleep 100" } }] },
      { text: "Second." },
    ]));
    await using project = await createProject({ url: server.url });
    await using pane = await openPane(project);
    await pane.until("mock/mock-1");
    await pane.text("work");
    await pane.keys("Enter");
    await pane.until("  one");
    await pane.keys("Escape");
    const ended = await pane.until("Interrupted. What was done is kept.");
    assertStringIncludes(ended, "First this.");
    await pane.text("go on");
    await pane.keys("Enter");
    await pane.until("Second.");
  },
});

Deno.test({
  name: "chat: what is said while it works is told to the run, or waits for its end",
  ignore,
  async fn() {
    await using server = closing(talking([
      { text: "I wait.", calls: [{ name: "bash", args: { command: "sleep 1; echo slept" } }] },
      { text: "Heard." },
      { text: "And the other." },
    ]));
    await using project = await createProject({ url: server.url });
    await using pane = await openPane(project);
    await pane.until("mock/mock-1");
    await pane.text("work");
    await pane.keys("Enter");
    await pane.until("I wait.");
    await pane.text("also this");
    await pane.keys("Enter");
    await pane.until("next: also this");
    await pane.text("and later that");
    await pane.keys("M-Enter");
    await pane.until("then: and later that");
    await pane.until("And the other.");
    const [, second, third] = server.requests.filter(({ body }) => body.tools !== undefined)
      .map(({ text }) => text);
    assertStringIncludes(second, "also this");
    assert(!second.includes("and later that"));
    assertStringIncludes(third, "and later that");
  },
});

Deno.test({
  name: "chat: the terminal is given back after SIGTERM, and the session goes on later",
  ignore,
  async fn() {
    await using server = closing(talking([{ hold: true }]));
    await using project = await createProject({ url: server.url });
    await using pane = await openPane(project);
    await pane.until("mock/mock-1");
    await pane.text("work");
    await pane.keys("Enter");
    await pane.until("interrupts");
    await killTree(pane.pid, "SIGTERM");
    assertEquals(await pane.status(), 143);
    await pane.text("typed");
    // The line discipline echoes again: the terminal is not raw any more.
    await pane.until("typed");
  },
});

Deno.test("myelin without a terminal says how to use run, and ends with 2", async () => {
  await using project = await createProject();
  const { code, stderr, stdout } = await project.run([]);
  assertEquals(code, 2);
  assertEquals(stdout, "");
  assertStringIncludes(stderr, "myelin run");
});

/** A server that says these in turn; whoever asks for a title gets one, and takes no turn. */
function talking(turns: readonly ChatTurn[]): ChatServer {
  const left = [...turns];
  return startChatServer({
    repeatLast: true,
    turns: [
      (request) =>
        (request.body.tools ?? []).length === 0 ? { text: "Title" } : left.shift() ?? { text: "No more." },
    ],
  });
}

/** Answers the panel with that text. It takes keys only after it could be read: until then they go to the draft. */
async function untilTaken(pane: Pane, key: string, text: string): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await pane.keys(key);
  await pane.until(text, true);
}

/** Sends a signal to the program below the pane's shell. */
async function killTree(shell: number, signal: Deno.Signal): Promise<void> {
  const children = await Deno.readTextFile(`/proc/${shell}/task/${shell}/children`);
  for (const pid of children.trim().split(/\s+/)) Deno.kill(Number(pid), signal);
}

function closing<T extends { close(): Promise<void> }>(server: T): T & AsyncDisposable {
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.close() });
}

Deno.test({
  name:
    "chat: Ctrl-Z gives the shell its terminal, fg goes on; an editor gets every key, and its text comes back",
  ignore,
  async fn() {
    await using server = closing(talking([{ text: "Understood." }]));
    await using project = await createProject({ url: server.url });
    await project.write("edit.sh", 'echo ready; printf "typed there: " >> "$1"; head -n 1 >> "$1"\n');
    await using pane = await openPane(project, [], { shell: true, env: { EDITOR: "sh edit.sh" } });
    await pane.until("mock/mock-1");
    await pane.keys("C-z");
    await pane.until("Stopped");
    await pane.text("echo in the shell");
    await pane.keys("Enter");
    await pane.until(/^in the shell/m);
    await pane.text("fg");
    await pane.keys("Enter");
    await pane.until("mock/mock-1");
    await pane.text("draft ");
    await pane.keys("C-g");
    await pane.until(/^ready/m);
    await pane.text("words");
    await pane.keys("Enter");
    await pane.until("mock/mock-1");
    await pane.keys("Enter");
    await pane.until("Understood.");
    assertStringIncludes(server.requests[0].text, "draft typed there: words");
  },
});

Deno.test({
  name: "chat --plain: lines only, no sequence that moves or erases; questions are answered by lines",
  ignore,
  async fn() {
    await using server = closing(talking(asking));
    await using project = await createProject({ url: server.url, settings: SETTINGS });
    await using pane = await openPane(project, ["--plain"]);
    await pane.until("Type a line");
    await pane.text("make a file");
    await pane.keys("Enter");
    await pane.until("Answer: yes");
    // An answer that comes before anybody can have read the question counts for nothing.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await pane.text("yes");
    await pane.keys("Enter");
    await pane.until("Ready.");
    await pane.text("/quit");
    await pane.keys("Enter");
    assertEquals(await pane.status(), 0);
    assertNotMatch(await pane.raw(), /\x1b\[[\d;?]*[A-HJKf]/);
  },
});

Deno.test({
  name: "chat: where no model is set up, keys lead to the tour, to a key, or out",
  ignore,
  async fn() {
    await using project = await createProject();
    await using pane = await openPane(project);
    const first = await pane.until("Press a key");
    for (const words of ["Sign in", "Take the tour", "Quit"]) assertStringIncludes(first, words);
    await pane.keys("1");
    await pane.until("Which provider?");
    await pane.keys("2");
    await pane.until("API key of anthropic");
    await pane.keys("C-c");
    // It asks again.
    await pane.until(/Nothing was changed[^]*Press a key/);
    await pane.keys("q");
    assertEquals(await pane.status(), 2);
    assertStringIncludes(await pane.screen(), "--model demo/tour");
  },
});

Deno.test({
  name: "chat --plain: the first screen and the tour go by lines; --continue finds the tour again",
  ignore,
  async fn() {
    await using project = await createProject();
    let folder = "";
    {
      await using pane = await openPane(project, ["--plain"]);
      await pane.until("then Enter");
      const shown = await pane.screen();
      await pane.text(/(\d) +Take the tour/.exec(shown)![1]);
      await pane.keys("Enter");
      await pane.until("Press Enter and watch");
      await pane.keys("Enter");
      await pane.until("All tests pass");
      await pane.until("Ready.");
      await pane.text("/quit");
      await pane.keys("Enter");
      assertEquals(await pane.status(), 0);
      const all = (await pane.history()).replaceAll("\n", "");
      assertMatch(all, /To go on: myelin --model demo\/tour --resume [0-9a-f-]+/);
      folder = /small project in (\S+?)\. Press/.exec(all)![1];
    }
    await using pane = await openPane(project, ["-m", "demo/tour", "--continue"]);
    assertStringIncludes(await pane.until("All tests pass"), "cart.sh");
    await pane.text("/undo");
    await pane.keys("Enter");
    await pane.until(/Put back: .*cart\.sh/);
    assertStringIncludes(await Deno.readTextFile(`${folder}/cart.sh`), "-gt 5000");
    await pane.keys("C-d");
    assertEquals(await pane.status(), 0);
    await Deno.remove(folder.replace(/\/cart$/, ""), { recursive: true });
  },
});

Deno.test({
  name: "chat: a long answer clears nothing, writes little, and leaves alone what has scrolled out",
  ignore,
  async fn() {
    const paragraph =
      "Some **words** and `code`, enough of them that the line has to be wrapped at eighty.\n\n" +
      "```ts\nexport const limit = 5000; // cents\n```\n\n- one\n- two\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n";
    const text = paragraph.repeat(20);
    const pieces = Math.ceil(text.length / 12);
    await using server = closing(talking([
      { text, calls: [{ name: "bash", args: { command: "seq 60" } }] },
      { text: `${text}The end.` },
    ]));
    await using project = await createProject({ url: server.url });
    await using pane = await openPane(project);
    await pane.until("mock/mock-1");
    const before = (await pane.raw()).length;
    await pane.text("go");
    await pane.keys("Enter");
    await pane.until("The end.");
    const written = await pane.raw();
    assertEquals(countClears(written), 0);
    assert((written.length - before) / (2 * pieces) <= 200);
    const terminal = replayTerminal(80, 24);
    for (let at = 0; at < written.length; at += 500) {
      await terminal.write(written.slice(at, at + 500));
      assertEquals(terminal.changes(), []);
      if (terminal.scrolledOut > 50) terminal.scrollUp(50);
    }
    assert(terminal.scrolledOut > 200);
  },
});
