/** What happens when a run is interrupted, killed, or met by a second one. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type ChatBody, startChatServer } from "../support/chat_script.ts";
import { createProject, type RunningProgram } from "../support/program.ts";

/** Every call of the history has exactly one result, right behind its answer: what strict servers ask for. */
function assertPaired(body: ChatBody): void {
  body.messages.forEach((message, i) => {
    const wanted = (message.tool_calls ?? []).map((call) => call.id);
    const got: (string | undefined)[] = [];
    for (let j = i + 1; body.messages[j]?.role === "tool"; j++) got.push(body.messages[j].tool_call_id);
    if (wanted.length > 0) assertEquals(got, wanted);
  });
}

/** Waits for something to be seen from outside; fails when the program ends without it. */
async function until(running: RunningProgram, seen: () => boolean | Promise<boolean>): Promise<void> {
  let ended = false;
  void running.ended.then(() => ended = true);
  while (!await seen()) {
    if (ended) throw new Error(`ended too soon: ${(await running.ended).stderr}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function countLines(path: string): Promise<number> {
  try {
    return (await Deno.readTextFile(path)).split("\n").length - 1;
  } catch {
    return 0; // not written yet
  }
}

Deno.test("kill -9 while a command runs, then --continue: nothing acknowledged is lost, nothing runs twice", async () => {
  const server = startChatServer({
    turns: [
      {
        text: "First.",
        calls: [{ name: "bash", args: { command: "echo one >> count.txt; echo first-done" } }],
      },
      {
        text: "Second.",
        calls: [{ name: "bash", args: { command: "echo two >> count.txt; echo ready >&2; sleep 600" } }],
      },
      ({ body }) => {
        assertPaired(body);
        return { text: "I went on." };
      },
    ],
  });
  await using project = await createProject({ url: server.url });
  const killed = project.start(["run", "-o", "stream-json", "work"]);
  await killed.until('"tool_output"');
  while (await countLines(`${project.dir}/count.txt`) < 2) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  killed.kill("SIGKILL");
  await killed.ended;

  const ended = await project.run(["run", "-o", "json", "--continue", "go on"]);
  assertEquals([ended.code, ended.lines[0].text], [0, "I went on."], ended.stderr);
  assertEquals(await project.read("count.txt"), "one\ntwo\n");
  const { body } = server.requests[2];
  const texts = JSON.stringify(body.messages);
  for (const part of ["First.", "first-done", "Second.", "outcome not known", "go on"]) {
    assertStringIncludes(texts, part);
  }
  assertPaired(body);
  // The request after the crash starts with the bytes of the one before it.
  const before = JSON.stringify(server.requests[1].body.messages).slice(0, -1);
  assertEquals(texts.slice(0, before.length), before);
  await server.close();
});

Deno.test("kill -9 while the model answers, then --continue without a prompt goes on with the run", async () => {
  const server = startChatServer({
    turns: [{ hold: true }, { text: "Here it is." }],
  });
  await using project = await createProject({ url: server.url });
  const killed = project.start(["run", "-o", "stream-json", "the task"]);
  await until(killed, () => server.requests.length > 0);
  killed.kill("SIGKILL");
  await killed.ended;
  const ended = await project.run(["run", "-c"]);
  assertEquals([ended.code, ended.stdout], [0, "Here it is.\n"], ended.stderr);
  assertEquals(server.requests[1].body.messages.filter((message) => message.role === "user").length, 1);
  await server.close();
});

for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
  Deno.test(`${signal} ends the run and every process of its commands with ${code}; the session goes on`, async () => {
    const mark = String(10_000_000 + crypto.getRandomValues(new Uint32Array(1))[0]);
    // A program from outside: sleep and the like run inside the shell.
    const program = `node -e 'setInterval(() => {}, 1000)' ${mark}`;
    const server = startChatServer({
      turns: [
        { calls: [{ name: "bash", args: { command: `${program} & ${program}` } }] },
        ({ body }) => {
          assertPaired(body);
          return { text: "still here" };
        },
      ],
    });
    await using project = await createProject({
      url: server.url,
      settings: { sandbox: { exec: "allow" } },
    });
    const running = project.start(["run", "-o", "stream-json", "wait"]);
    await until(running, async () => (await processesNamed(mark)).length >= 2);
    running.kill(signal);
    const ended = await running.ended;
    assertEquals(ended.code, code, ended.stderr);
    assertEquals(ended.lines.at(-1)?.type, "run_end");
    assertEquals(await processesNamed(mark), []);
    const next = await project.run(["run", "-c", "and now?"]);
    assertEquals([next.code, next.stdout], [0, "still here\n"], next.stderr);
    await server.close();
  });
}

/** Command lines of living processes that contain the mark. */
async function processesNamed(mark: string): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(entry.name)) continue;
    try {
      const line = (await Deno.readTextFile(`/proc/${entry.name}/cmdline`)).replaceAll("\0", " ");
      if (line.includes(mark)) found.push(line);
    } catch {
      // It ended meanwhile.
    }
  }
  return found;
}

Deno.test("a second run on a session in use exits 5 and says who holds it", async () => {
  const server = startChatServer({ turns: [{ hold: true }] });
  await using project = await createProject({ url: server.url });
  const first = project.start(["run", "-o", "stream-json", "hold"]);
  await first.until("run_start");
  const second = await project.run(["run", "--continue", "me too"]);
  assertEquals(second.code, 5, second.stderr);
  assertStringIncludes(second.stderr, "in use");
  // What is said to do can be done as it stands.
  const words = [...second.stderr.matchAll(/`([^`]*)`/g)].map((match) => match[1].split(" "));
  const shown = await project.run(words[0].slice(1));
  assertEquals([words[0][0], shown.code], ["myelin", 0], shown.stderr);
  assertStringIncludes(shown.stdout, "hold");
  assertEquals(words[1].slice(2), ["--fork", "ENTRY"]);
  first.kill("SIGTERM");
  await first.ended;
  await server.close();
});

Deno.test("a call that only reads runs again by itself after a crash; its result is in the file", async () => {
  const server = startChatServer({
    turns: [
      {
        calls: [{ name: "grep", args: { pattern: "needle", path: "." } }, {
          name: "bash",
          args: { command: "sleep 600" },
        }],
      },
      { text: "found" },
    ],
  });
  await using project = await createProject({ url: server.url });
  await project.write("hay.txt", "a needle\n");
  const killed = project.start(["run", "-o", "stream-json", "search"]);
  await killed.until('"name":"bash"');
  killed.kill("SIGKILL");
  await killed.ended;
  const ended = await project.run(["run", "-c"]);
  assertEquals(ended.code, 0, ended.stderr);
  assertPaired(server.requests[1].body);
  assert(JSON.stringify(server.requests[1].body.messages).includes("a needle"));
  await server.close();
});
