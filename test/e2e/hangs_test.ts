/**
 * Commands that hang agents, through the whole program: each is answered, by
 * itself or at the limit that the call names, and once the program has ended
 * nothing runs on. Processes are found by the home that they have inherited;
 * that they were there before is checked where a case starts one.
 */
import { assert, assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { startChatServer } from "../support/chat_script.ts";
import { createProject, type Project } from "../support/program.ts";

interface Case {
  readonly what: string;
  readonly command: string;
  readonly answer: RegExp;
  /** Seconds; such a command is ended by the limit, every other one by itself. */
  readonly limit?: number;
  /** Whether processes of it are there when the model gets its answer. */
  readonly stays?: true;
}

const JOB = /\[1 job still running as sh\d+ \(bash_output, kill_shell\): \[1\] /;
/** A program that says when it is there, and stays. */
const UP = "bin/prog -c 'echo > up; exec bin/sleep 300'";
const LIMIT = /ended after the time limit of 1 s/;

const CASES: readonly Case[] = [
  {
    what: "a background program that holds the output",
    command: `${UP} & until [ -e up ]; do bin/sleep 0.02; done; echo started`,
    answer: new RegExp(`^started\n${JOB.source}`),
    stays: true,
  },
  {
    what: "a background loop that goes on writing",
    command: "(while :; do echo tick; bin/sleep 0.05; done) & bin/sleep 0.2; echo front-done",
    answer: new RegExp(`front-done\n(?:tick\n)*${JOB.source}`),
  },
  {
    what: "a program in a session of its own, as a job",
    command: `setsid -w ${UP} & until [ -e up ]; do bin/sleep 0.02; done; echo up`,
    answer: new RegExp(`^up\n${JOB.source}`),
    stays: true,
  },
  {
    what: "a program that leaves its parent behind",
    command: `setsid -f ${UP}; i=0; until [ -e up ] || [ $((i++)) = 100 ]; do bin/sleep 0.02; done; echo up`,
    answer: /^up\n/,
    stays: true,
  },
  {
    what: "a job that the script disowns",
    command: `${UP} > /dev/null 2>&1 & disown; until [ -e up ]; do bin/sleep 0.02; done; echo on`,
    answer: new RegExp(`^on\n${JOB.source}`),
    stays: true,
  },
  {
    what: "a background program of a subshell that has ended",
    command: `(${UP} > /dev/null &); until [ -e up ]; do bin/sleep 0.02; done; echo on`,
    answer: new RegExp(`^on\n${JOB.source}`),
    stays: true,
  },
  {
    what: "git's editor for a commit",
    command: "git init -q . && git add bin/true && git -c user.name=t -c user.email=t@example.invalid commit",
    answer: /editor[\s\S]*-m or -F[\s\S]*exit status 1\]/,
  },
  {
    what: "git's editor for a tag, and its pager",
    command: `git init -q g && cd g && git config user.name t && git config user.email t@example.invalid &&
      git commit -q --allow-empty -m one && git -c core.pager='less' log --format=%s && git tag -a v1; echo rc=$?`,
    answer: /^one\n[\s\S]*editor[\s\S]*rc=1/,
  },
  {
    what: "git's question for a password",
    command: "printf 'protocol=https\\nhost=example.invalid\\n\\n' | git credential fill; echo rc=$?",
    answer: /rc=128/,
  },
  {
    what: "a question on the terminal",
    command: "read -p 'Name: ' x < /dev/tty; echo got=$?; bin/cat /dev/tty; echo cat=$?",
    answer: /got=1\n[\s\S]*cat=1/,
  },
  { what: "programs that read stdin", command: "cat; bin/cat; read x; echo rc=$?", answer: /^rc=1\n$/ },
  {
    what: "a writer without a reader",
    command:
      "bin/yes | head -1; yes | head -c 3000000 | tail -c 2; bin/yes | bin/true; echo ${PIPESTATUS[0]}",
    answer: /^y\ny\n141\n$/,
  },
  {
    what: "a reader of a process substitution that never writes",
    command: "read -t 0.1 x < <(bin/sleep 300); echo rc=$?",
    answer: new RegExp(`^rc=142\n${JOB.source}<\\(bin/sleep 300\\)`),
  },
  { what: "an endless program", command: "bin/yes", answer: LIMIT, limit: 1 },
  { what: "an endless loop of the shell", command: "while :; do :; done", answer: LIMIT, limit: 1 },
  { what: "an endless sleep", command: "sleep infinity", answer: LIMIT, limit: 1 },
  { what: "an endless look at a file", command: "tail -f bin/true | grep -c never", answer: LIMIT, limit: 1 },
  {
    what: "an endless search with a pattern",
    command: `s=$(printf 'x%.0s' {1..60}); while [[ ! $s =~ ^(x+x+)+y && ! $s == +(+(x))y ]]; do :; done`,
    answer: LIMIT,
    limit: 1,
  },
  {
    what: "a tree of programs",
    command: "for i in 1 2 3; do (bin/sleep 300 & bin/sleep 300) & done; wait",
    answer: LIMIT,
    limit: 1,
  },
  {
    what: "a program that ignores SIGTERM",
    command: "bin/prog -c 'trap \"\" TERM HUP INT; while :; do bin/sleep 1; done'",
    answer: LIMIT,
    limit: 1,
  },
  { what: "a shell that stops itself", command: "kill -STOP $$; echo resumed", answer: /^resumed\n$/ },
  {
    what: "a program that stops itself",
    command: "bin/prog -c 'kill -STOP $$; echo resumed'",
    answer: LIMIT,
    limit: 1,
  },
  {
    what: "a folder that is removed below the shell",
    command: 'd=$(mktemp -d); cd "$d"; rmdir "$d"; pwd > /dev/null; echo still',
    answer: /^still\n$/,
  },
  {
    what: "an argument of 300,000 bytes",
    command:
      "printf '%s' \"$(head -c 300000 /dev/zero | tr '\\0' a)\" | wc -c; bin/true $(printf %0300000d 0); echo rc=$?",
    answer: /^300000\n[\s\S]*rc=(0|126)\n/,
  },
];

/** Programs by these paths are programs, not commands of the shell. */
const PROGRAMS = ["sleep", "yes", "true", "cat"];

/** Processes that have this home in their environment, the program itself left out. */
function processesOf(home: string): string[] {
  const found: string[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (!Deno.readTextFileSync(`/proc/${name}/environ`).includes(`HOME=${home}\0`)) continue;
      const line = Deno.readTextFileSync(`/proc/${name}/cmdline`).replaceAll("\0", " ").trim();
      if (line.includes("sleep") || line.includes("yes") || line.includes("prog")) {
        found.push(`${name} ${line}`);
      }
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

async function put(project: Project): Promise<void> {
  await Deno.mkdir(`${project.dir}/bin`);
  for (const name of PROGRAMS) await Deno.copyFile(`/usr/bin/${name}`, `${project.dir}/bin/${name}`);
  // By its own name it would run inside the shell.
  await Deno.copyFile("/bin/sh", `${project.dir}/bin/prog`);
}

for (const mode of ["workspace", "off"]) {
  for (const one of CASES) {
    Deno.test({
      name: `bash answers and leaves nothing behind (sandbox ${mode}): ${one.what}`,
      ignore: Deno.build.os !== "linux",
      fn: async () => {
        let answer = "";
        let during: string[] = [];
        let home = "";
        const server = startChatServer({
          turns: [
            { calls: [{ name: "bash", args: { command: one.command, timeout: one.limit ?? 100 } }] },
            (request) => {
              answer = String(request.body.messages.findLast((message) => message.role === "tool")?.content);
              during = processesOf(home);
              return { text: "done" };
            },
          ],
        });
        try {
          await using project = await createProject({ url: server.url });
          home = project.home;
          await put(project);
          const { code, stderr } = await project.run(["run", "--sandbox", mode, "go"]);
          assertEquals(code, 0, stderr);
          assertMatch(answer, one.answer);
          if (one.limit === undefined) assertNotMatch(answer, /time limit/);
          if (one.stays) {
            assert(during.length > 0, "the program that was to stay was not found");
          } else if (!JOB.test(answer)) assertEquals(during, []);
          assertEquals(processesOf(home), []);
        } finally {
          await server.close();
        }
      },
    });
  }
}
