/**
 * Programs that swap folders for links while the shell and the file tools work
 * beside them: real programs under the real wrapper, many attempts of each kind.
 */
import { assert, assertEquals, assertNotMatch, assertStringIncludes } from "@std/assert";
import { descriptorsBelow } from "../support/descriptors.ts";
import { portrait, swapCommand, whyNoSwapper } from "../support/swapper.ts";
import { type Fixture, withSheath } from "./sheath_fixture.ts";

const ROUNDS = 60;

/** Nothing is swapped any more afterwards, so that what is there can be looked at. */
const STOP = ": > started-stop; until [ -e started-end ]; do sleep 0.01; done";

/** Each line is one kind of attempt, with `$i` for the round. `pit` is now a folder of the workspace, now a link out. */
const ATTEMPTS: Readonly<Record<string, string>> = {
  list:
    "ls -a pit | grep -q only-outside && echo FOUND-OUT; case $(echo pit/*) in *only-outside*) echo FOUND-OUT;; esac",
  look:
    "test -e pit/only-outside && echo FOUND-OUT; stat -c FOUND-OUT pit/only-outside; [ -s pit/only-outside ] && echo FOUND-OUT",
  read:
    "cat pit/secret.txt; cat < pit/secret.txt; head -c 100 pit/only-outside; read -r x < pit/only-outside; echo $x",
  copy: "cp pit/secret.txt copy-$i; cp -r pit tree-$i",
  search: "grep -r CANARY pit; find pit -name '*outside*'",
  enter: "cd pit && { ls; cat only-outside; touch entered-$i; cd ..; }",
  write: "echo w$i > pit/new-$i; echo w$i >> pit/log; echo changed > pit/victim-$i",
  "make folders": "mkdir pit/made-$i; mkdir -p pit/deep-$i/er",
  remove: "rm -f pit/victim-$i pit/secret-copy; rm -rf pit/tree-$i; rmdir pit/empty-$i",
  move: "mv -f pit/take-$i stolen-$i; mv honest.txt pit/moved-$i; mv pit/moved-$i honest.txt",
  link: "ln pit/only-outside hard-$i; ln honest.txt pit/hard-$i; ln -s x pit/soft-$i",
  "rights and times":
    "chmod 777 pit/only-outside pit/secret.txt; touch -d 2001-01-01 pit/only-outside pit/secret.txt",
  truncate: "truncate -s 0 pit/only-outside; : > pit/only-outside",
  "hand to programs": "for n in 1 2 3 4 5; do /usr/bin/perl -pe 1 < pit/secret.txt && break; done; " +
    'for n in 1 2 3 4 5; do /usr/bin/perl -e "print 1" > pit/by-program-$i && break; done; ' +
    '/usr/bin/perl -e "print 2" >> pit/secret.txt',
};

function dig(fixture: Fixture): void {
  const { workspace, outside } = fixture;
  Deno.mkdirSync(`${workspace}/pit`);
  Deno.writeTextFileSync(`${workspace}/pit/secret.txt`, "mine\n");
  Deno.symlinkSync("../outside", `${workspace}/trap`);
  Deno.writeTextFileSync(`${outside}/only-outside`, "CANARY-ONLY\n");
  for (const place of [outside, `${workspace}/pit`]) {
    for (let i = 1; i <= ROUNDS; i++) {
      for (const name of ["victim", "take"]) Deno.writeTextFileSync(`${place}/${name}-${i}`, "CANARY-OLD\n");
      for (const name of ["empty", "tree"]) Deno.mkdirSync(`${place}/${name}-${i}`);
    }
  }
  // What lies in the workspace bears no mark of the outside.
  for (const { name, isFile } of Deno.readDirSync(`${workspace}/pit`)) {
    if (isFile) Deno.writeTextFileSync(`${workspace}/pit/${name}`, "mine\n");
  }
  Deno.writeTextFileSync(`${workspace}/honest.txt`, "honest\n");
  Deno.mkdirSync(`${workspace}/sub`);
  Deno.symlinkSync("sub", `${workspace}/inner`);
}

/** What of the outside lies in the workspace by now. */
function loot(workspace: string): string[] {
  return portrait(workspace).filter((line) => line.includes("CANARY"));
}

async function startSwapping(fixture: Fixture): Promise<void> {
  const command = swapCommand("pit", "trap", "started");
  const { text } = await fixture.run("bash", {
    command: `${command} & until [ -e started ]; do sleep 0.01; done; echo swapping`,
  });
  assertStringIncludes(text, "swapping");
}

for (const [kind, attempts] of Object.entries(ATTEMPTS)) {
  Deno.test({
    name: `sheath: a program that swaps folders for links leads no command out: ${kind}`,
    ignore: whyNoSwapper() !== undefined,
    fn: () =>
      withSheath({}, async (fixture) => {
        const { workspace, outside, run } = fixture;
        dig(fixture);
        const before = portrait(outside);
        await startSwapping(fixture);
        const { text } = await run("bash", {
          command: `for i in $(seq ${ROUNDS}); do\n${attempts}\ndone 2>&1; ` +
            // Beside it, what is honest works, links inside of the workspace included.
            "for i in $(seq 5); do echo $i > sub/h-$i && cat inner/h-$i && mv inner/h-$i sub/g-$i && rm sub/g-$i && " +
            "mkdir inner/d-$i && rmdir sub/d-$i && ln -s sub l-$i && rm l-$i || echo BROKEN; done; " + STOP +
            "; echo over",
        });
        assertNotMatch(text, /CANARY|FOUND-OUT$|BROKEN/m);
        assertStringIncludes(text, "1\n2\n3\n4\n5\n");
        assertStringIncludes(text, "over");
        assertEquals(portrait(outside), before);
        assertEquals(loot(workspace), []);
      }),
  });
}

