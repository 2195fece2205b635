/**
 * What tools cannot do, tried through the whole program in every sandbox mode
 * but off; each attempt has its control: with the sandbox off it works.
 */
import { assert, assertEquals, assertNotMatch, assertStringIncludes } from "@std/assert";
import { startChatServer } from "../support/chat_script.ts";
import { createProject, type Project } from "../support/program.ts";

const SECRET = "CANARY-7f31";

/** Reads that must fail. `HOME` and `OUT` stand for the home and a folder outside. */
const READS: readonly { readonly name: string; readonly args: Record<string, unknown> }[] = [
  { name: "read", args: { path: "HOME/.ssh/id_rsa" } },
  { name: "read", args: { path: "../outside/secret.txt" } },
  { name: "read", args: { path: "file-link" } },
  { name: "read", args: { path: "dir-link/secret.txt" } },
  { name: "read", args: { path: "chain-link/secret.txt" } },
  { name: "grep", args: { pattern: "CANARY", path: "dir-link" } },
  { name: "bash", args: { command: "cat HOME/.ssh/id_rsa" } },
  { name: "bash", args: { command: "cat < dir-link/secret.txt" } },
  { name: "bash", args: { command: "cp dir-link/secret.txt here.txt; cat here.txt" } },
  { name: "bash", args: { command: "while read -r line; do echo $line; done < file-link" } },
  { name: "bash", args: { command: "source dir-link/secret.txt 2>&1" } },
  { name: "bash", args: { command: "/bin/cat OUT/secret.txt" } },
];

/** Writes that must change nothing outside. */
const WRITES: readonly { readonly name: string; readonly args: Record<string, unknown> }[] = [
  { name: "write", args: { path: "OUT/new.txt", content: "x" } },
  { name: "write", args: { path: "dir-link/new.txt", content: "x" } },
  { name: "write", args: { path: "dangling-link", content: "x" } },
  { name: "edit", args: { path: "file-link", edits: [{ oldText: SECRET, newText: "gone" }] } },
  {
    name: "bash",
    args: { command: "echo x > dangling-link; echo x > dir-link/new.txt; echo x >> file-link" },
  },
  { name: "bash", args: { command: "rm -f dir-link/secret.txt; mv dir-link/secret.txt dir-link/moved.txt" } },
  { name: "bash", args: { command: "mkdir dir-link/made; touch OUT/touched; cp here.txt OUT/new.txt" } },
  { name: "bash", args: { command: "/bin/sh -c 'echo x > OUT/new.txt'; /usr/bin/touch OUT/touched" } },
];

async function hostile(project: Project): Promise<string> {
  const outside = project.dir.replace(/\/ws$/, "/outside");
  await Deno.mkdir(outside);
  await Deno.writeTextFile(`${outside}/secret.txt`, `echo ${SECRET}\n`);
  await Deno.mkdir(`${project.home}/.ssh`);
  await Deno.writeTextFile(`${project.home}/.ssh/id_rsa`, `${SECRET}\n`);
  await Deno.symlink("../outside", `${project.dir}/dir-link`);
  await Deno.symlink("../outside/secret.txt", `${project.dir}/file-link`);
  await Deno.symlink("../outside/new.txt", `${project.dir}/dangling-link`);
  await Deno.symlink("dir-link", `${project.dir}/chain-link`);
  await project.write("here.txt", "inside\n");
  await project.write("sub/inner.txt", "inner\n");
  await Deno.symlink("sub", `${project.dir}/inner-link`);
  return outside;
}

async function snapshot(folder: string): Promise<string[]> {
  const out: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    out.push(entry.isFile ? `${entry.name}: ${await Deno.readTextFile(path)}` : `${entry.name}/`);
  }
  return out.sort();
}

function fill(value: Record<string, unknown>, project: Project, outside: string): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value).replaceAll("HOME", project.home).replaceAll("OUT", outside));
}

