/** Secrets of a project and of the environment: nowhere but in files and programs. */
import { assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import { type ChatTurn, startChatServer } from "../support/chat_script.ts";
import { createProject, type Project } from "../support/program.ts";

const DB = "db-CANARY-4f1e9b";
const API = "api-CANARY-77aa01c2";
const DEEP = "deep-CANARY-5d6c";
const FAR = "far-CANARY-value-xyz";
const ENV = "env-CANARY-91b2d3";
const TYPED = ["ghp", "_", "CANARY0123456789abcdefghijABCDEFGHIJ"].join("");

async function setUp(project: Project): Promise<void> {
  await project.write(".env", `PORT=3000\nDB_PASSWORD=${DB}\nAPI_TOKEN=${API}\n`);
  await project.write("services/mail/.env.production", `SMTP_PASS=${DEEP}\n`);
  await project.write("config.ts", `export const password = "${DB}";\n`);
  await project.write("a/b/c/d/e/f/g/h/.env", `FAR_PASSWORD=${FAR}\n`);
  await project.write("examples/.env.demo", "DEMO_PASSWORD=demo-visible-1\n");
}

/** Everything below a folder, as text. */
async function everything(folder: string): Promise<string> {
  let all = "";
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) all += await everything(path);
    else if (entry.isFile) all += `${path}\n${new TextDecoder().decode(await Deno.readFile(path))}`;
  }
  return all;
}

