/** What never waits ends soon after it is cancelled, and when `timeout` says so: the timer itself would come too late. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { descriptorsBelow } from "../support/descriptors.ts";
import { withShell } from "./support/shell.ts";

/** Each would go on for ever, or for minutes. */
const ENDLESS: readonly string[] = [
  `f() { eval "f; f"; }; f`,
  `x='eval "$x"; eval "$x"'; eval "$x"`,
  `printf 'eval "$t"; eval "$t"' > t; t='. ./t'; . ./t`,
  "awk 'BEGIN { while (1) ; }'",
  "echo 'while (1) {}' | bc",
  "jq -n 'reduce range(1e12) as $i (0; . + 1)'",
  "seq 1 100000000000 | tac | rev",
  "yes | unexpand | expand",
  "yes > /dev/null",
  "for ((;;)); do :; done",
  "factor $(((1 << 31) - 1))00000000000000000000000000000000000000000000000000000000000000000000000000000007",
];

for (const script of ENDLESS) {
  Deno.test(`timeout ends what never waits: ${script}`, async () => {
    await withShell(async ({ sh }) => {
      const { status, stderr } = await sh(`timeout 0.1 bash -c ${quoted(script)} `);
      assertEquals(status, 124, stderr);
    });
    await othersTurn();
  });

  Deno.test(`a cancel ends what never waits: ${script}`, async () => {
    let looks = 0;
    await withShell(async ({ sh }) => {
      assertEquals((await sh(script)).status, 130);
    }, { changeHost: (host) => ({ ...host, cancelled: () => ++looks > 50 }) });
    assert(looks > 50);
    await othersTurn();
  });
}

Deno.test("splitting a long text looks for a cancel", async () => {
  let cancelled = false;
  let looks = 0;
  await withShell(async ({ sh }) => {
    await sh("x=$(seq 1 200000)");
    cancelled = true;
    assertEquals((await sh("set -- $x; echo done")).stdout, "");
  }, { changeHost: (host) => ({ ...host, cancelled: () => cancelled && ++looks > 20 }) });
});

Deno.test("a substitution that nobody can wait for leaves no file open", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  await withShell(async ({ sh, dir }) => {
    await sh("echo 1 > f");
    for (let i = 0; i < 9; i++) {
      const { stderr } = await sh("x='a[$(sleep 0.01 < f)]'; : $((x))");
      assertStringIncludes(stderr, "cannot wait for a command here");
    }
    assertEquals(descriptorsBelow(dir), 0);
    await sh("exec 7< f");
    assertEquals(descriptorsBelow(dir), 1, "it counts what is open");
    // The timers that were left alone end before this one.
    await sh("sleep 0.02");
  });
});

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** What was ended had let others have their turn: that timer is still to come. */
function othersTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
