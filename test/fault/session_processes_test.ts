import { assert, assertEquals } from "@std/assert";
import { listSessions } from "../../src/session/list.ts";
import { openSession } from "../../src/session/store.ts";
import { inFolder } from "../session/sample.ts";

/** Four entries a turn: so many are told before a process is killed, of so many processes at once. */
const ROUNDS = Deno.env.get("MYELIN_FULL")
  ? [1, 2, 3].map(() =>
    Array.from({ length: 20 }, (_, n) => n % 4 === 0 ? 200 : 1 + Math.floor(Math.random() * 200))
  )
  : [[3, 40, 90], [7, 20, 55]];
const CWD = "/home/user/a workspace";

/** Starts a writer and kills it when it has told of so many entries; answers with what it told of. */
async function killedAfter(root: string, entries: number): Promise<string[]> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      "--node-modules-dir=none",
      "--quiet",
      new URL("./session_writer.ts", import.meta.url).href,
      root,
      CWD,
    ],
    cwd: new URL("../..", import.meta.url),
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let told = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    told += text;
    if (told.split("\n").length > entries) {
      child.kill("SIGKILL");
      break;
    }
  }
  await child.status;
  // The last line may be cut: it was not told of.
  return told.slice(0, told.lastIndexOf("\n") + 1).trim().split("\n");
}

Deno.test("processes that share a workspace and are killed mix no lines, lose nothing acknowledged and leave no lock", () =>
  inFolder(async (root) => {
    const told: string[] = [];
    for (const round of ROUNDS) {
      told.push(...(await Promise.all(round.map((entries) => killedAfter(root, entries)))).flat());
    }
    const sessions = new Map<string, Set<string>>();
    for (const { file } of listSessions({ root })) {
      const session = await openSession(file);
      assert(session.damages.every(({ torn }) => torn), JSON.stringify(session.damages));
      const path = session.path();
      assertEquals(path.length, [...session.entries()].length);
      sessions.set(file, new Set(path.map(({ id }) => id)));
      await session.close();
      // A lock that a killed process left was taken over, and is gone with its holder.
      assertEquals(
        [...Deno.readDirSync(file.slice(0, file.lastIndexOf("/")))].some(({ name }) =>
          file.endsWith(`/${name.replace(/\.lock$/, "")}`) && name.endsWith(".lock")
        ),
        false,
      );
    }
    assert(told.length > 200);
    for (const line of told) {
      const [file, id] = line.split(/ (?=\S+$)/);
      assert(sessions.get(file)?.has(id), `lost ${line}`);
    }
  }));
