/**
 * A program that swaps a folder for a link that leads out, beside tools that
 * work on it, through the whole program: nothing outside is reached. The
 * control: with the sandbox off it is.
 */
import { assert, assertEquals, assertNotMatch, assertStringIncludes } from "@std/assert";
import { startChatServer } from "../support/chat_script.ts";
import { createProject } from "../support/program.ts";
import { portrait, swapCommand, whyNoSwapper } from "../support/swapper.ts";

/** `PIT` is the folder, `OUT` what lies outside. */
const PREPARE =
  "mkdir PIT; for i in $(seq 80); do echo mine > PIT/take-$i; echo mine > PIT/victim-$i; done; " +
  "echo mine > PIT/secret.txt; /usr/bin/perl -e 'symlink($ARGV[0], $ARGV[1])' OUT PIT-trap; ";
const ATTEMPTS =
  "for i in $(seq 80); do cat PIT/secret.txt; ls PIT; [ -s PIT/only-outside ] && echo FOUND-OUT; " +
  "mkdir PIT/made-$i; echo w > PIT/new-$i; chmod 777 PIT/only-outside; touch -d 2001-01-01 PIT/only-outside; " +
  "mv PIT/take-$i PIT-stolen-$i; rm PIT/victim-$i; ln PIT/only-outside PIT-hard-$i; ln -s x PIT/soft-$i; done 2>&1; " +
  "for i in $(seq 400); do mkdir PIT/more-$i; chmod 777 PIT/only-outside; ln PIT/only-outside PIT-harder-$i; " +
  "mv PIT/only-outside PIT-gone; [ -e PIT/only-outside ] && echo FOUND-OUT; done 2>/dev/null; " +
  "echo fine > PIT-honest && cat PIT-honest; cat PIT-stolen-* PIT-hard*-*; echo over";

async function attempt(mode: string, pit: string): Promise<{ results: string; changed: boolean }> {
  let outside = "";
  const calls = (name: string, args: Record<string, unknown>) => () => ({
    calls: [{
      name,
      args: JSON.parse(JSON.stringify(args).replaceAll("PIT", pit).replaceAll("OUT", outside)),
    }],
  });
  const server = startChatServer({
    turns: [
      calls("bash", {
        command: PREPARE + swapCommand("PIT", "PIT-trap", "PIT-started") +
          " & until [ -e PIT-started ]; do sleep 0.01; done",
      }),
      calls("bash", { command: ATTEMPTS }),
      ...Array.from({ length: 5 }, (_, i) => calls("write", { path: `PIT/deep-${i}/file`, content: "w" })),
      ...Array.from({ length: 5 }, () => calls("read", { path: "PIT/only-outside" })),
      calls("bash", { command: "kill %1" }),
      { text: "end" },
    ],
  });
  await using project = await createProject({
    url: server.url,
    settings: { permissions: { allow: ["run(*)"] } },
  });
  outside = project.dir.replace(/\/ws$/, "/outside");
  Deno.mkdirSync(outside);
  for (const name of ["secret.txt", "only-outside"]) Deno.writeTextFileSync(`${outside}/${name}`, "CANARY\n");
  for (let i = 1; i <= 80; i++) {
    for (const name of ["take", "victim"]) Deno.writeTextFileSync(`${outside}/${name}-${i}`, "CANARY\n");
  }
  const before = portrait(outside);
  const ended = await project.run(["run", "-o", "json", "--sandbox", mode, "try"]);
  await server.close();
  assert([0, 3].includes(ended.code), ended.stderr);
  const last = server.requests.at(-1)!.body.messages;
  const results = JSON.stringify(last.filter((message) => message.role === "tool"));
  return { results, changed: portrait(outside).join() !== before.join() };
}

for (const [mode, pit] of [["workspace", "pit"], ["workspace", "/tmp/pit"], ["read-only", "/tmp/pit"]]) {
  Deno.test({
    name: `--sandbox ${mode}: a program that swaps ${pit} for a link leads no tool out`,
    ignore: whyNoSwapper() !== undefined,
    async fn() {
      const { results, changed } = await attempt(mode, pit);
      assertNotMatch(results, /CANARY|FOUND-OUT\\n/);
      assertStringIncludes(results, "fine\\n");
      assertStringIncludes(results, "over");
      // The trap was there, and met.
      assertStringIncludes(results, "Not allowed");
      assertEquals(changed, false);
    },
  });
}

Deno.test({
  name: "--sandbox off: the control is led out",
  ignore: whyNoSwapper() !== undefined,
  async fn() {
    const { results, changed } = await attempt("off", "pit");
    assert(changed && results.includes("CANARY"), results);
  },
});
