import { assertEquals } from "@std/assert";
import { createSessionShell, type Interpreter, type ScriptIo } from "../../src/sandbox/shells.ts";

interface Started {
  readonly script: string;
  readonly cwd: string;
  readonly io: ScriptIo;
  end(status: number): void;
}

/** A language in which nothing happens until the test says so. */
function fakeInterpreter(started: Started[], start = "/ws"): Interpreter {
  let cwd = start;
  return {
    run(script, io) {
      return new Promise((resolve) => {
        const move = /^cd (.*)/.exec(script);
        if (move) cwd = move[1];
        started.push({ script, cwd, io, end: (status) => resolve({ status }) });
        io.signal.addEventListener("abort", () => resolve({ status: 143 }));
      });
    },
    cwd: () => cwd,
    chdir: (path) => void (cwd = path),
    jobs: () => [],
    endJobs: () => Promise.resolve(),
    fork: () => fakeInterpreter(started, cwd),
    memory: () => undefined,
    close() {},
  };
}

const io = () => ({ write() {}, signal: new AbortController().signal });

Deno.test("session shell: the folder of a command is its own, unless the command moves", async () => {
  const started: Started[] = [];
  const shell = createSessionShell(fakeInterpreter(started));
  const one = shell.run({ script: "ls", cwd: "/other", ...io() });
  started[0].end(0);
  assertEquals([started[0].cwd, (await one).cwd], ["/other", "/ws"]);
  const two = shell.run({ script: "cd /moved", ...io() });
  started[1].end(0);
  assertEquals((await two).cwd, "/moved");
});

Deno.test("session shell: background output is given once, and its status in the end", async () => {
  const started: Started[] = [];
  const shell = createSessionShell(fakeInterpreter(started));
  const id = shell.launch("serve", "/sub");
  assertEquals(started[0].cwd, "/sub");
  const buffer = new TextEncoder().encode("one\n");
  started[0].io.write(buffer);
  buffer.fill(0);
  const text = () => new TextDecoder().decode(shell.news(id)!.bytes);
  assertEquals([text(), text()], ["one\n", ""]);
  assertEquals([shell.news(id)!.running, shell.running()], [true, [id]]);
  started[0].end(3);
  await Promise.resolve();
  await Promise.resolve();
  assertEquals([shell.news(id)!.status, shell.running()], [3, []]);
  assertEquals(shell.news("nothing"), undefined);
});

Deno.test("session shell: background output that nobody looks at is bounded, and the loss is told", () => {
  const started: Started[] = [];
  const shell = createSessionShell(fakeInterpreter(started));
  const id = shell.launch("flood");
  for (let i = 0; i < 100; i++) started[0].io.write(new Uint8Array(10_000).fill(i));
  const news = shell.news(id)!;
  assertEquals(news.bytes.length + news.lost, 1_000_000);
  assertEquals(news.bytes.length <= 256 * 1024, true);
  assertEquals(news.bytes.at(-1), 99);
  assertEquals(shell.news(id)!.lost, 0);
});

Deno.test("session shell: kill ends a background shell and waits for its end", async () => {
  const started: Started[] = [];
  const shell = createSessionShell(fakeInterpreter(started));
  const id = shell.launch("serve");
  assertEquals(await shell.kill(id), true);
  assertEquals(shell.news(id)!.status, 143);
  assertEquals(await shell.kill("other"), false);
});

Deno.test("session shell: what a script leaves running is a background shell with news and an end", async () => {
  const started: Started[] = [];
  const jobs = [{ id: 1, command: "old &" }];
  const ended: number[] = [];
  const shell = createSessionShell({
    ...fakeInterpreter(started),
    jobs: () => jobs,
    endJobs(ids) {
      ended.push(...ids);
      jobs.splice(1);
      return Promise.resolve();
    },
  });
  const running = shell.run({ script: "serve & echo up", ...io() });
  jobs.push({ id: 2, command: "serve" });
  started[0].end(0);
  const { background, jobs: left } = await running;
  assertEquals([background, left], ["sh1", [{ id: 2, command: "serve" }]]);
  started[0].io.late?.(new TextEncoder().encode("listening\n"));
  const news = shell.news("sh1")!;
  assertEquals([new TextDecoder().decode(news.bytes), news.running, news.command], [
    "listening\n",
    true,
    "serve",
  ]);
  assertEquals(shell.running(), ["sh1"]);
  assertEquals(await shell.kill("sh1"), true);
  assertEquals([ended, shell.running(), shell.news("sh1")!.running], [[2], [], false]);
});