async function play(
  turns: readonly ChatTurn[],
  prompt: string,
  check: (
    run: { project: Project; sent: string; stdout: string; stderr: string; results: readonly string[] },
  ) => Promise<void> | void,
  settings: Readonly<Record<string, unknown>> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<void> {
  const server = startChatServer({ turns: [...turns, { text: "done" }] });
  try {
    await using project = await createProject({ url: server.url, settings });
    await setUp(project);
    for (const [path, text] of Object.entries(files)) await project.write(path, text);
    const ended = await project.run(["run", "-o", "stream-json", "-v", prompt], {
      env: { SERVICE_TOKEN: ENV },
    });
    assertEquals(ended.code, 0, ended.stderr + ended.stdout);
    await check({
      project,
      sent: server.requests.map(({ text }) => text).join("\n"),
      stdout: ended.stdout,
      stderr: ended.stderr,
      results: server.requests.at(-1)!.body.messages.filter(({ role }) => role === "tool").map((
        { content },
      ) => JSON.stringify(content)),
    });
  } finally {
    await server.close();
  }
}

Deno.test("secrets: reading, printing, encoding and searching show marks, to the model, on stdout and in the session", () =>
  play(
    [
      {
        calls: [
          { name: "read", args: { path: ".env" } },
          { name: "read", args: { path: "config.ts" } },
          { name: "grep", args: { pattern: "CANARY", path: "." } },
        ],
      },
      {
        calls: [
          {
            name: "bash",
            args: { command: "cat services/mail/.env.production; base64 .env; sed -n 2p .env | cut -c 13-" },
          },
          {
            name: "bash",
            args: { command: "for i in 1 2 3 4 5; do printf '%s' \"$(sed -n 3p .env)\"; done; echo" },
          },
          { name: "bash", args: { command: "cat a/b/c/d/e/f/g/h/.env" } },
          { name: "bash", args: { command: "i=0; while [ $i -lt 3000 ]; do cat .env; i=$((i+1)); done" } },
        ],
      },
    ],
    `use the token ${TYPED}, please; and ${ENV}`,
    async ({ project, sent, stdout, stderr, results }) => {
      const session = await everything(`${project.home}/.myelin/sessions`);
      for (const place of [sent, stdout, stderr, session]) {
        for (const secret of [DB, API, DEEP, FAR, ENV, TYPED]) {
          assertFalse(place.includes(secret), `${secret} in ${place.slice(0, 300)}`);
        }
      }
      assertStringIncludes(results[0], "DB_PASSWORD=[hidden: DB_PASSWORD]");
      assertStringIncludes(results[0], "PORT=3000");
      assertStringIncludes(results[1], "[hidden: DB_PASSWORD]");
      assertStringIncludes(results[3], "SMTP_PASS=[hidden: SMTP_PASS]");
      assertStringIncludes(sent, "use the token [hidden: GITHUB_TOKEN], please; and [hidden: SERVICE_TOKEN]");
      assertFalse(sent.includes(btoa(DB).slice(2, -4)));
      assertEquals(await project.read(".env"), `PORT=3000\nDB_PASSWORD=${DB}\nAPI_TOKEN=${API}\n`);
    },
  ));

Deno.test("secrets: a mark in a file, an edit or a command is the value there, and a mark again in what comes back", () =>
  play(
    [
      { calls: [{ name: "read", args: { path: ".env" } }] },
      {
        calls: [
          { name: "write", args: { path: "out.txt", content: "pw: [hidden: DB_PASSWORD]\n" } },
          {
            name: "edit",
            args: {
              path: ".env",
              edits: [{
                oldText: "DB_PASSWORD=[hidden: DB_PASSWORD]",
                newText: "OLD=[hidden: DB_PASSWORD]\nDB_PASSWORD=fresh-value-1",
              }],
            },
          },
          { name: "bash", args: { command: "echo '[hidden: API_TOKEN]' | tee made.txt | wc -c" } },
          {
            name: "bash",
            args: { command: "cat out.txt made.txt .env; echo 'literal [hidden: NOBODY]' > lit.txt" },
          },
        ],
      },
    ],
    "go",
    async ({ project, sent, stdout, results }) => {
      assertEquals(await project.read("out.txt"), `pw: ${DB}\n`);
      assertEquals(await project.read("made.txt"), `${API}\n`);
      assertEquals(
        await project.read(".env"),
        `PORT=3000\nOLD=${DB}\nDB_PASSWORD=fresh-value-1\nAPI_TOKEN=${API}\n`,
      );
      assertEquals(await project.read("lit.txt"), "literal [hidden: NOBODY]\n");
      for (const secret of [DB, API]) assertFalse(sent.includes(secret) || stdout.includes(secret), secret);
      // What the model itself has made up becomes a secret as soon as it stands in such a file.
      assertStringIncludes(results[4], "DB_PASSWORD=[hidden: DB_PASSWORD 2]");
    },
  ));

Deno.test("secrets: a file that the user names as readable may be seen, and nothing else", () =>
  play(
    [{
      calls: [{ name: "read", args: { path: "examples/.env.demo" } }, {
        name: "read",
        args: { path: ".env" },
      }],
    }],
    "go",
    ({ results }) => {
      assertStringIncludes(results[0], "demo-visible-1");
      assertFalse(results[1].includes(DB));
    },
    { secrets: { readable: ["./examples/**"] } },
  ));

Deno.test("secrets: masking can be switched off by the user, and not by a project", async () => {
  await play(
    [{ calls: [{ name: "read", args: { path: ".env" } }] }],
    "go",
    ({ results }) => assertStringIncludes(results[0], DB),
    { secrets: { mask: false } },
  );
  const server = startChatServer({
    turns: [{ calls: [{ name: "read", args: { path: ".env" } }] }, { text: "done" }],
  });
  await using project = await createProject({ url: server.url });
  await setUp(project);
  await project.write(
    ".myelin/settings.json",
    JSON.stringify({ secrets: { mask: false, readable: ["**"] } }),
  );
  const ended = await project.run(["run", "go"]);
  assertStringIncludes(ended.stderr, "secrets.mask");
  assertFalse(server.requests[1].text.includes(DB));
  await server.close();
});

Deno.test("secrets: what the model writes itself, in words, arguments and made-up names, stands nowhere but in files", () =>
  play(
    [
      {
        text: `I know ${DB} and ${ENV}`,
        calls: [
          { name: "write", args: { path: "made.txt", content: `pw ${DB}\n` } },
          { name: `use_${API}`, args: { [`key_${API}`]: API } },
          { name: "bash", args: { command: `echo '${DB}' | wc -c; ls ${API}` } },
          { name: "grep", args: { pattern: DB, path: "config.ts" } },
        ],
      },
    ],
    "go",
    async ({ project, stdout, stderr, sent, results }) => {
      const session = await everything(`${project.home}/.myelin/sessions`);
      for (const [name, place] of Object.entries({ stdout, stderr, sent, session })) {
        for (const secret of [DB, API, ENV]) {
          assertFalse(
            place.includes(secret),
            `${name}: ${place.slice(Math.max(0, place.indexOf(secret) - 300))}`,
          );
        }
      }
      assertEquals(await project.read("made.txt"), `pw ${DB}\n`);
      assertStringIncludes(results[2], String(DB.length + 1));
      assertStringIncludes(results[3], "1:export const password");
    },
  ));

Deno.test("secrets: a private key is one mark in a file that is read and in output that is printed line by line", () => {
  const linesOf = (word: string) =>
    Array.from({ length: 6 }, (_, i) => `MIIEv${word}CANARY${i}`.padEnd(64, "aB3/x"));
  const [lines, kept] = [linesOf("printed"), linesOf("kept")];
  const [begin, end] = ["BEGIN", "END"].map((word) => `-----${word} RSA PRIVATE ${"KEY"}-----`);
  return play(
    [
      { calls: [{ name: "bash", args: { command: `printf '%s\\n' "${begin}" > k.txt` } }] },
      {
        calls: [
          {
            name: "bash",
            args: {
              command: [begin, ...lines, end].map((line) => `echo "${line.slice(0, 9)}""${line.slice(9)}"`)
                .join(
                  "; ",
                ),
            },
          },
          { name: "bash", args: { command: "cat keys/server.pem; tail -n 3 keys/server.pem | head -n 1" } },
        ],
      },
    ],
    "go",
    ({ results }) => {
      assertStringIncludes(results[1], "[hidden: PRIVATE_KEY");
      assertFalse(results[1].includes(lines[3].slice(9, 40)));
      assertFalse(results[2].includes("CANARY4"), results[2]);
      assertStringIncludes(results[2], "[hidden: ");
    },
    {},
    { "keys/server.pem": [begin, ...kept, end, ""].join("\n") },
  );
});

Deno.test("secrets: names of files that hold one are marks in the session and on the screen, and undo knows them all the same", () => {
  const mark = "[hidden: API_TOKEN]";
  const names = (dir: string) => [...Deno.readDirSync(dir)].map(({ name }) => name).sort();
  return play(
    [
      { calls: [{ name: "read", args: { path: ".env" } }] },
      {
        calls: [
          { name: "write", args: { path: `w-${mark}.txt`, content: "hello\n" } },
          { name: "edit", args: { path: `w-${mark}.txt`, edits: [{ oldText: "hello", newText: "bye" }] } },
          {
            name: "bash",
            args: {
              command:
                `mkdir d-${mark}; echo x > d-${mark}/${mark}; ln -s ${mark} link; mv config.ts ${mark}`,
            },
          },
          {
            name: "bash",
            args: { command: `pwd; ls -R; cat no-${mark}; cd d-${mark}; pwd; > /etc/${mark}` },
          },
          { name: "write", args: { path: `/etc/${mark}`, content: "x" } },
        ],
      },
    ],
    "go",
    async ({ project, sent, stdout, stderr, results }) => {
      const before = [".env", "a", "config.ts", "examples", "services"];
      const after = [".env", "a", API, `d-${API}`, "examples", "link", "services", `w-${API}.txt`].sort();
      assertEquals(names(project.dir), after);
      assertStringIncludes(results[1], `Wrote w-${mark}.txt`);
      const listed = await project.run(["sessions", "undo", "--list"]);
      assertStringIncludes(listed.stdout, `${project.dir}/d-${mark}/${mark}`);
      const shown = await project.run(["sessions", "show"]);
      const undone = await project.run(["sessions", "undo"]);
      assertStringIncludes(undone.stdout, `restored  ${project.dir}/w-${mark}.txt`);
      assertEquals(names(project.dir), before);
      const redone = await project.run(["sessions", "undo", "--redo"]);
      assertEquals(redone.code, 0, redone.stdout);
      assertEquals(names(project.dir), after);
      assertEquals(Deno.readLinkSync(`${project.dir}/link`), API);
      assertEquals(await project.read(`d-${API}/${API}`), "x\n");
      const session = await everything(`${project.home}/.myelin/sessions`);
      const told = [listed, shown, undone, redone].map((one) => one.stdout + one.stderr);
      for (const place of [sent, stdout, stderr, session, ...told]) {
        assertFalse(place.includes(API), place.slice(Math.max(0, place.indexOf(API) - 200)).slice(0, 400));
      }
    },
  );
});
