/**
 * What commands do to files in the real worker, kept and put back: the shell's
 * own commands by what they say before they change something, external
 * programs by the look before and after.
 */
import { assert, assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { type FileKeeper, loadHeldPlaces } from "../../src/sandbox/mod.ts";
import { type ChangeRecorder, openRecorder, undoFiles } from "../../src/session/file_undo.ts";
import { createSession } from "../../src/session/store.ts";
import { portrait, swapCommand, whyNoSwapper } from "../support/swapper.ts";
import { withSheath } from "./sheath_fixture.ts";

/** Each alone must be undone; together, too. Those with a number are external programs. */
const SCRIPTS: readonly string[] = [
  "echo changed > a.txt",
  "echo more >> a.txt; echo more >> a.txt; : > b.txt",
  "rm a.txt b.txt",
  "rm -rf dir",
  "mv a.txt dir/moved.txt",
  "mv dir elsewhere",
  "mv -f a.txt b.txt",
  "cp a.txt copy.txt; cp -r dir dir2; cp b.txt a.txt",
  "sed -i 's/one/ONE/' a.txt dir/c.txt",
  "chmod 600 a.txt; chmod -R 700 dir",
  "ln -s a.txt s; ln -sf b.txt link; ln a.txt hard",
  "mkdir -p x/y/z && rmdir x/y/z && touch x/f",
  "touch new a.txt; truncate -s 3 b.txt",
  "echo t | tee t1 t2 > /dev/null",
  "sort -o a.txt a.txt; find dir -name 'c*' -delete",
  "for i in 1 2 3; do echo $i > loop$i; done; cat loop1 loop2 > a.txt",
  "exec 3> kept.txt; echo one >&3; exec 3>&-",
  "cd dir && echo in > here && rm c.txt; cd ..",
  "(sleep 0.05; echo late > late.txt) & wait",
  "echo x > link",
  "mkdir a-dir && mv a-dir b-dir && mv a.txt b-dir && rm -r b-dir",
  "/bin/sh -c 'echo program > a.txt; rm -r dir; mkdir p; echo p > p/q; chmod 700 b.txt'",
  "echo first > a.txt; /bin/sh -c 'echo second >> a.txt; echo third > n'; echo fourth >> n; rm b.txt",
  "/bin/cp a.txt b.txt > out.txt 2>&1; /bin/mv dir dir3",
];

async function seed(workspace: string): Promise<void> {
  await Deno.writeTextFile(`${workspace}/a.txt`, "one\ntwo\n");
  await Deno.writeTextFile(`${workspace}/b.txt`, "bee\n");
  await Deno.mkdir(`${workspace}/dir/sub`, { recursive: true });
  await Deno.writeTextFile(`${workspace}/dir/c.txt`, "one\n");
  await Deno.writeTextFile(`${workspace}/dir/sub/d.txt`, "deep\n");
  await Deno.chmod(`${workspace}/b.txt`, 0o640);
  await Deno.symlink("a.txt", `${workspace}/link`);
}

function picture(folder: string): string[] {
  const out: string[] = [];
  const visit = (path: string) => {
    for (const { name } of Deno.readDirSync(path)) {
      const full = `${path}/${name}`;
      const info = Deno.lstatSync(full);
      const shown = full.slice(folder.length + 1);
      const mode = ((info.mode ?? 0) & 0o7777).toString(8);
      if (info.isSymlink) out.push(`${shown} -> ${Deno.readLinkSync(full)}`);
      else if (info.isDirectory) {
        out.push(`${shown}/ ${mode}`);
        visit(full);
      } else out.push(`${shown} ${mode} ${Deno.readTextFileSync(full)}`);
    }
  };
  visit(folder);
  return out.sort();
}

for (const mode of ["off", "workspace"] as const) {
  Deno.test(`whatever a command does to files with mode ${mode}, undo puts it back and redo does it again`, {
    ignore: Deno.build.os !== "linux" ||
      (mode === "workspace" && (Deno.env.get("MYELIN_MISSING") ?? "").includes("bwrap")),
  }, async () => {
    let recorder: ChangeRecorder | undefined;
    const keeper: FileKeeper = {
      keep: (path, tree) => recorder!.keep(path, tree),
      beforeProgram: () => recorder!.beforeProgram(),
      programStarted: () => recorder!.programStarted(),
      programEnded: () => recorder!.programEnded(),
    };
    const policy = { mode, approve: "always" as const };
    await withSheath({ policy, sheath: { keeper } }, async ({ root, workspace, run }) => {
      await using session = await createSession({ root: `${root}/sessions`, cwd: workspace });
      const snapshots = `${root}/snapshots`;
      recorder = await openRecorder({ session, workspace, root: snapshots, leaveOut: [] });
      const { flush } = recorder;
      await seed(workspace);
      const start = await session.append({ kind: "note", text: "start" });
      const before = picture(workspace);
      for (const command of SCRIPTS) {
        const from = session.leaf!;
        const { text } = await run("bash", { command });
        await flush(command);
        const after = picture(workspace);
        assertNotEquals(after, before, `${command}\n${text}`);
        const undone = await undoFiles(session, snapshots, { direction: "undo", since: from });
        assertEquals([undone?.conflicts ?? [], undone?.failed ?? []], [[], []], command);
        assertEquals(picture(workspace), before, `${command}\n${text}`);
        await undoFiles(session, snapshots, { direction: "redo" });
        assertEquals(picture(workspace), after, command);
        await undoFiles(session, snapshots, { direction: "undo", since: from });
      }
      for (const command of SCRIPTS) {
        await run("bash", { command });
        await flush(command);
      }
      const all = await undoFiles(session, snapshots, { direction: "undo", since: start.id });
      assertEquals([all?.conflicts ?? [], all?.failed ?? []], [[], []]);
      assertEquals(picture(workspace), before);
      await recorder.close();
    });
  });
}

Deno.test("what a later call writes to a file that stayed open is undone as that call's", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  let recorder: ChangeRecorder | undefined;
  const keeper: FileKeeper = {
    keep: (path, tree) => recorder!.keep(path, tree),
    beforeProgram: () => Promise.resolve(),
    programStarted: () => {},
    programEnded: () => {},
  };
  await withSheath({ policy: { mode: "off" }, sheath: { keeper } }, async ({ root, workspace, run }) => {
    await using session = await createSession({ root: `${root}/sessions`, cwd: workspace });
    recorder = await openRecorder({ session, workspace, root: `${root}/snapshots`, leaveOut: [] });
    await run("bash", { command: "exec 7>> log; echo one >&7" });
    await recorder.flush("first");
    const first = session.leaf!;
    await run("bash", { command: "echo two >&7; (sleep 0.2; echo three >&7) &" });
    await recorder.flush("second");
    // What a background command writes belongs to the next change that is written down.
    await run("bash", { command: "wait; echo done" });
    await recorder.flush("third");
    assertEquals(Deno.readTextFileSync(`${workspace}/log`), "one\ntwo\nthree\n");
    await undoFiles(session, `${root}/snapshots`, { direction: "undo", since: first });
    assertEquals(Deno.readTextFileSync(`${workspace}/log`), "one\n");
    await recorder.close();
  });
});

