/** Work that is long within one line, one path or one block of input is cancelled in its middle. */
import { assert, assertEquals } from "@std/assert";
import { Interrupted } from "../../../src/shell/builtin.ts";
import { run } from "./support/run.ts";

const LONG: Readonly<Record<string, { readonly argv: readonly string[]; readonly stdin?: string }>> = {
  "split, with a file for each byte": { argv: ["split", "-b", "1"], stdin: "x".repeat(600) },
  "fold, in a long line": { argv: ["fold", "-w", "1"], stdin: "x".repeat(1_000_000) + "\n" },
  "mkdir -p, with a deep path": { argv: ["mkdir", "-p", "d/".repeat(100)] },
  "diff, of many lines": { argv: ["diff", "-", "/dev/null"], stdin: "x\n".repeat(300_000) },
  "sort, of many lines": {
    argv: ["sort"],
    stdin: Array.from({ length: 400_000 }, (_, i) => `${i}\n`).join(""),
  },
  "sort, of many equal lines": { argv: ["sort", "-k1"], stdin: "x\n".repeat(400_000) },
  "column -t, of many lines": { argv: ["column", "-t"], stdin: "a b\n".repeat(200_000) },
  "fmt, of one long paragraph": { argv: ["fmt"], stdin: "word ".repeat(200_000) },
  "factor, of a number without small factors": { argv: ["factor", `${(2n ** 61n - 1n) * (2n ** 89n - 1n)}`] },
};

for (const [what, { argv, stdin }] of Object.entries(LONG)) {
  Deno.test(`${what}, ends when it is cancelled`, async () => {
    const cwd = Deno.makeTempDirSync({ prefix: "cancel-test-" });
    try {
      let polls = 0;
      const poll = () => {
        if (++polls > 5) throw new Interrupted("cancelled");
      };
      assertEquals((await run(argv, { cwd, poll, ...(stdin === undefined ? {} : { stdin }) })).status, 130);
      assert([...Deno.readDirSync(cwd)].length < 10, "and has not done all of it");
    } finally {
      Deno.removeSync(cwd, { recursive: true });
    }
  });
}
