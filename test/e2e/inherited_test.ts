/** Descriptors that were open where the program was started: programs of the model get none of them. */
import { assertEquals } from "@std/assert";
import { PROGRAM } from "../support/program.ts";

/** Files, for writing too, and a folder, through which everything beside it could be reached. */
const OPEN = 'exec 9<"$1/secret" 8>>"$1/made" 7<"$1" 21<"$1/secret"; shift; exec "$@"';
const LIST =
  `perl -e 'opendir D, "/proc/self/fd"; print join(" ", sort { $a <=> $b } grep { /^[0-9]+$/ && -e "/proc/self/fd/$_" } readdir D), "\\n"'`;

Deno.test({
  name: "programs get the three descriptors of every program and nothing that this one has inherited",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "inherited-" }));
    await Deno.mkdir(`${root}/ws`);
    await Deno.writeTextFile(`${root}/secret`, "SECRET\n");
    const run = async (script: string, ...sandbox: string[]) => {
      const { stdout, stderr } = await new Deno.Command("/bin/bash", {
        args: ["-c", OPEN, "bash", root, ...PROGRAM, "sh", ...sandbox, "-c", script],
        cwd: `${root}/ws`,
        stdin: "null",
      }).output();
      return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    };
    try {
      // The descriptor that perl lists its folder through is a fourth.
      assertEquals(await run(LIST), "0 1 2 3\n");
      // Some versions of the runtime hand files over as a second descriptor of the same file, too.
      const others =
        `perl -e 'for (glob "/proc/self/fd/*") { print "$_\\n" if m#/(\\d+)$# && $1 > 3 && (readlink($_) // "") !~ m#/ws/(in|out).txt$# }'`;
      assertEquals(
        await run(`echo x > in.txt; ${others} < in.txt > out.txt; cat out.txt; echo end`),
        "end\n",
      );
      const confined = await run(
        `${LIST}; perl -e 'open F, "<&=9"; print <F>; open G, ">&=8" and print G "x"'`,
        "--sandbox",
        "workspace",
        "--approve",
        "always",
      );
      assertEquals(confined, "0 1 2 3\n");
      assertEquals(await Deno.readTextFile(`${root}/made`), "");
      // Nor does what holds the sandbox, into which its programs could look.
      const holders = await run(
        `perl -e 'for (glob "/proc/[0-9]*/fd/*") { print "$_\\n" if (readlink($_) // "") =~ /secret|made/ }'; echo end`,
        "--sandbox",
        "workspace",
        "--approve",
        "always",
      );
      assertEquals(holders, "end\n");
    } finally {
      await Deno.remove(root, { recursive: true });
    }
  },
});