Deno.test(
  "nothing of the outside is kept or changed while a program swaps a folder for a link that leads there",
  {
    ignore: whyNoSwapper() !== undefined,
  },
  async () => {
    let recorder: ChangeRecorder | undefined;
    const keeper: FileKeeper = {
      keep: (path, tree) => recorder!.keep(path, tree),
      beforeProgram: () => recorder!.beforeProgram(),
      programStarted: () => recorder!.programStarted(),
      programEnded: () => recorder!.programEnded(),
    };
    await withSheath({ sheath: { keeper } }, async ({ root, workspace, outside, run }) => {
      Deno.mkdirSync(`${workspace}/pit`);
      for (let i = 0; i < 200; i++) {
        Deno.writeTextFileSync(`${workspace}/pit/f${i}`, "mine");
        Deno.writeTextFileSync(`${outside}/f${i}`, `CANARY ${i}`);
      }
      Deno.symlinkSync("../outside", `${workspace}/trap`);
      const before = portrait(outside);
      await using session = await createSession({ root: `${root}/sessions`, cwd: workspace });
      const snapshots = `${root}/snapshots`;
      const places = await loadHeldPlaces();
      recorder = await openRecorder({ session, workspace, root: snapshots, leaveOut: [], places });
      const swap = swapCommand("pit", "trap", "started");
      await run("bash", { command: `${swap} & until [ -e started ]; do sleep 0.01; done` });
      for (let i = 0; i < 30; i++) {
        recorder.keep(`${workspace}/pit/f${i}`);
        await run("bash", { command: `echo ${i} > honest` });
        await recorder.flush(`call ${i}`);
        if (i % 10 === 9) await undoFiles(session, snapshots, { direction: "undo" }, places);
      }
      const { text } = await run("bash", {
        command: ": > started-stop; until [ -e started-end ]; do sleep 0.01; done; echo over",
      });
      assertStringIncludes(text, "over");
      await recorder.close();
      places?.close();
      const kept = portrait(snapshots);
      assert(kept.some((line) => line.includes("mine")), "what is the workspace's own is kept");
      assertEquals(kept.filter((line) => line.includes("CANARY")).map((line) => line.slice(0, 200)), []);
      assertEquals(portrait(outside), before);
    });
  },
);