Deno.test({
  name: "sheath: a program that swaps folders for links leads no file tool out, and no descriptor stays open",
  ignore: whyNoSwapper() !== undefined,
  fn: () =>
    withSheath({}, async (fixture) => {
      const { root, workspace, outside, run } = fixture;
      dig(fixture);
      const before = portrait(outside);
      await startSwapping(fixture);
      let descriptors = 0;
      let worked = 0;
      for (let i = 1; i <= 40; i++) {
        const results = [
          await run("read", { path: "pit/secret.txt" }),
          await run("read", { path: "pit/only-outside" }),
          await run("write", { path: `pit/written-${i}/deep.txt`, content: "w" }),
          await run("edit", { path: "pit/secret.txt", edits: [{ oldText: "CANARY", newText: "gone" }] }),
          await run("ls", { path: "pit" }),
          await run("glob", { pattern: "pit/**" }),
          await run("grep", { pattern: "CANARY", path: "pit" }),
        ];
        for (const { text } of results) assertNotMatch(text, /CANARY-|only-outside$/m);
        worked += results.filter(({ isError }) => !isError).length;
        const honest = await run("write", { path: `inner/honest-${i}.txt`, content: "h" });
        assertEquals(honest.isError, false, honest.text);
        assertStringIncludes((await run("read", { path: `sub/honest-${i}.txt` })).text, "h");
        if (i === 10) descriptors = descriptorsBelow(root);
      }
      assert(worked > 0, "now and then the folder stood there long enough");
      assertEquals(descriptorsBelow(root), descriptors, "nothing is left open");
      await run("bash", { command: STOP });
      assertEquals(portrait(outside), before);
      assertEquals(loot(workspace), []);
    }),
});

Deno.test({
  name: "sheath: what a program has left in the background swaps in vain, too",
  ignore: whyNoSwapper() !== undefined,
  fn: () =>
    withSheath({}, async (fixture) => {
      const { workspace, outside, run } = fixture;
      dig(fixture);
      const before = portrait(outside);
      const command = swapCommand(`${workspace}/pit`, `${workspace}/trap`, `${workspace}/started`);
      Deno.writeTextFileSync(`${workspace}/daemon.sh`, `setsid ${command} >/dev/null 2>&1 </dev/null &\n`);
      await run("bash", {
        command: "/bin/sh daemon.sh; for i in $(seq 200); do [ -e started ] && break; done",
      });
      const { text } = await run("bash", {
        command: `for i in $(seq ${ROUNDS}); do chmod 777 pit/only-outside; mkdir pit/made-$i; ` +
          "mv pit/take-$i stolen-$i; cat pit/secret.txt; done 2>&1; echo over",
      });
      await run("bash", { command: STOP });
      assertNotMatch(text, /CANARY/);
      assertStringIncludes(text, "over");
      assertEquals(portrait(outside), before);
      assertEquals(loot(workspace), []);
    }),
});

Deno.test({
  name:
    "sheath: while a program runs, files are as they are without: content, positions, folders, times, questions",
  ignore: whyNoSwapper() !== undefined,
  fn: () =>
    withSheath({
      policy: { approve: "ask", rules: { allow: ["run(*)"], ask: ["write(./asked/**)"] } },
      sheath: {
        approve: ({ summary }) =>
          Promise.resolve(summary.includes("no-") ? { allow: false } : { allow: true }),
      },
    }, async ({ workspace, run }) => {
      const script = [
        "mkdir -p d/e f asked; seq 40000 > d/big; cp d/big f/copy; cmp d/big f/copy && wc -c < f/copy",
        "exec 5<d/big; read -r a <&5; read -r b <&5; echo $a $b; exec 5<&-",
        "echo one > t; echo two >> t; cat t; truncate_me=1; : > t; wc -c < t",
        "{ echo x; /usr/bin/perl -e 'print \"y\\n\"'; echo z; } > mixed; cat mixed",
        "{ read -r first; /usr/bin/perl -pe 1 > rest; } < d/big; head -n 1 rest",
        "touch -d '2001-02-03 04:05:06 UTC' d/e; stat -c %Y d/e; chmod 640 t; stat -c %a t",
        "ln -s ../d f/l; ls f/l; cat f/l/big | tail -n 1; mv f/l/e f/e; ls f; rm -r d; ls",
        "for i in $(seq 300); do : > asked-not-$i; done; echo asked-not-*| wc -w; rm asked-not-*",
        "mkdir asked/yes-1 && echo made; mkdir asked/no-1 || echo refused; echo 1 > asked/yes-2 && cat asked/yes-2; " +
        "echo 1 > asked/no-2 || echo refused",
      ].join("\n");
      const without = await run("bash", { command: script });
      await run("bash", { command: "rm -rf d f asked t mixed rest; /usr/bin/perl -e 'sleep 1000' & echo" });
      const during = await run("bash", { command: script });
      await run("bash", { command: "kill %1" });
      assertEquals(during.text, without.text);
      assertStringIncludes(during.text, "made\n");
      assertStringIncludes(during.text, "refused\n");
      assertStringIncludes(during.text, "228894\n1 2\n");
      assertEquals(Deno.readTextFileSync(`${workspace}/mixed`), "x\ny\nz\n");
    }),
});
