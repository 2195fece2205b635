/**
 * Processes killed at any instant: while they write, while the model speaks,
 * between an intent and its effect, during compaction and undo. Whatever they
 * had told is there, in order; nothing that must not repeat ran twice; every
 * call has one result; and undo still leads back to the beginning.
 */
import { assert, assertEquals } from "@std/assert";
import { toolCalls } from "../../src/llm/message.ts";
import { isKnown } from "../../src/session/entry.ts";
import { openRecorder, undoFiles } from "../../src/session/file_undo.ts";
import { newestSession } from "../../src/session/list.ts";
import type { SessionView } from "../../src/session/session.ts";
import { openSession } from "../../src/session/store.ts";
import { inFolder } from "../session/sample.ts";

const FULL = Boolean(Deno.env.get("MYELIN_FULL"));
/** Kills of one session before it is looked at, and how many sessions. */
const KILLS = 5;
const SESSIONS = FULL ? 100 : 3;

interface Place {
  readonly root: string;
  readonly workspace: string;
  readonly effects: string;
}

function worker({ root, workspace, effects }: Place, mode: string): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      "--node-modules-dir=none",
      "--quiet",
      new URL("./crash_worker.ts", import.meta.url).href,
      root,
      workspace,
      effects,
      mode,
    ],
    cwd: new URL("../..", import.meta.url),
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}

/** Runs a worker and kills it after so many milliseconds of work; answers with the entries that it told of. */
async function killedAfter(place: Place, ms: number): Promise<string[]> {
  const child = worker(place, "work");
  let told = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    told += text;
    if (timer === undefined && told.includes("ready\n")) timer = setTimeout(() => child.kill("SIGKILL"), ms);
  }
  clearTimeout(timer);
  assertEquals((await child.status).signal, "SIGKILL");
  return entriesOf(told);
}

async function finish(place: Place): Promise<string[]> {
  const { success, stdout } = await worker(place, "finish").output();
  assert(success);
  return entriesOf(new TextDecoder().decode(stdout));
}

function entriesOf(told: string): string[] {
  // The last line may be cut: it was not told.
  return told.slice(0, told.lastIndexOf("\n") + 1).split("\n")
    .filter((line) => line.startsWith("entry ")).map((line) => line.slice("entry ".length));
}

function assertTold(view: SessionView, told: readonly string[]): void {
  const order = new Map([...view.entries()].map(({ id }, at) => [id, at]));
  let last = -1;
  for (const id of told) {
    const at = order.get(id);
    assert(at !== undefined, `lost: ${id}`);
    assert(at > last, `out of order: ${id}`);
    last = at;
  }
}

/** One result for each call, at most one effect of each that must not repeat, and one where it succeeded. */
function assertCalls(view: SessionView, effects: string): void {
  const ran = new Map<string, number>();
  for (const id of effects.split("\n")) if (id !== "") ran.set(id, (ran.get(id) ?? 0) + 1);
  assert([...ran.values()].every((count) => count === 1), "a call ran twice");
  const results = new Map<string, number>();
  const calls: { id: string; name: string }[] = [];
  for (const entry of view.path()) {
    if (!isKnown(entry)) continue;
    if (entry.kind === "assistant") calls.push(...toolCalls(entry.message));
    if (entry.kind !== "result") continue;
    results.set(entry.callId, (results.get(entry.callId) ?? 0) + 1);
    if (entry.name === "bump" && !entry.isError) assert(ran.has(entry.callId), "a result without an effect");
  }
  for (const { id, name } of calls) assertEquals(results.get(id), 1, `results of a ${name}`);
}

Deno.test("sessions whose process is killed at any instant lose nothing, repeat nothing and can be undone", async () => {
  for (let n = 0; n < SESSIONS; n++) {
    await inFolder(async (made) => {
      const folder = await Deno.realPath(made);
      const place = { root: `${folder}/sessions`, workspace: `${folder}/w`, effects: `${folder}/effects` };
      await Deno.mkdir(place.workspace);
      await Deno.writeTextFile(`${place.workspace}/f0`, "there before");
      await Deno.writeTextFile(place.effects, "");
      const told: string[] = [];
      for (let kill = 0; kill < KILLS; kill++) {
        told.push(...await killedAfter(place, 1 + Math.random() * (kill % 2 === 0 ? 60 : 300)));
      }
      told.push(...await finish(place));
      const file = newestSession(place.root, place.workspace)!;
      await using session = await openSession(file);
      assertEquals(session.damages, []);
      assertEquals(session.projection.run, undefined);
      assertTold(session, told);
      assertCalls(session, await Deno.readTextFile(place.effects));

      const snapshots = `${folder}/snapshots`;
      const recorder = await openRecorder({
        session,
        workspace: place.workspace,
        root: snapshots,
        leaveOut: [],
      });
      await recorder.close();
      const first = session.path()[0];
      const report = await undoFiles(session, snapshots, { direction: "undo", since: first.id });
      assertEquals([report?.conflicts ?? [], report?.failed ?? []], [[], []]);
      assertEquals([...Deno.readDirSync(place.workspace)].map(({ name }) => name), ["f0"]);
      assertEquals(await Deno.readTextFile(`${place.workspace}/f0`), "there before");
    });
  }
});
