/** Undo through the whole program: what tools, the shell's own commands and external programs did to files. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { startChatServer } from "../support/chat_script.ts";
import { createProject, type Project } from "../support/program.ts";

/** `run` with external programs allowed, whatever confines them here. */
const RUN = ["run", "--sandbox", "off", "--approve", "always"];

function picture(folder: string): string[] {
  const out: string[] = [];
  const visit = (path: string, shown: string) => {
    for (const { name } of Deno.readDirSync(path)) {
      const [full, short] = [`${path}/${name}`, `${shown}${name}`];
      const info = Deno.lstatSync(full);
      if (info.isSymlink) out.push(`${short} -> ${Deno.readLinkSync(full)}`);
      else if (info.isDirectory) {
        out.push(`${short}/`);
        visit(full, `${short}/`);
      } else out.push(`${short} ${(info.mode! & 0o777).toString(8)} ${Deno.readTextFileSync(full)}`);
    }
  };
  visit(folder, "");
  return out.sort();
}

async function prepare(project: Project): Promise<void> {
  await project.write("a.txt", "first\n");
  await project.write("b.txt", "second\n");
  await project.write("d/c.txt", "third\n");
  await project.write("run.sh", "echo program > made-by-program; rm d/c.txt; chmod 600 b.txt\n");
  Deno.symlinkSync("a.txt", `${project.dir}/link`);
}

const CALLS = [
  { name: "write", args: { path: "new/file.txt", content: "written\n" } },
  { name: "read", args: { path: "a.txt" } },
  { name: "edit", args: { path: "a.txt", edits: [{ oldText: "first", newText: "edited" }] } },
  {
    name: "bash",
    args: {
      command: "echo more >> b.txt; mv link link2; cp a.txt copy; sed -i s/edited/sed/ a.txt; mkdir -p x/y",
    },
  },
  { name: "bash", args: { command: "/bin/sh run.sh" } },
];

for (const sandbox of ["off", "workspace"]) {
  Deno.test(
    `sessions undo puts back all that a run did with --sandbox ${sandbox}, and --redo does it again`,
    {
      ignore: Deno.build.os !== "linux" ||
        (sandbox === "workspace" && (Deno.env.get("MYELIN_MISSING") ?? "").includes("bwrap")),
    },
    async () => {
      const server = startChatServer({
        turns: [...CALLS.map((call) => ({ calls: [call] })), { text: "Done." }],
      });
      await using project = await createProject({ url: server.url });
      await prepare(project);
      const before = picture(project.dir);
      const ended = await project.run(["run", "--sandbox", sandbox, "--approve", "always", "change things"]);
      assertEquals(ended.code, 0, ended.stderr);
      const after = picture(project.dir);
      assert(after.includes("made-by-program 644 program\n"), after.join());
      assert(after.includes("a.txt 644 sed\n"), after.join());

      const listed = await project.run(["sessions", "undo", "--list"]);
      assertStringIncludes(listed.stdout, "change things");
      assertStringIncludes(listed.stdout, "made-by-program");
      const undone = await project.run(["sessions", "undo"]);
      assertEquals(undone.code, 0, undone.stderr + undone.stdout);
      assertEquals(picture(project.dir), before);
      const redone = await project.run(["sessions", "undo", "--redo"]);
      assertEquals(redone.code, 0, redone.stderr + redone.stdout);
      assertEquals(picture(project.dir), after);
      await server.close();
    },
  );
}

Deno.test("sessions undo leaves a file alone that was changed by hand since, and says so with status 1", async () => {
  const server = startChatServer({
    turns: [{ calls: [{ name: "write", args: { path: "f", content: "model\n" } }] }, { text: "Done." }],
  });
  await using project = await createProject({ url: server.url });
  await project.run([...RUN, "write"]);
  await project.write("f", "by hand\n");
  const undone = await project.run(["sessions", "undo"]);
  assertEquals(undone.code, 1);
  assertStringIncludes(undone.stdout, "left alone");
  assertEquals(await project.read("f"), "by hand\n");
  await server.close();
});

Deno.test("what a run was changing when it was killed can be undone", async () => {
  const server = startChatServer({
    turns: [{
      calls: [{ name: "bash", args: { command: "echo x > a.txt; echo y > b.txt; echo ready; sleep 60" } }],
    }],
  });
  await using project = await createProject({ url: server.url });
  await project.write("a.txt", "first\n");
  const before = picture(project.dir);
  const running = project.start(["run", "-o", "stream-json", "go"]);
  await running.until('"tool_output"');
  running.kill("SIGKILL");
  await running.ended;
  assertEquals(picture(project.dir).length, 2);
  const undone = await project.run(["sessions", "undo"]);
  assertEquals(undone.code, 0, undone.stdout + undone.stderr);
  assertEquals(picture(project.dir), before);
  await server.close();
});