async function attempt(
  mode: string,
  call: { readonly name: string; readonly args: Record<string, unknown> },
): Promise<{ results: string; changed: boolean }> {
  // Files are read first, so that a refusal to write is not only that of the ledger.
  const server = startChatServer({
    turns: [() => ({ calls: [{ name: "read", args: { path: "file-link" } }, filled] }), { text: "end" }],
  });
  await using project = await createProject({
    url: server.url,
    // The sandbox by itself: masks would hide what got through.
    settings: { permissions: { allow: ["run(*)"] }, secrets: { mask: false } },
  });
  const outside = await hostile(project);
  const filled = { name: call.name, args: fill(call.args, project, outside) };
  const before = await snapshot(outside);
  const ended = await project.run(["run", "-o", "json", "--sandbox", mode, "try"], {
    env: { SECRET_TOKEN: SECRET },
  });
  assert([0, 3].includes(ended.code), ended.stderr);
  const results = JSON.stringify(
    server.requests[1].body.messages.filter((message) => message.role === "tool").slice(
      call.name === "edit" || call.name === "write" ? 0 : 1,
    ),
  );
  const after = await snapshot(outside);
  await server.close();
  return { results, changed: JSON.stringify(before) !== JSON.stringify(after) };
}

for (const mode of ["read-only", "workspace"]) {
  for (const call of READS) {
    Deno.test(`--sandbox ${mode}: no secret through ${call.name} ${JSON.stringify(call.args)}`, async () => {
      const { results } = await attempt(mode, call);
      assertNotMatch(results, new RegExp(SECRET));
    });
  }
  for (const call of WRITES) {
    Deno.test(`--sandbox ${mode}: nothing outside changes by ${call.name} ${JSON.stringify(call.args)}`, async () => {
      const { results, changed } = await attempt(mode, call);
      assertEquals(changed, false, results);
    });
  }
}

for (const call of READS.filter((one) => one.name !== "grep")) {
  Deno.test(`--sandbox off: the control reads through ${call.name} ${JSON.stringify(call.args)}`, async () => {
    const { results } = await attempt("off", call);
    assert(results.includes(SECRET), results);
  });
}

for (const call of WRITES) {
  Deno.test(`--sandbox off: the control changes something by ${call.name} ${JSON.stringify(call.args)}`, async () => {
    const { results, changed } = await attempt("off", call);
    assertEquals(changed, true, results);
  });
}

Deno.test("environment secrets are not there for tools, in any mode", async () => {
  for (const mode of ["read-only", "workspace", "off"]) {
    const { results } = await attempt(mode, {
      name: "bash",
      args: {
        command: "env; set; printenv SECRET_TOKEN; cat /proc/self/environ; /usr/bin/env; echo $SECRET_TOKEN",
      },
    });
    if (mode !== "off") assertNotMatch(results, new RegExp(SECRET));
  }
});

Deno.test("honest links inside the workspace work", async () => {
  const server = startChatServer({
    turns: [
      {
        calls: [{ name: "read", args: { path: "inner-link/inner.txt" } }, {
          name: "bash",
          args: { command: "echo more >> inner-link/inner.txt" },
        }],
      },
      { text: "end" },
    ],
  });
  await using project = await createProject({ url: server.url });
  await hostile(project);
  await project.run(["run", "use the link"]);
  assertEquals(await project.read("sub/inner.txt"), "inner\nmore\n");
  await server.close();
});

Deno.test("read-only changes nothing in the workspace either", async () => {
  const server = startChatServer({
    turns: [
      {
        calls: [{ name: "write", args: { path: "new.txt", content: "x" } }, {
          name: "bash",
          args: { command: "echo x > new.txt; rm here.txt" },
        }],
      },
      { text: "end" },
    ],
  });
  await using project = await createProject({ url: server.url });
  await hostile(project);
  const before = await snapshot(project.dir);
  await project.run(["run", "--sandbox", "read-only", "write"]);
  assertEquals(await snapshot(project.dir), before);
  await server.close();
});

Deno.test("a file that cannot be written is named itself, not the one that is made beside it on the way", async () => {
  const server = startChatServer({
    turns: [{ calls: [{ name: "write", args: { path: "z.txt", content: "1" } }] }, { text: "No." }],
  });
  await using project = await createProject({ url: server.url });
  const ended = await project.run(["run", "--sandbox", "read-only", "write it"]);
  assertEquals(ended.code, 3, ended.stderr);
  assertStringIncludes(ended.stderr, "/z.txt cannot be written. Run with --sandbox workspace");
  assert(!ended.stderr.includes(".tmp"));
  await server.close();
});
